import Foundation
import TestSupport
import Testing

@testable import PrivatePostgres

@Suite("A private Postgres")
struct PrivatePostgresTests {
    let parent = FileManager.default.temporaryDirectory.appendingPathComponent("cuecard-\(UUID().uuidString)")

    /// What is left in the wished folder, which goes too.
    private func leftovers() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: parent.path)
        try FileManager.default.removeItem(at: parent)
        return names
    }

    @Test("answers on its socket, with our settings, and leaves nothing behind")
    func startAndStop() async throws {
        let postgres = try PrivatePostgres.start(in: parent, port: 5444, settings: ["work_mem": "5MB"])
        let psql = postgres.binaries.appendingPathComponent("psql")
        let question =
            "select current_setting('work_mem'), current_setting('listen_addresses') = '', inet_server_addr() is null"
        let answer = try await Child.run(psql, ["-XAt", "-c", question, postgres.url()])
        #expect(answer.output == "5MB|t|t\n")
        #expect(answer.errors == "")
        let mode =
            try FileManager.default.attributesOfItem(atPath: postgres.folder.path)[.posixPermissions] as? NSNumber
        #expect(mode?.uint16Value == 0o700)
        #expect(postgres.notice == nil)
        postgres.stop()
        postgres.stop()
        #expect(try leftovers() == [])
        let after = try await Child.run(psql, ["-XAt", "-c", "select 1", postgres.url()])
        #expect(after.code != 0)
    }

    @Test("ends though a child of its owner lives on, for the lifeline is not inherited")
    func childrenDoNotHoldIt() async throws {
        let postgres = try PrivatePostgres.start(in: parent, port: 5445)
        // posix_spawn without file actions: the child gets whatever is not close-on-exec.
        var child: pid_t = 0
        let words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("600"), nil]
        defer { for word in words { free(word) } }
        let failure = posix_spawn(&child, "/bin/sleep", nil, nil, words, nil)
        try #require(failure == 0)
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        postgres.stop()
        #expect(try leftovers() == [])
    }

    @Test("an owner that goes while the server starts leaves nothing behind either")
    func goneWhileStarting() async throws {
        let user = try ServerUser.current()
        let folder = try ClusterFolder.make(in: parent, port: 5446, user: user)
        let line = try Lifeline()
        let supervisor = Process()
        supervisor.executableURL = URL(fileURLWithPath: "/bin/sh")
        supervisor.arguments = try [
            "-c", Supervisor.script, "sh", folder.url.path, ServerBinaries.newest().folder, "5446", user.prefix,
        ]
        supervisor.standardInput = line.theirs
        supervisor.standardOutput = line.theirs
        supervisor.standardError = FileHandle.nullDevice
        try supervisor.run()
        try line.theirs.close()
        try line.ours.close()
        try await eventually("the supervisor has ended", within: .seconds(120)) { !supervisor.isRunning }
        #expect(try leftovers() == [])
    }

    @Test("a server that cannot start is an error in the server's words")
    func badSetting() throws {
        let error = #expect(throws: PrivatePostgresError.self) {
            _ = try PrivatePostgres.start(in: parent, settings: ["max_connections": "many"])
        }
        #expect(error?.description.contains(#"invalid value for parameter "max_connections""#) == true)
        #expect(try leftovers() == [])
    }

    @Test("a path too long for a socket is answered with another folder and a line that says so")
    func longPath() throws {
        let long = parent.appendingPathComponent(String(repeating: "x", count: 100))
        let postgres = try PrivatePostgres.start(in: long)
        #expect(postgres.notice?.contains("too long") == true)
        #expect(postgres.folder.path.hasPrefix("/tmp/"))
        postgres.stop()
        #expect(!FileManager.default.fileExists(atPath: postgres.folder.path))
        #expect(try leftovers() == [long.lastPathComponent])
    }

    @Test("a folder below a closed one is answered with another folder", .enabled(if: geteuid() == 0))
    func unreachableFolder() throws {
        try FileManager.default.createDirectory(
            at: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let postgres = try PrivatePostgres.start(in: parent.appendingPathComponent("inner"))
        #expect(postgres.notice?.contains("cannot be reached by the user postgres") == true)
        postgres.stop()
        #expect(try leftovers() == ["inner"])
    }
}
