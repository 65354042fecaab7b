public import Foundation

/// A throwaway Postgres cluster that lives as long as its owner and leaves nothing behind.
///
/// It listens on a Unix socket in a folder of its own, mode 700, and trusts whoever reaches it. Durability is
/// switched off. A small shell process holds the other end of a socket pair and stops the server and removes the
/// folder when this process ends, however it ends.
public final class PrivatePostgres: Sendable {
    /// The folder of socket, data and `log`; it is gone after ``stop()``.
    public let folder: URL
    /// Names the socket only; nothing listens on the network.
    public let port: Int
    /// Where ``folder`` is not in the wished directory: one line that says why.
    public let notice: String?
    /// Where `psql`, `pg_dump` and the other programs of the same version lie.
    public let binaries: URL

    private let supervisor: Process
    private let lifeline: FileHandle

    /// Makes a new cluster in a new folder inside `directory`, and returns when it answers (about a second).
    ///
    /// As root it runs as the user `postgres`, for Postgres refuses root.
    ///
    /// - Parameters:
    ///   - directory: Made where it is missing. The cluster goes to the temporary directory instead where the
    ///     server's user cannot reach it or where a socket's path would be too long.
    ///   - port: Names the socket, as libpq wants it.
    ///   - settings: More server settings, such as `["max_connections": "50"]`; they win over ours.
    /// - Returns: The running cluster; it ends with the last reference to it.
    /// - Throws: ``PrivatePostgresError``, or what Foundation says when no folder can be made.
    public static func start(
        in directory: URL, port: Int = 5432, settings: [String: String] = [:]
    ) throws -> PrivatePostgres {
        let binaries = try ServerBinaries.newest()
        let user = try ServerUser.current()
        let home = try ClusterFolder.make(in: directory, port: port, user: user)
        let ours = [
            "listen_addresses": "", "fsync": "off", "synchronous_commit": "off", "full_page_writes": "off",
            "log_timezone": "UTC", "timezone": "UTC",
        ]
        let options = ours.merging(settings) { $1 }.sorted { $0.key < $1.key }.flatMap {
            ["-c", "\($0.key)=\($0.value)"]
        }
        let line = try Lifeline()
        let supervisor = Process()
        supervisor.executableURL = URL(fileURLWithPath: "/bin/sh")
        supervisor.arguments =
            ["-c", Supervisor.script, "sh", home.url.path, binaries.folder, String(port), user.prefix] + options
        supervisor.standardInput = line.theirs
        supervisor.standardOutput = line.theirs
        supervisor.standardError = FileHandle.nullDevice
        try supervisor.run()
        try line.theirs.close()
        let postgres = PrivatePostgres(
            folder: home.url, port: port, notice: home.notice, binaries: URL(fileURLWithPath: binaries.folder),
            supervisor: supervisor, lifeline: line.ours)
        let answer = line.ours.availableData
        guard answer == Data("ready\n".utf8) else {
            let lines = String(decoding: answer + line.ours.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
            postgres.stop()
            let detail = lines.isEmpty ? "it wrote nothing" : lines.joined(separator: " ")
            throw PrivatePostgresError.notStarted(detail: detail)
        }
        return postgres
    }

    private init(
        folder: URL, port: Int, notice: String?, binaries: URL, supervisor: Process, lifeline: FileHandle
    ) {
        self.folder = folder
        self.port = port
        self.notice = notice
        self.binaries = binaries
        self.supervisor = supervisor
        self.lifeline = lifeline
    }

    deinit { stop() }

    /// A libpq connection URI over the socket.
    public func url(database: String = "postgres", user: String = "postgres") -> String {
        "postgresql://\(Self.escaped(user))@\(Self.escaped(folder.path)):\(port)/\(Self.escaped(database))"
    }

    /// Stops the server at once and removes its folder; safe to call again.
    public func stop() {
        // Closing twice throws; it is closed either way.
        do { try lifeline.close() } catch {}
        supervisor.waitUntilExit()
    }

    private static func escaped(_ text: String) -> String {
        let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: plain) ?? text
    }
}
