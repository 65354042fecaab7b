import Foundation

/// Where the Postgres server's programs lie.
struct ServerBinaries: Equatable {
    static let oldestVersion = 14

    /// The folder that holds `initdb`, `postgres` and `pg_isready`.
    var folder: String
    var version: Int

    /// The newest installed server, looked for in `PATH`, where `pg_config` points, and where Debian and PGDG put it.
    static func newest() throws -> ServerBinaries {
        let found = candidates().compactMap(inspect).max { $0.version < $1.version }
        guard let found, found.version >= oldestVersion else {
            throw PrivatePostgresError.notInstalled(found: found.map { String($0.version) })
        }
        return found
    }

    private static func candidates() -> [String] {
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let configured = path.map { $0 + "/pg_config" }.first(where: isProgram)
            .flatMap { output(of: $0, "--bindir") }
        let debian = "/usr/lib/postgresql"
        let versions: [String] =
            switch Result(catching: { try FileManager.default.contentsOfDirectory(atPath: debian) }) {
            case .success(let names): names.map { "\(debian)/\($0)/bin" }
            case .failure: []  // nothing installed there
            }
        let pgdg = (oldestVersion...oldestVersion + 16).map { "/usr/pgsql-\($0)/bin" }
        return path + [configured].compactMap(\.self) + versions + pgdg
    }

    private static func inspect(_ folder: String) -> ServerBinaries? {
        guard ["initdb", "postgres", "pg_isready"].allSatisfy({ isProgram("\(folder)/\($0)") }) else { return nil }
        // "postgres (PostgreSQL) 15.18 (Debian …)", "… 17beta1"
        guard let line = output(of: "\(folder)/postgres", "--version"),
            let version = line.split(separator: " ").dropFirst(2).first.flatMap({ Int($0.prefix(while: \.isNumber)) })
        else { return nil }
        return ServerBinaries(folder: folder, version: version)
    }

    private static func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Nil where the program does not start or fails.
    private static func output(of program: String, _ argument: String) -> String? {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [argument]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return nil }
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(bytes: data, encoding: .utf8)?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
