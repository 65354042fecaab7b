/// Hears of changes as they are committed, on a connection of its own that must lead straight to Postgres.
public struct ChangeListener: Sendable {
    /// What was said on the channel.
    public enum Word: String, Sendable {
        /// A change was queued.
        case change
        /// The database asks for a tick: `call_tick` without pg_net.
        case due
        /// A listener tried whether it is heard; see ``Store/listenForChanges(seconds:)``.
        case listening
    }

    private let connection: Connection

    /// A listener on a connection that nothing else uses, for its waits hold it.
    public init(connection: Connection) { self.connection = connection }

    /// Starts to listen, again where the connection broke; what was said before is lost.
    public func start() async throws { _ = try await connection.run(Statement("listen", "listen cuecard")) }

    /// What was said since the last look, as soon as anything was; empty after the limit.
    ///
    /// - Throws: ``PostgresError/unreachable(_:)`` where the connection broke; ``start()`` makes a new one.
    public func words(within limit: Duration) async throws -> [Word] {
        try await connection.notifications(within: limit).compactMap(Word.init(rawValue:))
    }
}

extension Store {
    /// Has changes announced for so many seconds, and says ``ChangeListener/Word/listening`` to all listeners.
    public func listenForChanges(seconds: Int) async throws {
        _ = try await connection.run(
            Statement("listen_for_changes", "select cuecard.listen_for_changes($1::int)", ["\(seconds)"]),
            isRepeatable: true)
    }
}
