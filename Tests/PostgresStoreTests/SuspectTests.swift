import Foundation
import LiveActivity
import Planning
import PostgresStore
import Testing
import Tick

/// Starts that APNs takes and no phone shows: counted, said and never held back.
@Suite("Suspect start tokens")
struct SuspectTests {
    /// 2026-06-01, half an hour before a class that is every day.
    private let now = Date(timeIntervalSince1970: 1_780_302_600)

    private func world() async throws -> World {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.event set rrule = 'FREQ=DAILY'")
        try await world.register("ann", 1, start: token(1), wake: token(2))
        return world
    }

    /// One start a day, accepted; what each tick's report says is suspect.
    @discardableResult
    private func days(_ days: Range<Int>, in world: World) async throws -> [Int] {
        var suspects: [Int] = []
        for day in days {
            let report = try await tick(at: now + Double(day) * 86_400, with: APNs().clients(world.worker()))
            #expect(report.started == 1)
            suspects.append(report.suspects.count)
        }
        return suspects
    }

    @Test("FR-20a: the third accepted start without a word makes the token suspect, once; starts go on")
    func third() async throws {
        let world = try await world()
        #expect(try await days(0..<5, in: world) == [0, 0, 1, 0, 0])
        #expect(try await world.device(1, "suspect_since is not null") == "t")
    }

    @Test("FR-20a: three starts of one minute say nothing yet: the app had no time to answer")
    func threeAtOnce() async throws {
        let world = try await world()
        try await world.sql("update cuecard.app set max_cards = 4")
        for hour in 1...3 {
            try await world.sql(
                "insert into cuecard.event (calendar_id, starts_at, duration, time_zone) values ($1::uuid, '2026-06-01 09:0\(hour)', '1 h', 'UTC')",
                World.calendar)
        }
        let report = try await tick(at: now, with: APNs().clients(world.worker()))
        #expect(report.started == 4)
        #expect(report.suspects == [])
        #expect(try await world.device(1, "suspect_since") == nil)
    }

    @Test("FR-20a: a new start token clears the suspicion, and the old one told again does not")
    func newToken() async throws {
        let world = try await world()
        try await days(0..<3, in: world)
        try await world.register("ann", 1, start: token(1))
        #expect(try await world.device(1, "suspect_since is not null") == "t")
        try await world.register("ann", 1, start: token(3))
        #expect(try await world.device(1, "suspect_since") == nil)
        #expect(try await days(3..<6, in: world) == [0, 0, 1])
    }

    @Test(
        "FR-20a: the app's word about a card clears the suspicion; that there is no card does not",
        arguments: [("activity", true), ("opened", true), ("dismissed", true), ("missing", false)])
    func word(said: String, clears: Bool) async throws {
        let world = try await world()
        try await days(0..<3, in: world)
        let run = try await world.value("select id from cuecard.run order by started_at desc limit 1") ?? ""
        if said == "activity" {
            try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'aabb')", run)
        } else {
            try await world.call("ann", "cuecard.report_activity($1::uuid, 'A', $2)", run, said)
        }
        #expect(try await world.device(1, "suspect_since is null") == (clears ? "t" : "f"))
    }

    @Test("FR-20a: any contact in between begins the row anew; only an accepted start counts")
    func contact() async throws {
        let world = try await world()
        #expect(try await days(0..<2, in: world) == [0, 0])
        try await world.register("ann", 1)
        #expect(try await days(2..<4, in: world) == [0, 0])
        for day in 4..<6 {
            let apns = APNs()
            apns.answer = { _ in .rejected(.init(status: 400, reason: "PayloadEmpty")) }
            let report = try await tick(at: now + Double(day) * 86_400, with: apns.clients(world.worker()))
            #expect(report.suspects.isEmpty)
        }
        #expect(try await days(6..<7, in: world) == [1])
    }

    @Test("FR-23: of ten starts nine never got a token: the query names that phone and not its healthy neighbour")
    func failing() async throws {
        let world = try await world()
        try await world.register("bob", 2, start: token(5))
        for device in 1...2 {
            for start in 0..<10 {
                let number = device * 100 + start
                try await world.run(
                    number, device: device, occurrence: "2026-05-\(10 + start) 09:00", state: "ended",
                    device == 2 && start > 0 || start == 9 ? ["update_token_at": "clock_timestamp()"] : [:])
                try await world.sql(
                    """
                    insert into cuecard.attempt (id, tick_id, device_id, run_id, event, outcome, status, decided_at, answered_at)
                    values ($1::uuid, $1::uuid, $2::uuid, $1::uuid, 'start', 'accepted', 200, now(), now())
                    """, id(number), id(device))
            }
        }
        #expect(
            try await world.sql(
                as: "service_role",
                "select device_id, starts, without_token, suspect_since from cuecard.failing_devices()")
                == [[id(1), "10", "9", nil]])
        // What is stored of each start: when it was sent, under which id, what APNs said, and when the token came.
        #expect(
            try await world.value(
                """
                select count(*) from cuecard.attempt a join cuecard.run r on r.id = a.run_id
                where a.intended_at is not null and a.status = 200 and (r.update_token_at is not null) = (r.id in ($1::uuid, $2::uuid)) and a.device_id = $3::uuid
                """, id(109), id(109), id(1)) == "10")
        let refused = try await refusal {
            try await world.sql(
                as: "authenticated", claims: #"{"sub":"ann"}"#, "select * from cuecard.failing_devices()")
        }
        #expect(refused?.code == "42501")
    }
}
