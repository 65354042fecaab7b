import Foundation

/// Whom the server runs as.
struct ServerUser {
    /// Nil means this process's own user.
    var name: String?
    var id: uid_t?
    /// Words before a command that run it as this user; empty for our own.
    var prefix: String

    static func current() throws -> ServerUser {
        guard geteuid() == 0 else { return ServerUser(name: nil, id: nil, prefix: "") }
        guard let entry = getpwnam("postgres") else { throw PrivatePostgresError.noOrdinaryUser }
        let (uid, gid) = (entry.pointee.pw_uid, entry.pointee.pw_gid)
        return ServerUser(
            name: "postgres", id: uid, prefix: "setpriv --reuid=\(uid) --regid=\(gid) --clear-groups --")
    }
}

/// A new folder, mode 700, that belongs to the server's user and can hold its socket.
struct ClusterFolder {
    var url: URL
    /// One line where it is not inside the wished directory.
    var notice: String?

    /// `sun_path` holds 108 bytes with the closing zero.
    private static let longestSocketPath = 107

    static func make(in directory: URL, port: Int, user: ServerUser) throws -> ClusterFolder {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        guard let obstacle = obstacle(directory, port: port, user: user) else {
            return ClusterFolder(url: try create(in: directory, user: user))
        }
        let other = try create(in: URL(fileURLWithPath: "/tmp"), user: user)
        return ClusterFolder(url: other, notice: "Postgres runs in \(other.path): \(directory.path) \(obstacle)")
    }

    private static func template(in directory: URL) -> String {
        directory.appendingPathComponent("cuecard-pg.XXXXXX").path
    }

    private static func create(in directory: URL, user: ServerUser) throws -> URL {
        var template = Array(template(in: directory).utf8CString)
        guard mkdtemp(&template) != nil else {
            throw PrivatePostgresError.notStarted(
                detail: "no folder can be made in \(directory.path): \(String(cString: strerror(errno)))")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if let id = user.id { chown(path, id, gid_t.max) }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// Why the server could not live in a folder there, or nil.
    private static func obstacle(_ directory: URL, port: Int, user: ServerUser) -> String? {
        if "\(template(in: directory))/.s.PGSQL.\(port)".utf8.count > longestSocketPath {
            return "is too long a path for a socket"
        }
        guard let name = user.name else { return nil }
        let attempt = Process()
        attempt.executableURL = URL(fileURLWithPath: "/bin/sh")
        attempt.arguments = ["-c", "exec \(user.prefix) test -x \"$1\"", "sh", directory.path]
        do { try attempt.run() } catch { return "could not be checked" }
        attempt.waitUntilExit()
        return attempt.terminationStatus == 0 ? nil : "cannot be reached by the user \(name)"
    }
}
