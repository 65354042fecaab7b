/// Why no private Postgres could be started.
public enum PrivatePostgresError: Error, Equatable, CustomStringConvertible {
    /// No server of version 14 or newer is installed; the newest version found, if any.
    case notInstalled(found: String?)
    /// The process is root, Postgres refuses root, and there is no user `postgres` to run it as.
    case noOrdinaryUser
    /// The server or its first set-up failed; the detail holds the last lines it wrote.
    case notStarted(detail: String)

    /// One line that names the mend.
    public var description: String {
        switch self {
        case .notInstalled(let found):
            let what = found.map { "Postgres \($0) is too old" } ?? "no Postgres server found"
            return "PrivatePostgresError: \(what): install the Debian package postgresql (14 or newer)"
        case .noOrdinaryUser:
            return "PrivatePostgresError: Postgres does not run as root and there is no user postgres:"
                + " install the Debian package postgresql"
        case .notStarted(let detail):
            return "PrivatePostgresError: the private Postgres did not start: \(detail)"
        }
    }
}
