import Foundation
import PrivatePostgres
import TestSupport
import Testing

/// A Postgres primary and its synchronous streaming standby: what the primary has answered, the standby has too.
final class ServerPair: Sendable {
    private let primary: PrivatePostgres
    private let standby: Child
    private static let ports = (primary: 5432, standby: 5433)

    /// Starts both, with Cuecard's schema, and returns when every commit waits for the standby.
    init() async throws {
        primary = try PrivatePostgres.start(
            in: URL(fileURLWithPath: NSTemporaryDirectory()),
            settings: ["synchronous_commit": "on", "wal_level": "replica", "max_wal_senders": "4"])
        // Inside the primary's folder, which goes with it however this process ends; the server ends without its folder.
        let data = primary.folder.path + "/standby"
        let programs = primary.binaries.path
        let copy = try await Child.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            Self.asServer + [
                programs + "/pg_basebackup", "--host", primary.folder.path, "--port", "\(Self.ports.primary)",
                "--username",
                "postgres", "--pgdata", data, "--write-recovery-conf", "--checkpoint", "fast",
                "--no-sync",
            ])
        guard copy.code == 0 else { throw Violation("pg_basebackup failed", copy.errors) }
        standby = try Child(
            URL(fileURLWithPath: "/usr/bin/env"),
            Self.asServer + [
                programs + "/postgres", "-D", data, "-k", primary.folder.path, "-p", "\(Self.ports.standby)", "-c",
                "listen_addresses=", "-c", "fsync=off",
            ])
        try await eventually("the standby streams") {
            try await run("select count(*) from pg_stat_replication where state = 'streaming'", Self.ports.primary)
                == "1"
        }
        // From here on no commit is answered before the standby has it.
        _ = try await run("alter system set synchronous_standby_names = '*'", Self.ports.primary)
        _ = try await run("select pg_reload_conf()", Self.ports.primary)
        try await eventually("the standby is synchronous") {
            try await run("select sync_state from pg_stat_replication", Self.ports.primary) == "sync"
        }
        let migrated = try await Binary.run(["migrate"], environment: ["DATABASE_URL": url()])
        guard migrated.code == 0 else { throw Violation("cuecard migrate failed", migrated.errors) }
        _ = try await run("alter role cuecard_worker login", Self.ports.primary)
    }

    deinit {
        standby.signal(SIGQUIT)
        while standby.isRunning { usleep(5_000) }
    }

    /// A libpq URI that leads to whichever of the two may be written to.
    func url(user: String = "postgres") -> String {
        let (host, ports) = (primary.folder.path, "\(Self.ports.primary),\(Self.ports.standby)")
        return "postgresql:///postgres?host=\(host),\(host)&port=\(ports)&user=\(user)&target_session_attrs=read-write"
    }

    /// Kills the primary as a machine that dies would, and promotes the standby.
    func failOver() async throws {
        let pid = try String(contentsOfFile: primary.folder.path + "/data/postmaster.pid", encoding: .utf8)
        if let number = pid.split(separator: "\n").first.flatMap({ Int32($0) }) { kill(number, SIGKILL) }
        _ = try await run("select pg_promote()", Self.ports.standby)
    }

    private func run(_ sql: String, _ port: Int) async throws -> String {
        let psql = primary.binaries.appendingPathComponent("psql")
        let answer = try await Child.run(
            psql, ["-XqAt", "-h", primary.folder.path, "-p", "\(port)", "-U", "postgres", "-c", sql, "postgres"])
        guard answer.code == 0 else { throw Violation("psql failed", answer.errors) }
        return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Words that run a command as a user whom Postgres does not refuse.
    private static var asServer: [String] {
        geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
    }
}
