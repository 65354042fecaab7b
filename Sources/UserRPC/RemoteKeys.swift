import Synchronization

/// A key set behind a URL, kept in memory.
///
/// It is fetched when it is first needed, when ten minutes old, and for a key id that it does not know; never twice
/// within a minute, and what is known is kept where a fetch fails.
public actor RemoteKeys {
    /// Brings the set, or a line that says why not.
    public typealias Fetch = @Sendable () async -> Result<KeySet, KeySet.Problem>

    private let fetch: Fetch
    private let report: @Sendable (String) -> Void
    private let elapsed: @Sendable () -> Duration
    private var known: KeySet?
    private var triedAt: Duration?
    private var fetchedAt: Duration?
    private var running: Task<Void, Never>?

    static let age: Duration = .seconds(600)
    static let pause: Duration = .seconds(60)

    /// A set that nothing is known of yet.
    ///
    /// - Parameters:
    ///   - report: Told why a fetch failed.
    ///   - elapsed: A monotonic clock.
    ///   - fetch: Brings the set.
    public init(
        report: @escaping @Sendable (String) -> Void, elapsed: @escaping @Sendable () -> Duration,
        fetch: @escaping Fetch
    ) {
        self.fetch = fetch
        self.report = report
        self.elapsed = elapsed
    }

    /// The set as it is known; nil where none ever came.
    func current() async -> KeySet? {
        let isOld = fetchedAt.map { elapsed() - $0 >= Self.age } ?? true
        if isOld { await refresh() }
        return known
    }

    /// The set, fetched anew unless that was tried within the last minute.
    func renewed() async -> KeySet? {
        await refresh()
        return known
    }

    private func refresh() async {
        if let running { return await running.value }
        let now = elapsed()
        if let triedAt, now - triedAt < Self.pause { return }
        triedAt = now
        let task = Task {
            switch await fetch() {
            case .success(let set):
                known = set
                fetchedAt = now
            case .failure(let problem):
                report("JWT_JWKS_URL: \(problem)")
            }
        }
        running = task
        await task.value
        running = nil
    }
}
