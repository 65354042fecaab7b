import Foundation
import LiveActivity
import Planning
import PostgresStore
import TestSupport
import Testing
import Tick

/// Whole ticks on a real database; only what APNs says is made up.
@Suite("Ticks on the database", .fewAtATime)
struct PassTests {
    /// Half an hour before the class.
    private let now = Date(timeIntervalSince1970: 1_780_302_600)  // 2026-06-01 08:30Z

    private func world(more: String = "") async throws -> World {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1), wake: token(2), more: more)
        return world
    }

    @Test("FR-67: sending takes longer than the tick's interval and the lease, with two replicas: one start")
    func slowSend() async throws {
        let world = try await world()
        let (slow, other) = (APNs(), APNs())
        slow.meanwhile = {
            _ = try await tick(at: now + 60, with: other.clients(world.worker("second")))
            try await world.expireLeases()
            _ = try await tick(at: now + 120, with: other.clients(world.worker("second")))
        }
        let report = try await tick(at: now, with: slow.clients(world.worker("first")))
        #expect(report.started == 1)
        _ = try await tick(at: now + 180, with: other.clients(world.worker("second")))
        #expect(slow.pushes.map(\.event) == [.start])
        #expect(other.pushes.map(\.event) == [])
        #expect(try await world.sql("select state, generation from cuecard.run") == [["accepted", "1"]])
    }

    @Test("Eight workers tick at once over two hundred devices: each gets one start")
    func manyWorkers() async throws {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.calendar set kind = 'shared'")
        try await world.fleet(200, due: "'-infinity'")
        try await world.sql(
            "insert into cuecard.calendar_member select $1::uuid, user_id from cuecard.device", World.calendar)
        let apns = APNs()
        let moment = now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let worker = try world.worker("\(number)")
                group.addTask {
                    _ = try await tick(at: moment, with: apns.clients(worker), settings: TickSettings(batch: 9))
                }
            }
            try await group.waitForAll()
        }
        #expect(apns.pushes.count == 200)
        #expect(Set(apns.pushes.map(\.token)).count == 200)
        #expect(try await world.sql("select distinct state from cuecard.run") == [["accepted"]])
    }

    @Test("I9: an idle tick asks four things of the database, and none of them is about a device")
    func idle() async throws {
        let world = try await World.withEvent()
        try await world.fleet(10, due: "'2027-01-01Z'")
        var clients = try APNs().clients(world.worker())
        let idle = clients
        let calls = Calls()
        clients.begin = {
            calls.note("begin")
            return try await idle.begin($0, $1)
        }
        clients.fanOut = {
            calls.note("fan out")
            return try await idle.fanOut()
        }
        clients.claim = {
            calls.note("claim")
            return try await idle.claim($0, $1, $2)
        }
        clients.peek = {
            calls.note("peek")
            return try await idle.peek($0, $1, $2)
        }
        clients.load = {
            calls.note("load")
            return try await idle.load($0, $1)
        }
        clients.recordIntent = {
            calls.note("intent")
            return try await idle.recordIntent($0, $1, $2)
        }
        clients.recordOutcomes = {
            calls.note("outcomes")
            return try await idle.recordOutcomes($0, $1)
        }
        clients.reschedule = {
            calls.note("reschedule")
            try await idle.reschedule($0, $1)
        }
        clients.finish = {
            calls.note("finish")
            try await idle.finish($0, $1)
        }
        _ = try await tick(at: now, with: clients)
        #expect(calls.names == ["begin", "fan out", "claim", "finish"])
    }

    private final class Calls: @unchecked Sendable {  // `lock` guards `noted`
        private let lock = NSLock()
        private var noted: [String] = []
        var names: [String] { lock.withLock { noted } }
        func note(_ name: String) { lock.withLock { noted.append(name) } }
    }

    @Test("FR-69: killed after the 200: no second start; the repeated update has the same content")
    func killed() async throws {
        let world = try await world()
        let apns = APNs()
        apns.isKilledBeforeRecording = true
        await #expect(throws: Killed.self) { _ = try await tick(at: now, with: apns.clients(world.worker())) }
        apns.isKilledBeforeRecording = false
        try await world.expireLeases()
        for minute in 1...5 { _ = try await tick(at: now + Double(minute) * 60, with: apns.clients(world.worker())) }
        #expect(apns.pushes.map(\.event) == [.start])
        #expect(try await world.sql("select state, reason from cuecard.run") == [["unknown", "no_answer"]])

        let run = try await world.value("select id from cuecard.run") ?? ""
        try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'aabb')", run)
        try await world.sql("update cuecard.event set title = 'Other'")
        apns.isKilledBeforeRecording = true
        await #expect(throws: Killed.self) { _ = try await tick(at: now + 600, with: apns.clients(world.worker())) }
        apns.isKilledBeforeRecording = false
        try await world.expireLeases()
        _ = try await tick(at: now + 660, with: apns.clients(world.worker()))
        let updates = try apns.pushes.filter { $0.event == .update }.map { try JSON(parsing: $0.payload)["aps"] }
        #expect(updates.count == 2)
        #expect(updates[0]?["content-state"] == updates[1]?["content-state"])
        #expect(updates[0]?["timestamp"] != updates[1]?["timestamp"])
        #expect(try await world.value("select content ->> 'title' from cuecard.run") == "Other")
    }

    @Test("FR-18: a dismissed card stays away for its occurrence, and the next one starts as usual")
    func dismissed() async throws {
        let world = try await world()
        try await world.sql("update cuecard.event set rrule = 'FREQ=DAILY'")
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        let run = try await world.value("select id from cuecard.run") ?? ""
        try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'aabb')", run)
        _ = try await tick(at: now + 60, with: apns.clients(world.worker()))
        try await world.call("ann", "cuecard.report_activity($1::uuid, 'A', 'dismissed')", run)
        let before = apns.pushes.count
        for minute in 2...5 {
            try await world.sql("update cuecard.event set title = $1", "Title \(minute)")
            _ = try await tick(at: now + Double(minute) * 60, with: apns.clients(world.worker()))
        }
        _ = try await tick(at: now + 3600, with: apns.clients(world.worker()))
        #expect(apns.pushes.count == before)
        _ = try await tick(at: now + 86_400, with: apns.clients(world.worker()))
        #expect(apns.pushes.dropFirst(before).map(\.event) == [.start])
    }

    @Test("FR-35: switched off: an end to the live token at once, then five ticks of silence")
    func switchedOff() async throws {
        let world = try await world()
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        let run = try await world.value("select id from cuecard.run") ?? ""
        try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'aabb')", run)
        try await world.register("ann", 1, more: ", live_activities_enabled => false")
        for minute in 1...6 { _ = try await tick(at: now + Double(minute) * 60, with: apns.clients(world.worker())) }
        #expect(apns.pushes.map(\.event) == [.start, .end])
        #expect(apns.pushes.last?.token == PushToken("aabb"))
        #expect(try await world.sql("select state, update_token from cuecard.run") == [["ended", nil]])
    }

    @Test("FR-22: after the token rotated, the next push goes to the new one alone")
    func rotation() async throws {
        let world = try await world()
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        let run = try await world.value("select id from cuecard.run") ?? ""
        for hex in ["aa", "bb"] {
            try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', $2)", run, hex)
        }
        try await world.sql("update cuecard.event set title = 'Other'")
        _ = try await tick(at: now + 60, with: apns.clients(world.worker()))
        try await world.sql("delete from cuecard.event")
        _ = try await tick(at: now + 120, with: apns.clients(world.worker()))
        #expect(apns.pushes.dropFirst().map(\.event) == [.update, .end])
        #expect(apns.pushes.dropFirst().map(\.token) == [PushToken("bb"), PushToken("bb")])
        #expect(try await world.value("select count(*) from cuecard.run") == "1")
    }

    @Test("FR-68: 503: the start goes out once more after its wait, with the same collapse id")
    func retried() async throws {
        let world = try await world()
        let apns = APNs()
        apns.answer = { _ in .rejected(.init(status: 503, reason: "ServiceUnavailable")) }
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        #expect(apns.pushes.count == 1)
        #expect(try await world.device(1, "claimed_until") == nil)
        apns.answer = { _ in .accepted }
        for minute in 1...20 { _ = try await tick(at: now + Double(minute) * 60, with: apns.clients(world.worker())) }
        #expect(apns.pushes.map(\.event) == [.start, .start])
        #expect(apns.pushes[0].collapseID == apns.pushes[1].collapseID)
        #expect(try await world.value("select state from cuecard.run") == "accepted")
    }

    @Test(
        "Whatever APNs refuses, one tick sends it once: no answer leads round in a circle",
        arguments: [
            PushOutcome.rejected(.init(status: 410, reason: "Unregistered", since: Date(timeIntervalSince1970: 0))),
            .rejected(.init(status: 410, reason: "Unregistered")),
            .rejected(.init(status: 400, reason: "BadDeviceToken")),
            .rejected(.init(status: 400, reason: "DeviceTokenNotForTopic")),
            .rejected(.init(status: 403, reason: "InvalidProviderToken")),
            .rejected(.init(status: 429, reason: "TooManyRequests")),
            .rejected(.init(status: 413, reason: "PayloadTooLarge")),
            .rejected(.init(status: 503, reason: "")), .rejected(.init(status: 418, reason: "New")),
            .failed(.notProcessed("refused stream")),
            .failed(.unknown("no answer")),
        ])
    func noCircle(outcome: PushOutcome) async throws {
        let world = try await world()
        // A second card waits for its end without a token, so that a wake goes out too.
        try await world.run(
            12, event: id(77), occurrence: "2026-06-01 07:00", state: "ending", ["started_at": "'2026-06-01 07:00Z'"])
        let apns = APNs()
        apns.answer = { _ in outcome }
        _ = try await tick(at: now, with: apns.clients(world.worker()), settings: TickSettings(budget: .seconds(20)))
        #expect(apns.pushes.map(\.event.rawValue).sorted() == ["start", "wake"])
    }

    @Test("FR-51: a refusal of the topic clears no token")
    func topicRefused() async throws {
        for reason in ["DeviceTokenNotForTopic", "TopicDisallowed"] {
            let world = try await world()
            let apns = APNs()
            apns.answer = { _ in .rejected(.init(status: 400, reason: reason)) }
            _ = try await tick(at: now, with: apns.clients(world.worker()))
            #expect(apns.pushes.count == 1)
            #expect(
                try await world.sql("select push_to_start_token, wake_token from cuecard.device") == [
                    [token(1), token(2)]
                ])
        }
    }

    @Test("FR-52: a device silent for 60 days gets no start; its first word brings it back")
    func silent() async throws {
        let world = try await world()
        try await world.sql("update cuecard.device set last_seen = clock_timestamp() - interval '61 days'")
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        #expect(apns.pushes.isEmpty)
        try await world.register("ann", 1)
        _ = try await tick(at: now + 60, with: apns.clients(world.worker()))
        #expect(apns.pushes.map(\.event) == [.start])
    }

    @Test("I12: one event that cannot be read stops nobody, not even its own user's other cards")
    func badNeighbour() async throws {
        let world = try await world()
        try await world.register("bob", 2, start: token(3))
        for details in [#"{"n": 1e400}"#, String(repeating: "[", count: 700) + String(repeating: "]", count: 700)] {
            try await world.sql(
                "insert into cuecard.event (calendar_id, starts_at, details) values ($1::uuid, '2026-06-01 08:50', $2::jsonb)",
                World.calendar, details)
        }
        try await world.sql(
            "insert into cuecard.event (calendar_id, starts_at, rrule) values ($1::uuid, '2026-06-01 08:50', 'FREQ=')",
            World.calendar)
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        #expect(apns.pushes.map(\.event) == [.start])
        #expect(try await world.sql("select count(*) from cuecard.device where next_due_at = '-infinity'") == [["0"]])
    }

    @Test("A taken-over phone: the former user's card ends at once, and the new user's starts when it is gone")
    func takenOver() async throws {
        let world = try await world()
        let apns = APNs()
        _ = try await tick(at: now, with: apns.clients(world.worker()))
        let run = try await world.value("select id from cuecard.run") ?? ""
        try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'aabb')", run)
        try await world.register("bob", 1, start: token(1))
        _ = try await tick(at: now + 60, with: apns.clients(world.worker()))
        let end = try #require(apns.pushes.last)
        let aps = try JSON(parsing: end.payload)["aps"]
        #expect(end.event == .end)
        #expect(aps?["dismissal-date"].flatMap(Self.number) ?? .max <= aps?["timestamp"].flatMap(Self.number) ?? 0)
        #expect(try await world.sql("select state, reason from cuecard.run") == [["ended", "account_changed"]])
    }

    private static func number(_ json: JSON) -> Int64? {
        guard case .int(let number) = json else { return nil }
        return number
    }
}
