import Foundation
import PostgresStore

/// Follows what is said of changes, over broken connections and restarts of the database.
struct ChangeFeed: Sendable {
    let listener: ChangeListener
    /// Has changes announced for so many seconds, and says so where every listener hears it.
    let announce: @Sendable (_ seconds: Int) async throws -> Void

    /// Of a burst of edits the first waits this long for the others.
    private static let gathering: Duration = .milliseconds(250)
    /// How often it says that it still listens; two such words may get lost.
    private static let renewal: Duration = .seconds(30)
    private static let announcedSeconds = 100
    /// Its own word comes back within this, or nothing ever will.
    private static let patience: Duration = .seconds(10)

    /// Calls `heard` soon after changes were committed, and once whenever it may have missed some.
    func follow(_ heard: @Sendable () -> Void) async {
        var failures = 0
        while !Task.isCancelled {
            do {
                try await listener.start()
                try await listen {
                    failures = 0
                    heard()
                }
            } catch {
                if Task.isCancelled { return }
                failures += 1
                Log.warning("changes are not heard of: \(error)")
                await BackOff.wait(after: failures)
            }
        }
    }

    private func listen(_ heard: () -> Void) async throws {
        var saidAt: ContinuousClock.Instant?
        var isUnheard = false
        while !Task.isCancelled {
            if saidAt.map({ .now - $0 > Self.renewal }) ?? true {
                try await announce(Self.announcedSeconds)
                // What was committed before this is announced by nobody.
                if saidAt == nil { heard() }
                saidAt = .now
                isUnheard = true
            }
            var words = try await listener.words(within: .seconds(2))
            if words.contains(where: { $0 != .listening }) {
                try await Task.sleep(for: Self.gathering)
                words += try await listener.words(within: .zero)
                heard()
            }
            if words.contains(.listening) { isUnheard = false }
            if isUnheard, let said = saidAt, .now - said > Self.patience {
                isUnheard = false
                Log.warning(
                    "--listen-changes hears nothing; set DIRECT_DATABASE_URL to a connection that leads straight to Postgres, past any proxy that pools transactions"
                )
            }
        }
    }
}
