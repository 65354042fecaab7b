/// What went wrong between here and Postgres; safe to log: no value that was sent is part of it.
public enum PostgresError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No connection, or it broke. The text is libpq's.
    case unreachable(String)
    /// What should name the database cannot be read; no server was asked. The text never holds it.
    case malformedURL(String)
    /// Postgres refused a statement.
    case refused(Refusal)
    /// No answer within the statement's time; it was cancelled and the connection given up.
    case timedOut(statement: String, after: Duration)
    /// An answer of another shape than this version expects.
    case unreadable(statement: String, String)

    /// An error answer of Postgres.
    public struct Refusal: Error, Sendable, Equatable {
        /// The SQLSTATE, such as `42501`.
        public var code: String
        /// The primary message.
        public var message: String
        /// What to do, where the server says so.
        public var hint: String?
        /// More about it, where the server says so; it may hold values, so it is not logged.
        public var detail: String?
    }

    /// What to do where the server itself has no hint.
    private static func mend(of code: String) -> String? {
        switch code {
        case "42501": "connect as cuecard_worker; `cuecard doctor` says what a role lacks"
        case "55P03", "40P01": "somebody holds a lock, see pg_stat_activity; the next tick tries again"
        case _ where code.hasPrefix("53"): "the server is short of disk, memory or connections"
        default: nil
        }
    }

    /// One line: what happened, and what to do where that is known.
    public var description: String {
        switch self {
        case .unreachable(let text):
            "the database cannot be reached: \(text); check DATABASE_URL and that the server is up"
        case .malformedURL(let text):
            "DATABASE_URL cannot be read: \(text); write it like postgresql://user@host:5432/database, with reserved characters of the password percent-encoded"
        case .refused(let refusal) where refusal.code == "3F000" || refusal.code == "42883" || refusal.code == "42P01":
            "the database has no current cuecard schema (\(refusal.message)); run `cuecard migrate`"
        case .refused(let refusal):
            "the database refused: \(refusal.message) (SQLSTATE \(refusal.code))"
                + ((refusal.hint ?? Self.mend(of: refusal.code)).map { "; \($0)" } ?? "")
        case .timedOut(let statement, let time):
            "the database gave no answer to \(statement) within \(time); look for locks in pg_stat_activity"
        case .unreadable(let statement, let text):
            "the answer to \(statement) cannot be read: \(text); run the `cuecard migrate` of this version"
        }
    }
}
