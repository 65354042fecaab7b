import Foundation
import LiveActivity
import PostgresStore
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// Odd arguments and odd templates: each is taken or refused with a clear error, and nothing else is lost.
///
/// `scripts/hunt fuzz 600` is the long run, half of it for each; `HUNT_FUZZ` and `HUNT_SEED` are how it tells the tests.
@Suite struct FuzzTests {
    private static let time: Duration = .seconds((Hunt.number("HUNT_FUZZ") ?? 8) / 2)

    // MARK: RPC arguments

    /// What the app may call, and its arguments.
    private static let rpcs: [(name: String, arguments: [String])] = [
        (
            "register_device",
            [
                "device_id", "bundle_id", "apns_environment", "time_zone", "locale", "push_to_start_token",
                "wake_token",
                "expo_token", "shows_personal", "shows_shared", "live_activities_enabled", "frequent_pushes_enabled",
                "os_version", "app_version",
            ]
        ),
        ("unregister_device", ["device_id"]),
        ("register_activity", ["run_id", "activity_id", "update_token", "device_id", "event_id", "occurrence"]),
        ("report_activity", ["run_id", "activity_id", "state"]),
    ]

    @Test(.timeLimit(.minutes(15))) func anyArgumentIsTakenOrRefusedWithTheMend() async throws {
        let database = try await TestDatabase.fresh()
        try await database.sql("alter role cuecard_worker login")
        let scene = try Scene(owner: database.url(), worker: database.url(user: "cuecard_worker"))
        try await scene.settle(phones: 4)
        let opens = Date(timeIntervalSince1970: 1_772_409_600)
        let event = try await scene.addEvent("Dentist", startsAt: opens + 1800)
        try await scene.tick(at: opens)
        let run = try await scene.look("select id from cuecard.run limit 1") ?? ""
        let known = [run, event, Scene.device(0), Scene.bundleID, "production", "Asia/Seoul", "dismissed"]

        var odd = OddInput(seed: Hunt.seed, known: known)
        var codes: [String: Int] = [:]
        let deadline = ContinuousClock.now + Self.time
        while ContinuousClock.now < deadline {
            let (name, all) = Self.rpcs[Int.random(in: 0..<Self.rpcs.count, using: &odd.random)]
            // Mostly with the first argument, which most of them need, and mostly of the right type.
            let arguments = all.filter { $0 == all[0] || Bool.random(using: &odd.random) }
            let values = arguments.map { argument in
                Int.random(in: 0..<8, using: &odd.random) == 0 ? odd.text() : plausible(argument, run, event, &odd)
            }
            let list = zip(arguments, 1...).map { "\($0) => $\($1)" }.joined(separator: ", ")
            let user = ["user0", "user1", "", odd.text() ?? "x"].randomElement(using: &odd.random) ?? ""
            let code = await answer(
                scene.connection, Statement("fuzz", "select cuecard.\(name)(\(list))", values), as: user)
            codes[code.code, default: 0] += 1
            if let problem = code.problem {
                let said = zip(arguments, values).map { "\($0)=\($1.map { String($0.prefix(60)) } ?? "null")" }
                Issue.record("seed \(Hunt.seed): \(name): \(problem); \(said)")
                return
            }
        }
        Hunt.say(
            "RPC calls by answer: \(codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }), seed \(Hunt.seed)"
        )
        #expect(codes["ok", default: 0] > 0 && codes.count > 3, "the arguments were too odd to prove anything")
        // Whatever was stored by that, a tick gets through.
        #expect(try await scene.tick(at: opens + 60).code == 0)
        #expect(try await scene.look("select count(*) from cuecard.device where claimed_until is not null") == "0")
    }

    /// What has the argument's type.
    private func plausible(_ argument: String, _ run: String, _ event: String, _ odd: inout OddInput) -> String? {
        let values: [String?]
        switch argument {
        case "run_id": values = [run, event, nil]
        case "event_id": values = [event, run, nil]
        case "device_id": values = (0...5).map(Scene.device)
        case "occurrence": values = ["2026-03-02T00:30:00", "infinity", "0001-01-01", "294276-12-31", nil]
        case "state": values = ["dismissed", "ended", "missing", "stale", "opened", odd.text()]
        case "apns_environment": values = ["production", "sandbox", odd.text()]
        case "bundle_id": values = [Scene.bundleID, nil, odd.text()]
        case "time_zone": values = ["Asia/Seoul", "America/St_Johns", nil, odd.text()]
        case "push_to_start_token", "wake_token", "update_token": values = ["", "aabb01", "ccdd02", nil, odd.text()]
        case _ where argument.hasPrefix("shows_") || argument.hasSuffix("_enabled"): values = ["true", "false", nil]
        default: values = [odd.text()]
        }
        return values.randomElement(using: &odd.random) ?? nil
    }

