internal import CLibpq
internal import Dispatch

/// One connection to Postgres, opened with the first statement and opened again after it broke.
///
/// Statements run one after another on a thread of their own, since libpq blocks. No session state is used (nothing is
/// prepared or set outside a transaction), so that it works behind a transaction-pooling proxy.
public final class Connection: @unchecked Sendable {  // `queue` guards `session`
    private let url: String
    private let queue = DispatchQueue(label: "cuecard.postgres")
    private var session: Session?

    /// Seconds in which a connection must stand.
    public static let connectTimeoutSeconds = 10

    /// A connection to a libpq URI or connection string; nothing is opened yet.
    public init(url: String) { self.url = url }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - statement: What to run; without parameters it may hold several commands.
    ///   - timeout: After this it is cancelled.
    ///   - isRepeatable: Whether it may run twice; then it runs again where the connection broke before the answer.
    /// - Returns: The rows; of several commands in one text those of the last one that has any.
    /// - Throws: ``PostgresError``.
    public func run(
        _ statement: Statement, timeout: Duration = .seconds(30), isRepeatable: Bool = false
    ) async throws -> Rows {
        try await onQueue { connection in
            do {
                return try connection.open().execute(statement, timeout)
            } catch PostgresError.unreachable where isRepeatable {
                return try connection.open().execute(statement, timeout)
            }
        }
    }

    /// Runs one statement after another in one transaction.
    ///
    /// - Parameters:
    ///   - timeout: Of each statement.
    ///   - body: Is given what runs a statement; whatever it throws rolls everything back.
    /// - Returns: What the body returns.
    /// - Throws: ``PostgresError``; then nothing of the transaction stands, unless the connection broke in its commit.
    public func transaction<Value: Sendable>(
        timeout: Duration = .seconds(30),
        _ body: @escaping @Sendable (_ run: (Statement) throws -> Rows) throws -> Value
    ) async throws -> Value {
        try await onQueue { connection in
            let session = try connection.open()
            _ = try session.execute(Statement("begin", "begin"), timeout)
            do {
                let value = try body { try session.execute($0, timeout) }
                _ = try session.execute(Statement("commit", "commit"), timeout)
                return value
            } catch {
                session.rollBack()
                throw error
            }
        }
    }

    /// What was said on the channels of `listen` since the last look, as soon as anything was; empty after the limit.
    ///
    /// - Throws: ``PostgresError/unreachable(_:)`` where the connection broke, and with it every `listen`.
    func notifications(within limit: Duration) async throws -> [String] {
        try await onQueue { connection in
            guard let session = connection.session else { throw PostgresError.unreachable("nothing is listened to") }
            return try session.notifications(until: .now + limit)
        }
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Value) async throws
        -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work(self) }) }
        }
    }

    /// The open session, or a new one where it broke, perhaps while nobody looked.
    private func open() throws -> Session {
        if let session, session.isAlive() { return session }
        session = nil
        let opened = try Session(url: url, connectTimeoutSeconds: Self.connectTimeoutSeconds)
        session = opened
        return opened
    }
}
