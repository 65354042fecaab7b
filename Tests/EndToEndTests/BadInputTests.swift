import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// Bad input ends in one clear line that names the thing and the mend, and in the exit code of sysexits.h.
@Suite struct BadInputTests {
    private static let key: String = {
        do { return try SigningKeyPair().privateKeyPEM } catch { return "" }
    }()

    private static let good = [
        "DATABASE_URL": "postgresql:///x?host=/nowhere", "APNS_TEAM_ID": "TESTTEAM01", "APNS_KEY_ID": "TESTKEY001",
        "APNS_PRIVATE_KEY": key, "CRON_SECRET": "secret",
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        var words: [String]
        var change: [String: String] = [:]
        var code: Int32
        var says: [String]
        var testDescription: String { "\(words) \(change.keys.sorted()) → \(code)" }
    }

    @Test(arguments: [
        Case(words: [], code: 64, says: ["cuecard help"]),
        Case(words: ["tock"], code: 64, says: ["\"tock\""]),
        Case(words: ["tick", "--later"], code: 64, says: ["--later"]),
        Case(words: ["tick", "--now", "yesterday"], code: 64, says: ["--now", "yesterday", "2026-03-01T09:00:00Z"]),
        Case(words: ["tick", "--now", "2026-02-30T09:00:00Z"], code: 64, says: ["--now"]),
        Case(words: ["tick", "--now", "2026-03-01T09:00:00"], code: 64, says: ["--now"]),
        Case(words: ["tick", "--now"], code: 64, says: ["--now needs a value"]),
        Case(words: ["tick"], change: ["DATABASE_URL": ""], code: 78, says: ["DATABASE_URL is missing"]),
        Case(words: ["tick"], code: 69, says: ["database cannot be reached", "DATABASE_URL"]),
        Case(words: ["migrate"], code: 69, says: ["database cannot be reached"]),
        Case(words: ["tick"], change: ["APNS_KEY_ID": "", "APNS_PRIVATE_KEY": ""], code: 78, says: ["no APNs key"]),
        Case(
            words: ["tick"], change: ["APNS_PRIVATE_KEY": ""], code: 78,
            says: ["APNS_PRODUCTION_PRIVATE_KEY is missing"]),
        Case(words: ["tick"], change: ["APNS_TEAM_ID": ""], code: 78, says: ["APNS_TEAM_ID is missing"]),
        Case(words: ["tick"], change: ["APNS_PRIVATE_KEY": "no key"], code: 78, says: ["APNS_PRIVATE_KEY"]),
        Case(
            words: ["tick"], change: ["APNS_PRIVATE_KEY": String(key.prefix(100))], code: 78, says: ["APNS_PRIVATE_KEY"]
        ),
        Case(words: ["tick"], change: ["APNS_PRIVATE_KEY": KeyText.rsa], code: 78, says: ["APNS_PRIVATE_KEY"]),
        Case(words: ["tick"], change: ["APNS_PRIVATE_KEY": KeyText.encrypted], code: 78, says: ["APNS_PRIVATE_KEY"]),
        Case(
            words: ["tick"], change: ["APNS_PRIVATE_KEY": "", "APNS_PRIVATE_KEY_PATH": "/nowhere/key.p8"], code: 78,
            says: ["APNS_PRIVATE_KEY_PATH", "cannot be read"]),
        Case(words: ["tick"], change: ["APNS_CA_FILE": "/nowhere/ca.pem"], code: 78, says: ["APNS_CA_FILE"]),
        Case(words: ["tick"], change: ["APNS_PRODUCTION_URL": "apple"], code: 78, says: ["APNS_PRODUCTION_URL"]),
        Case(
            words: ["tick"], change: ["APNS_SANDBOX_URL": "http://127.0.0.1:1"], code: 78,
            says: ["APNS_SANDBOX_URL", "https://HOST:PORT"]),
        Case(
            words: ["tick"], change: ["APNS_PRODUCTION_URL": "https://127.0.0.1/3/device"], code: 78,
            says: ["APNS_PRODUCTION_URL", "https://HOST:PORT"]),
        Case(words: ["tick"], change: ["APNS_TEAM_ID": "TEAM1"], code: 78, says: ["APNS_TEAM_ID has 5 characters"]),
        Case(
            words: ["tick"], change: ["DATABASE_URL": "mysql://x"], code: 78,
            says: ["DATABASE_URL cannot be read", "postgresql://"]),
        Case(
            words: ["tick"], change: ["DATABASE_URL": "postgresql://user:pass%zzword@host/x"], code: 78,
            says: ["DATABASE_URL cannot be read", "percent-encoded"]),
        Case(
            words: ["migrate"], change: ["DATABASE_URL": "postgresql://127.0.0.1:port/x"], code: 78,
            says: ["DATABASE_URL cannot be read"]),
        Case(words: ["tick"], change: ["TICK_BUDGET_SECONDS": "soon"], code: 78, says: ["TICK_BUDGET_SECONDS"]),
        Case(
            words: ["tick"], change: ["TICK_BUDGET_SECONDS": "soon", "LOG_LEVEL": "loud"], code: 78,
            says: ["TICK_BUDGET_SECONDS", "LOG_LEVEL"]),
        Case(
            words: ["tick"],
            change: ["APNS_TOKEN_MINUTES": "60", "KEEP_ATTEMPTS_DAYS": "0", "KEEP_RUNS_DAYS": "ever"], code: 78,
            says: [
                "APNS_TOKEN_MINUTES is \"60\"", "20 to 55", "KEEP_ATTEMPTS_DAYS is \"0\"", "KEEP_RUNS_DAYS is \"ever\"",
            ]),
        Case(words: ["serve"], change: ["CRON_SECRET": ""], code: 78, says: ["CRON_SECRET is empty"]),
        Case(
            words: ["tick"], change: ["APNS_KEY_ID": "", "APNS_PRIVATE_KEY": "", "LOG_LEVEL": "loud"], code: 78,
            says: ["no APNs key", "LOG_LEVEL"]),
        Case(
            words: ["tick"],
            change: ["APNS_TEAM_ID": "", "APNS_SANDBOX_KEY_ID": "TESTKEY002", "APNS_SANDBOX_PRIVATE_KEY": key],
            code: 78,
            says: ["cuecard: APNS_TEAM_ID is missing; set it to the 10-character team id of the Apple account\n"]),
        Case(
            words: ["serve"], change: ["CRON_SECRET": "", "CRON_SECRET_PREVIOUS": "0123456789abcdef"], code: 78,
            says: ["CRON_SECRET is empty"]),
        Case(words: ["tick", "--now", "0001-01-01T00:00:00Z"], code: 64, says: ["--now", "1970"]),
        Case(
            words: ["migrate"], change: ["DATABASE_URL": "postgresql://u:pass@word@127.0.0.1:1/x"], code: 78,
            says: ["DATABASE_URL cannot be read", "more than one @"]),
        Case(words: ["serve"], change: ["CRON_SECRET": "   "], code: 78, says: ["CRON_SECRET", "blank"]),
        Case(
            words: ["serve"], change: ["CRON_SECRET_PREVIOUS": "0123456789abcdef\n"], code: 78,
            says: ["CRON_SECRET_PREVIOUS", "line's end"]),
        Case(
            words: ["tick"], change: ["APNS_KEY_ID": "AuthKey_1.p8"], code: 78,
            says: ["APNS_KEY_ID: the key id must be"]),
        Case(
            words: ["tick"], change: ["APNS_TEAM_ID": "TEAM-00001"], code: 78,
            says: ["APNS_TEAM_ID: the team id must be"]),
        Case(
            words: ["tick"], change: ["APNS_PRIVATE_KEY_PATH": "/nowhere/key.p8"], code: 78,
            says: ["APNS_PRIVATE_KEY and APNS_PRIVATE_KEY_PATH are both set"]),
        Case(words: ["serve", "--listen", "nowhere"], code: 78, says: ["nowhere"]),
        Case(words: ["simulator", "--port", "high"], code: 64, says: ["--port", "high"]),
        Case(
            words: ["simulator", "--port", "0", "--public-key", "KEY=/nowhere/key.pem"], code: 78,
            says: ["/nowhere/key.pem"]),
    ])
    func isRefusedClearly(_ bad: Case) async throws {
        let environment = Self.good.merging(bad.change) { $1 }
        let result = try await Binary.run(bad.words, environment: environment)
        #expect(result.code == bad.code, "\(result.errors)")
        for text in bad.says { #expect(result.errors.contains(text), "\(result.errors)") }
        // One line a problem, no stack trace, and never a key.
        #expect(result.errors.split(separator: "\n").count <= max(1, bad.change.count))
        #expect(result.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("cuecard: ") })
        #expect(!result.errors.contains("pass@word") && !result.errors.contains("word@"))
        #expect(!result.errors.contains(Self.key.split(separator: "\n").dropFirst().first ?? "-"))
    }

    @Test func aPortInUseIsNamed() async throws {
        let world = try await World.make()
        let port = try #require(world.simulator.url(.production).split(separator: ":").last)
        var environment = try world.environment()
        environment["CRON_SECRET"] = "secret"
        let served = try await Binary.run(["serve", "--listen", "127.0.0.1:\(port)"], environment: environment)
        #expect(served.code == 78)
        #expect(served.errors.contains("\(port)"))
        let simulated = try await Binary.run(["simulator", "--port", "\(port)"], environment: environment)
        #expect(simulated.code == 78)
        #expect(simulated.errors.contains("\(port)"))
    }

    /// What passes by itself is no wrong configuration.
    @Test func aLockThatSomebodyHoldsIsUnavailability() async throws {
        let world = try await World.make()
        let environment = try world.environment()
        async let held = world.database.sql(
            "begin; lock table cuecard.device in access exclusive mode; select pg_sleep(12); commit")
        try await eventually("the lock is held") {
            try await world.value(
                "select count(*) from pg_locks where relation = 'cuecard.device'::regclass and mode = 'AccessExclusiveLock' and granted"
            ) == "1"
        }
        let result = try await Binary.run(["tick"], environment: environment)
        #expect(result.code == 69, "\(result.errors)")
        #expect(result.errors.contains("55P03") && result.errors.contains("pg_stat_activity"))
        _ = try await held
    }

    /// I12: what cannot be read costs its own card, and no other.
    @Test func oneBadRowNeverStopsTheOthers() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.register(Device.ben, of: "ben")
        try await world.addEvent("Unknown zone", zone: "Mars/Olympus")
        try await world.addEvent("Malformed rule", rrule: "FREQ=SOMETIMES")
        try await world.addEvent("Too fine", rrule: "FREQ=MINUTELY")
        try await world.addEvent("Good")
        let ids = try await world.addEvent("Ben's", owner: "ben")
        await #expect(throws: (any Error).self) {
            try await world.backend("update cuecard.event set duration = '-1 hour' where id = '\(ids.event)'")
        }
        try await world.backend(
            "insert into cuecard.app (bundle_id, attributes_type, content_state) values ('com.example.bad', 'T', '{\"a\": \"{{event.nothing}}\"}')"
        )
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.compactMap { $0.content("title") }.sorted() == ["Ben's", "Good"])

        let report = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:01:00Z", "--json"], environment: world.environment())
        #expect(report.code == 0)
        try await world.backend("update cuecard.event set title = title")
        let again = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:02:00Z", "--json"], environment: world.environment())
        #expect(again.errors.contains("Mars/Olympus"))
        #expect(again.errors.contains("SOMETIMES"))
        #expect(again.output.contains(#""skipped":3"#))
    }

    /// A template with a typing error starts nothing, and the log names column and place.
    @Test func aBadTemplateIsNamed() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        try await world.backend(#"update cuecard.app set content_state = '{"t": "{{event.titel}}"}'"#)
        let result = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:00:00Z", "--json"], environment: world.environment())
        #expect(result.code == 0)
        #expect(world.simulator.requests.isEmpty)
        for text in [World.bundleID, "content_state", "event.titel"] { #expect(result.errors.contains(text)) }
    }

    /// `--dry-run` writes nothing and sends nothing.
    @Test func aDryRunListsWhatATickWouldDo() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let ids = try await world.addEvent()
        let look =
            "select (select count(*) from cuecard.run) || ' ' || (select count(*) from cuecard.tick) || ' ' || (select count(*) from cuecard.change)"
        let before = try await world.value(look)
        let dry = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:00:00Z", "--dry-run", "--json"], environment: world.environment())
        #expect(dry.code == 0)
        #expect(try await world.value(look) == before)
        #expect(world.simulator.requests.isEmpty)
        let report = try JSON(parsing: dry.output)
        #expect(report["started"] == 1)
        #expect(
            report["actions"]?[0] == [
                "device": .string(Device.mina), "event": .string(ids.event), "occurrence": "2026-03-02T15:00:00",
                "action": "start", "reason": "window_open",
            ])
        #expect(try await world.tick("2026-03-02T05:00:00Z").kinds == [.start])
    }
}