    /// The SQLSTATE of a call, and what is wrong with that answer.
    private func answer(
        _ connection: Connection, _ statement: Statement, as user: String
    ) async -> (code: String, problem: String?) {
        do {
            _ = try await connection.run(statement, as: user)
            return ("ok", nil)
        } catch PostgresError.refused(let refusal) {
            let ours = ["22004", "22023", "23503", "28000", "42501"].contains(refusal.code)
            // A text that is no uuid, no boolean or no timestamp never reaches the function.
            let isType =
                ["22P02", "22007", "22008", "22009", "22021"].contains(refusal.code)
                || refusal.message.hasPrefix("time zone") && refusal.message.hasSuffix("not recognized")
            // A function without its first argument does not exist.
            let isMissing = refusal.code == "42883"
            if ours, !isType, refusal.hint == nil { return (refusal.code, "\(refusal.message): no hint") }
            return (refusal.code, ours || isType || isMissing ? nil : "\(refusal.code) \(refusal.message)")
        } catch {
            return ("none", "\(error)")
        }
    }

    // MARK: Templates

    @Test(.timeLimit(.minutes(15))) func anyTemplateIsRefusedOrFits() async throws {
        var odd = OddInput(seed: Hunt.seed, known: ["{{run.id}}", "{{event.title}}", "{{occurrence.start|swift}}"])
        var (tried, refused, sent) = (0, 0, 0)
        let deadline = ContinuousClock.now + Self.time
        while ContinuousClock.now < deadline {
            tried += 1
            let columns = (0..<3).map { _ in Bool.random(using: &odd.random) ? nil : odd.template(depth: 3) }
            do {
                let template = try CardTemplate(
                    attributesType: "FamilyEventAttributes", attributes: columns[0], contentState: columns[1],
                    alert: columns[2])
                let context = CardContext(
                    runID: UUID(), eventID: UUID(), title: odd.text() ?? "", location: odd.text(),
                    details: odd.template(depth: 2), start: Date(timeIntervalSince1970: 1_772_411_400),
                    end: Date(timeIntervalSince1970: 1_772_415_000), phase: .upcoming, minutes: 30, locale: odd.text())
                let start = try CardPayload.start(
                    template: template, context: context, timestamp: 1_772_409_600, staleDate: 1_772_415_000,
                    inputPushToken: true)
                let update = try CardPayload.update(
                    template: template, context: context, timestamp: 1_772_409_601, staleDate: nil)
                for body in [start, update] {
                    #expect(body.count <= 4096, "seed \(Hunt.seed), template \(tried)")
                    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body)) }
                }
                sent += 1
            } catch let error as TemplateError {
                #expect(!error.problems.isEmpty)
                refused += 1
            } catch is PayloadError {
                refused += 1
            }
        }
        Hunt.say("templates \(tried): refused \(refused), sent \(sent), seed \(Hunt.seed)")
        #expect(sent > 0 && refused > 0, "the templates were too odd, or too plain, to prove anything")
    }
}

/// Text and JSON that nobody expects, from a seed.
struct OddInput {
    var random: SplitMix64
    /// What is valid somewhere, mixed in so that calls get far.
    private let known: [String]

    init(seed: UInt64, known: [String]) {
        random = SplitMix64(seed: seed)
        self.known = known
    }

    private static let pieces = [
        "", " ", "0", "-1", "true", "null", "{}", "[]", "'", "\"", "\\", "%s", "$1", "--", ";", "\u{202E}", "\u{FEFF}",
        "👨‍👩‍👧‍👦", "é", "한", "\n", "\t", "\u{1}", "infinity", "-infinity", "NaN", "9999-12-31T23:59:59", "0001-01-01",
        "2026-02-30T10:00",
        "294277-01-01", "aabb", "ExponentPushToken[x]", "{{", "}}", "{{run.id}}", "{{event.details.a.b}}",
        "{{minutes|unix}}",
        "{{nothing}}", "{{occurrence.end|iso8601}}", "00000000-0000-0000-0000-000000000000", "99999999999999999999",
    ]

    /// Some text; nil: none.
    mutating func text() -> String? {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return nil
        case 1...4: return known.randomElement(using: &random)
        case 5...7:
            let count = Int.random(in: 1...4, using: &random)
            return (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
        case 8:
            return String((0..<Int.random(in: 1...40, using: &random)).map { _ in scalar() }.map(Character.init))
        default:
            let piece = Self.pieces.randomElement(using: &random) ?? ""
            return String(repeating: piece, count: Int.random(in: 1...3000, using: &random))
        }
    }

    private mutating func scalar() -> Unicode.Scalar {
        Unicode.Scalar(UInt32.random(in: 1...0x10FFFF, using: &random)) ?? "x"
    }

    /// Some JSON, placeholders among its strings.
    mutating func template(depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .int(Int64.random(in: .min...(.max), using: &random))
        case 3: return .double(Double.random(in: -1e300...1e300, using: &random))
        case 4, 5: return .string(text() ?? "")
        case 6: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in template(depth: depth - 1) })
        default:
            var object: [String: JSON] = Bool.random(using: &random) ? ["id": "{{run.id}}"] : [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) { object[text() ?? "key"] = template(depth: depth - 1) }
            return .object(object)
        }
    }
}
