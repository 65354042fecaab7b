import Foundation
import PrivatePostgres
import Testing

/// A pgbouncer in front of the tests' cluster, with two server connections for each database and user.
public struct Pooler: Sendable {
    private let folder: String
    private let process: Child

    private static let port = 6432

    /// Starts it; it ends with the last reference to it.
    public static func start() async throws -> Pooler {
        let folder = try TestDatabase.cluster.folder.path
        let server = try TestDatabase.cluster.port
        let settings = """
            [databases]
            * = host=\(folder) port=\(server)
            [pgbouncer]
            unix_socket_dir = \(folder)
            listen_addr =
            listen_port = \(port)
            auth_type = trust
            auth_file = \(folder)/pgbouncer.users
            pool_mode = transaction
            default_pool_size = 2
            """
        try settings.write(toFile: folder + "/pgbouncer.ini", atomically: true, encoding: .utf8)
        try "\"postgres\" \"\"\n\"cuecard_worker\" \"\"\n".write(
            toFile: folder + "/pgbouncer.users", atomically: true, encoding: .utf8)
        let places = ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin"]
        let program = try #require(
            places.map { $0 + "/pgbouncer" }.first(where: FileManager.default.isExecutableFile),
            "pgbouncer is missing: install the Debian package pgbouncer")
        // It refuses root, as Postgres does.
        let words =
            geteuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", program] : [program]
        let process = try Child(
            URL(fileURLWithPath: words[0]), Array(words.dropFirst()) + [folder + "/pgbouncer.ini"])
        let pooler = Pooler(folder: folder, process: process)
        try await eventually("pgbouncer listens") {
            FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.\(port)")
        }
        return pooler
    }

    /// A libpq URI that leads through it.
    public func url(database: String, user: String) -> String {
        let host = folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? folder
        return "postgresql://\(user)@\(host):\(Self.port)/\(database)"
    }
}
