import Foundation
import LiveActivity
import Planning
import PostgresStore
import Synchronization
import Testing
import Tick

/// A lane with nothing but failures is tried by a few devices a minute, and opens with the first push that gets through.
@Suite("Probing a lane")
struct LaneTests {
    /// Half an hour before the class, as often as needed.
    private let now = Date(timeIntervalSince1970: 1_780_302_600)  // 2026-06-01 08:30Z

    /// So many people with a phone each, all of them in the class.
    private func world(_ phones: Int) async throws -> World {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.calendar set kind = 'shared'")
        try await world.fleet(phones, due: "'-infinity'")
        try await world.sql(
            "insert into cuecard.calendar_member select $1::uuid, user_id from cuecard.device", World.calendar)
        return world
    }

    /// Pushes of each tick, a minute apart.
    private func pushes(
        of world: World, minutes: Range<Int>, answer: @escaping @Sendable (Push) -> PushOutcome
    ) async throws -> [Int] {
        var counts: [Int] = []
        for minute in minutes {
            let apns = APNs()
            apns.answer = answer
            _ = try await tick(
                at: now + Double(minute) * 60, with: apns.clients(world.worker()), settings: TickSettings(batch: 40))
            counts.append(apns.pushes.count)
        }
        return counts
    }

    @Test(
        "While every push fails one batch goes out, then five a minute at most; once one is accepted, all the others",
        arguments: [
            .rejected(.init(status: 503, reason: "ServiceUnavailable")), .failed(.notProcessed("no connection")),
            .failed(.unknown("no answer")),
        ] as [PushOutcome])
    func trickle(failure: PushOutcome) async throws {
        let world = try await world(120)
        let failed = try await pushes(of: world, minutes: 0..<4) { _ in failure }
        #expect(failed[0] == 40)
        #expect(failed.dropFirst().allSatisfy { (1...5).contains($0) }, "\(failed)")
        #expect(
            try await world.value("select probe_at = $1::timestamptz from cuecard.lane", (now + 240).rfc3339) == "t")
        let rest = try await pushes(of: world, minutes: 4..<5) { _ in .accepted }
        #expect(rest[0] >= 65, "the 65 that had no push yet, and those whose retry is due")
        #expect(try await world.value("select probe_at from cuecard.lane") == nil)
    }

    @Test("One push that gets through among failures keeps the lane open")
    func mixed() async throws {
        let world = try await world(80)
        let count = Mutex(0)
        let sent = try await pushes(of: world, minutes: 0..<1) { _ in
            count.withLock {
                $0 += 1
                return $0 % 3 == 0 ? .accepted : .rejected(.init(status: 503, reason: ""))
            }
        }
        #expect(sent == [80])
        #expect(try await world.value("select probe_at from cuecard.lane") == nil)
    }

    @Test("Fewer than five failures are a coincidence")
    func few() async throws {
        let world = try await world(4)
        _ = try await pushes(of: world, minutes: 0..<1) { _ in .rejected(.init(status: 503, reason: "")) }
        #expect(try await world.value("select probe_at from cuecard.lane") == nil)
    }

    @Test("FR-46, FR-47: a refused key pauses its lane for twenty minutes; after that a few devices try it")
    func afterAPause() async throws {
        let world = try await world(120)
        let refused: @Sendable (Push) -> PushOutcome = { _ in
            .rejected(.init(status: 403, reason: "InvalidProviderToken"))
        }
        #expect(try await pushes(of: world, minutes: 0..<20, answer: refused) == [40] + Array(repeating: 0, count: 19))
        #expect(
            try await pushes(of: world, minutes: 20..<41, answer: refused) == [5] + Array(repeating: 0, count: 19) + [5]
        )
        let opening = try await world.worker().beginTick(UUID(), at: now + 41 * 60)
        #expect(
            opening.unserved.paused == [
                PausedLane(
                    environment: .production, bundleID: World.bundle, reason: "InvalidProviderToken",
                    until: (now + 60 * 60).timeIntervalSince1970)
            ])
        #expect(try await world.value("select count(*) from cuecard.device where push_to_start_token is null") == "0")
        #expect(try await pushes(of: world, minutes: 61..<62) { _ in .accepted } == [120])
    }

    @Test("FR-47: a lane that is tried out says so, until a push gets through")
    func probedLaneIsSaid() async throws {
        let world = try await world(60)
        func said(minute: Int) async throws -> [String] {
            try await world.worker().unservedLanes(at: now + TimeInterval(minute * 60)).paused.map(\.reason)
        }
        #expect(try await said(minute: 0) == [])
        _ = try await pushes(of: world, minutes: 0..<2) { _ in .rejected(.init(status: 503, reason: "")) }
        #expect(try await said(minute: 2) == ["the last pushes all failed"])
        _ = try await pushes(of: world, minutes: 2..<3) { _ in .accepted }
        #expect(try await said(minute: 3) == [])
    }

    @Test("A lane that somebody stopped for good is said, and stops no other")
    func stoppedForGood() async throws {
        let world = try await world(3)
        try await world.sql("update cuecard.lane set paused_until = 'infinity', pause_reason = 'closed for the summer'")
        #expect(try await pushes(of: world, minutes: 0..<1) { _ in .accepted } == [0])
        let paused = try await world.worker().unservedLanes(at: now).paused
        #expect(paused.map(\.reason) == ["closed for the summer"])
        #expect(paused.allSatisfy { $0.until > (now + 365 * 24 * 3600).timeIntervalSince1970 })
        _ = try await world.worker().examine()
    }

    @Test("FR-46: a key with which others get through is not at fault for the one that is refused")
    func oneRefusedDevice() async throws {
        let world = try await world(30)
        let unlucky = try #require(
            try await world.value("select push_to_start_token from cuecard.device order by id limit 1"))
        let answer: @Sendable (Push) -> PushOutcome = { push in
            push.token.hex == unlucky ? .rejected(.init(status: 403, reason: "InvalidProviderToken")) : .accepted
        }
        #expect(try await pushes(of: world, minutes: 0..<2, answer: answer) == [30, 0])
        #expect(try await world.value("select paused_until from cuecard.lane") == nil)
        #expect(try await world.value("select count(*) from cuecard.run where state = 'accepted'") == "29")
    }

    @Test("Tokens that were called bad all at once are kept when they are refused one by one later")
    func sparedTokens() async throws {
        let world = try await world(30)
        try await world.sql("update cuecard.event set duration = '4 h'")
        let bad: @Sendable (Push) -> PushOutcome = { _ in .rejected(.init(status: 400, reason: "BadDeviceToken")) }
        let kept = "select count(*) from cuecard.device where push_to_start_token is not null"
        #expect(try await pushes(of: world, minutes: 0..<40, answer: bad) == [30] + Array(repeating: 0, count: 39))
        #expect(try await world.value(kept) == "30")
        // One by one, as after an edit of each one's own events.
        for number in 1...3 {
            try await world.sql(
                "update cuecard.run set retry_at = null where device_id = (select id from cuecard.device order by id limit 1)"
            )
            try await world.sql(
                "update cuecard.device set next_due_at = '-infinity' where id = (select id from cuecard.device order by id limit 1)"
            )
            #expect(try await pushes(of: world, minutes: 40 + number..<41 + number, answer: bad) == [1])
        }
        #expect(try await world.value(kept) == "30")
        // Once the setting is mended, a bad token is bad.
        try await world.sql("update cuecard.lane set spares_tokens_until = null")
        try await world.sql("update cuecard.run set retry_at = null; ")
        try await world.sql(
            "update cuecard.device set next_due_at = '-infinity' where id = (select id from cuecard.device order by id limit 1)"
        )
        _ = try await pushes(of: world, minutes: 50..<51, answer: bad)
        #expect(try await world.value(kept) == "29")
    }

    @Test("Devices that need no push do not use up the probes")
    func nothingToSend() async throws {
        let world = try await world(60)
        #expect(try await pushes(of: world, minutes: 0..<1) { _ in .rejected(.init(status: 503, reason: "")) } == [40])
        // Ten of the twenty that were not tried yet have a card to get; all the others have none, and are due before them.
        try await world.sql(
            """
            update cuecard.device set next_due_at = $1::timestamptz where id in (
                select d.id from cuecard.device d
                where not exists (select from cuecard.attempt a where a.device_id = d.id) order by d.id limit 10)
            """, now.rfc3339)
        try await world.sql("update cuecard.device set shows_shared = false where next_due_at = '-infinity'")
        let probes = try await pushes(of: world, minutes: 1..<3) { _ in .rejected(.init(status: 503, reason: "")) }
        #expect(probes == [5, 5], "all who had something to send were probes")
    }
}
