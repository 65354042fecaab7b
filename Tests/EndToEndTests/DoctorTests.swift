import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// `cuecard doctor`: silent on what is well, and each fault named with its mend.
@Suite(.fewAtATime) struct DoctorTests {
    @Test func aHealthySetUpHasNoFindings() async throws {
        let world = try await ticked()
        let result = try await Binary.run(["doctor", "--json"], environment: healthy(world))
        let report = try JSON(parsing: result.output)
        #expect(result.code == 0, "\(result.output) \(result.errors)")
        #expect(report["healthy"] == true)
        #expect(report["findings"] == [])
        let passed = checks(report, "passed")
        for check in [
            "settings", "key", "cron_secret", "time_zones", "ca_roots", "database", "clock", "migrations", "roles",
            "row_security", "worker_rights", "last_tick", "lanes", "start_tokens", "apns",
        ] { #expect(passed.contains(check), "\(check)") }
        // The private cluster has no pg_cron, and that is said.
        #expect(checks(report, "not_checked") == ["cron"])

        // I7: what it sent, it sent with the token that the tick had made, to the one host that is the key's.
        #expect(try await world.value("select count(*) from cuecard.provider_token") == "2")
        let before = Set(world.simulator.requests.compactMap { $0.header("authorization") })
        _ = try await Binary.run(["doctor"], environment: healthy(world))
        #expect(Set(world.simulator.requests.compactMap { $0.header("authorization") }) == before)
        // Nothing but the probes reached the phones' service, and no phone.
        #expect(world.simulator.requests.filter { $0.kind == .wake }.allSatisfy { $0.verdict != .accepted })
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The finding's check, and what its line must name.
        var check: String
        var says: [String]
        var breaks: @Sendable (World, inout [String: String]) async throws -> Void

        init(
            _ name: String, _ check: String, _ says: [String],
            _ breaks: @escaping @Sendable (World, inout [String: String]) async throws -> Void
        ) {
            (testDescription, self.check, self.says, self.breaks) = (name, check, says, breaks)
        }

        static func sql(_ name: String, _ check: String, _ says: [String], _ statements: String) -> Fault {
            Fault(name, check, says) { world, _ in try await world.database.sql(statements) }
        }

        static func set(_ name: String, _ check: String, _ says: [String], _ change: [String: String]) -> Fault {
            Fault(name, check, says) { _, environment in environment.merge(change) { $1 } }
        }
    }

    @Test(arguments: [
        Fault.set("no database", "database", ["cannot be reached"], ["DATABASE_URL": "postgresql:///x?host=/nowhere"]),
        .set("malformed URL", "database", ["DATABASE_URL", "postgresql://"], ["DATABASE_URL": "mysql://x"]),
        Fault("not migrated", "migrations", ["cuecard migrate"]) { _, environment in
            environment["DATABASE_URL"] = try await TestDatabase.empty().url(user: "cuecard_worker")
        },
        .sql(
            "a migration is missing", "migrations", ["0013_spared_tokens", "cuecard migrate"],
            "delete from cuecard.migration where name like '%0013%'"),
        .sql(
            "a newer version was here", "migrations", ["9999_future"],
            "insert into cuecard.migration (name) values ('migrations/9999_future.sql')"),
        .sql(
            "the worker reads a table", "worker_rights", ["cuecard.device", "revoke"],
            "grant select on cuecard.device to cuecard_worker"),
        .sql(
            "the worker calls an app's function", "worker_rights", ["forget_user"],
            "grant execute on function cuecard.forget_user to cuecard_worker"),
        .sql(
            "the worker lacks a function", "worker_rights", ["fan_out", "cuecard migrate"],
            "revoke execute on function cuecard.fan_out from cuecard_worker"),
        .sql(
            "no row security", "row_security", ["event", "enable row level security"],
            "alter table cuecard.event disable row level security"),
        .sql(
            "a paused lane", "lane", ["paused", "InvalidProviderToken", "paused_until = null, probe_at = null where"],
            "update cuecard.lane set paused_until = now() + interval '15 min', pause_reason = 'InvalidProviderToken'"),
        .sql(
            "spared tokens", "lane", ["are kept", "spares_tokens_until = null where", World.bundleID],
            "update cuecard.lane set spares_tokens_until = now() + interval '1 h'"),
        .sql("a lane that is tried out", "lane", ["five devices"], "update cuecard.lane set probe_at = now()"),
        .sql(
            "suspect start tokens", "start_tokens", ["1 device ", "failing_devices"],
            "update cuecard.device set suspect_since = now()"),
        .sql(
            "work waits and nobody ticks", "last_tick", ["work waits", "serve --every"],
            "update cuecard.device set next_due_at = now() - interval '10 min'; update cuecard.tick set started_at = now() - interval '1 h'"
        ),
        .sql(
            "devices are overdue", "overdue", ["production", "1 device "],
            "update cuecard.device set next_due_at = now() - interval '10 min'"),
        .sql("no app row", "app", [World.bundleID, "insert into cuecard.app"], "delete from cuecard.app"),
        .sql(
            "pg_net gives up too early", "timeout", ["1000 ms", "schedule.sql"],
            "create function cuecard.call_tick() returns text language sql as $$ select 'timeout_milliseconds => 1000' $$"
        ),
        .set(
            "no key for a lane", "lane", ["production", World.bundleID, "APNS_PRODUCTION_KEY_ID"],
            ["APNS_PRODUCTION_KEY_ID": "", "APNS_PRODUCTION_PRIVATE_KEY": ""]),
        .set(
            "an RSA key", "settings", ["APNS_PRODUCTION_PRIVATE_KEY"], ["APNS_PRODUCTION_PRIVATE_KEY": KeyText.rsa]),
        .set("a short team id", "settings", ["APNS_TEAM_ID", "10"], ["APNS_TEAM_ID": "TEAM1"]),
        .set("a short secret", "cron_secret", ["openssl rand"], ["CRON_SECRET": "secret"]),
        .set(
            "a short former secret", "cron_secret", ["CRON_SECRET_PREVIOUS", "openssl rand"],
            ["CRON_SECRET_PREVIOUS": "secret"]),
        .set("an untrusted host", "apns", ["PRODUCTKEY", "APNS_CA_FILE"], ["APNS_CA_FILE": ""]),
        .set("no such host", "apns", ["SANDBOXKEY"], ["APNS_SANDBOX_URL": "https://127.0.0.1:1"]),
        Fault("another private key", "apns", ["403 InvalidProviderToken", "key id, team id"]) { world, environment in
            environment["APNS_PRODUCTION_PRIVATE_KEY"] = try SigningKeyPair().privateKeyPEM
        },
        Fault("a key file that everybody reads", "key_file", ["chmod 600"]) { _, environment in
            let path = NSTemporaryDirectory() + "/cuecard-test-\(UUID().uuidString).p8"
            try Data((environment["APNS_PRODUCTION_PRIVATE_KEY"] ?? "").utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
            environment["APNS_PRODUCTION_PRIVATE_KEY"] = ""
            environment["APNS_PRODUCTION_PRIVATE_KEY_PATH"] = path
        },
        Fault("a role without rights", "worker_rights", ["cuecard_worker"]) { world, environment in
            let role = "nobody_\(UUID().uuidString.prefix(8).lowercased())"
            try await world.database.sql("create role \(role) login; grant usage on schema cuecard to \(role)")
            environment["DATABASE_URL"] = try world.database.url(user: role)
        },
    ])
    func aFaultIsNamed(_ fault: Fault) async throws {
        let world = try await ticked()
        var environment = try healthy(world)
        try await fault.breaks(world, &environment)
        let result = try await Binary.run(["doctor", "--json"], environment: environment)
        #expect(result.code == 1, "\(result.output) \(result.errors)")
        let report = try JSON(parsing: result.output)
        guard case .array(let findings)? = report["findings"] else {
            Issue.record("no findings: \(result.output)")
            return
        }
        let lines = findings.filter { $0["check"] == .string(fault.check) }.map(\.description)
        #expect(lines.contains { line in fault.says.allSatisfy(line.contains) }, "\(findings)")
        for finding in findings { #expect(finding["mend"] != nil) }
        // I8: neither a key nor a secret.
        #expect(!result.output.contains("PRIVATE KEY-----"))
        #expect(!result.output.contains(healthySecret))

        let text = try await Binary.run(["doctor"], environment: environment)
        #expect(text.output.contains("FINDING      \(fault.check): "))
        if let path = environment["APNS_PRODUCTION_PRIVATE_KEY_PATH"] { unlink(path) }
    }

    private func checks(_ report: JSON, _ list: String) -> [String] {
        guard case .array(let lines)? = report[list] else { return [] }
        return lines.compactMap { line in
            guard case .string(let check)? = line["check"] else { return nil }
            return check
        }
    }

    private let healthySecret = "0123456789abcdef0123456789abcdef"

    private func healthy(_ world: World) throws -> [String: String] {
        try world.environment().merging(["CRON_SECRET": healthySecret]) { $1 }
    }

    /// A phone, and a tick that planned it; nothing is due any more.
    private func ticked() async throws -> World {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let result = try await Binary.run(["tick"], environment: world.environment())
        #expect(result.code == 0, "\(result.errors)")
        return world
    }
}
