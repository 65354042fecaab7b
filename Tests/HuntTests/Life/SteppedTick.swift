import Foundation
import Synchronization

/// A tick that stops before and after each line of its story, until it is let on or killed.
///
/// One party runs at a time, the tick or whoever steps it, so that an interleaving is the same each time.
final class SteppedTick: Sendable {
    struct Killed: Error {}

    private struct State {
        var tick: CheckedContinuation<Void, any Error>?
        var driver: CheckedContinuation<Bool, Never>?
        var isOver = false
        /// Where it stands.
        var place = ""
        var isKilled = false
    }

    private let state = Mutex(State())

    /// Starts it; it stops before its first line.
    init(_ body: @escaping @Sendable (SteppedTick) async -> Void) {
        Task {
            await body(self)
            state.withLock { state in
                state.isOver = true
                state.driver?.resume(returning: false)
                state.driver = nil
            }
        }
    }

    /// Called by the tick: waits at this place to be let on.
    ///
    /// - Throws: ``Killed``; from then on always.
    func stop(_ place: String) async throws {
        try await withCheckedThrowingContinuation { (here: CheckedContinuation<Void, any Error>) in
            state.withLock { state in
                if state.isKilled { return here.resume(throwing: Killed()) }
                state.tick = here
                state.place = place
                state.driver?.resume(returning: true)
                state.driver = nil
            }
        }
    }

    /// Whether the tick was killed: what it would still do does not happen.
    var isKilled: Bool { state.withLock(\.isKilled) }

    /// Where it stands, such as `before send`.
    var place: String { state.withLock(\.place) }

    /// Lets it run to its next stop; false: it is over.
    func step() async -> Bool {
        await withCheckedContinuation { here in
            state.withLock { state in
                if state.isOver { return here.resume(returning: false) }
                state.driver = here
                state.tick?.resume()
                state.tick = nil
            }
        }
    }

    /// Ends it where it stands, as SIGKILL would.
    func kill() async {
        state.withLock { state in
            state.isKilled = true
            state.tick?.resume(throwing: Killed())
            state.tick = nil
        }
        while await step() {}
    }
}
