import Foundation
import Planning
import PostgresStore
import TestSupport
import Testing

@Suite("Claims, leases and rescheduling", .fewAtATime)
struct ClaimTests {
    private let now = Date(timeIntervalSince1970: 1_780_300_000)

    @Test("I2: eight claimers over two hundred devices: each device is claimed once")
    func eightClaimers() async throws {
        let world = try await World.fresh()
        try await world.fleet(200, due: "'-infinity'")
        let claims = try await withThrowingTaskGroup(of: [Claim].self) { group in
            for number in 0..<8 {
                let worker = try world.worker("\(number)")
                group.addTask {
                    var all: [Claim] = []
                    let pass = UUID()
                    while true {
                        let some = try await worker.claimDue(pass, at: now, limit: 7)
                        if some.isEmpty { return all }
                        all += some
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(claims.count == 200)
        #expect(Set(claims).count == 200)
    }

    @Test("Only lanes that the worker has a key for, by environment and by app; the others are counted for the report")
    func lanes() async throws {
        let world = try await World.fresh()
        try await world.sql("insert into cuecard.app (bundle_id, attributes_type) values ('com.example.other', 'B')")
        try await world.register("ann", 1, start: token(1))
        try await world.call("ann", "cuecard.register_device($1::uuid, 'com.example.other', 'production')", id(2))
        try await world.call("ann", "cuecard.register_device($1::uuid, 'com.example.app', 'sandbox')", id(3))
        let before = try await world.sql("select d::text from cuecard.device d where id <> $1::uuid order by id", id(2))

        let worker = try world.worker(bundles: ["com.example.other", "with,comma\"and\\quote", "{}"])
        let keyless = try await worker.beginTick(UUID(), at: now).unserved.keyless
        #expect(
            Set(keyless.map { "\($0.environment) \($0.bundleID) \($0.devices)" }) == [
                "production com.example.app 1", "sandbox com.example.app 1",
            ])
        #expect(try await worker.claimDue(UUID(), at: now, limit: 10).map(\.device.description) == [id(2)])
        #expect(try await worker.peekDue(at: now, after: nil, limit: 10).map(\.device.description) == [id(2)])
        #expect(
            try await world.sql("select d::text from cuecard.device d where id <> $1::uuid order by id", id(2))
                == before)

        #expect(try await world.worker(bundles: []).claimDue(UUID(), at: now, limit: 10) == [])
        #expect(
            try await world.worker().beginTick(UUID(), at: now).unserved.keyless.map(\.bundleID) == ["com.example.app"])
        #expect(try await world.worker().claimDue(UUID(), at: now, limit: 10).map(\.device.description) == [id(1)])
    }

    @Test("A paused lane gets nothing until the pause is over, by the decision clock")
    func pausedLane() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        try await world.sql("update cuecard.lane set paused_until = $1::timestamptz", (now + 60).rfc3339)
        let worker = try world.worker()
        #expect(try await worker.claimDue(UUID(), at: now, limit: 10) == [])
        #expect(try await worker.peekDue(at: now, after: nil, limit: 10) == [])
        #expect(try await worker.claimDue(UUID(), at: now + 60, limit: 10).count == 1)
    }

    @Test("A dry run sees what a plan of the future hides, as a tick does")
    func planOfTheFuture() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        try await world.drain()
        let worker = try world.worker()
        #expect(try await worker.peekDue(at: now, after: nil, limit: 10) == [])
        try await world.sql("update cuecard.device set planned_at = $1::timestamptz", (now + 3600).rfc3339)
        #expect(try await worker.peekDue(at: now, after: nil, limit: 10).map(\.device.description) == [id(1)])
        let pass = UUID()
        _ = try await worker.beginTick(pass, at: now)
        #expect(try await worker.claimDue(pass, at: now, limit: 10).map(\.device.description) == [id(1)])
    }

    @Test("A (device, revision) is claimed at most once a tick, and under a lease by nobody else")
    func onceATick() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        let (first, second) = (try world.worker("1"), try world.worker("2"))
        let pass = UUID()
        let claims = try await first.claimDue(pass, at: now, limit: 10)
        #expect(claims.count == 1)
        #expect(try await second.claimDue(UUID(), at: now, limit: 10) == [])

        // The lease ends and it is still due: not for the same tick, unless it changed.
        try await first.reschedule(pass, [plan(claims[0], next: Date(timeIntervalSince1970: 0))])
        #expect(try await first.claimDue(pass, at: now, limit: 10) == [])
        try await world.register("ann", 1, start: token(2))
        #expect(try await first.claimDue(pass, at: now, limit: 10).count == 1)
    }

    @Test("An expired lease is taken over; who held it can neither record, nor reschedule, nor end the new one's lease")
    func expiredLease() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        let (asleep, awake) = (try world.worker("asleep"), try world.worker("awake"))
        let (old, new) = (UUID(), UUID())
        let claims = try await asleep.claimDue(old, at: now, limit: 10)
        try await world.expireLeases()
        // Nobody has taken it over yet: it is lost all the same.
        #expect(try await world.intend(old, claims[0], action: "wake", attempt: 81) == [])
        try await asleep.reschedule(old, [plan(claims[0], next: now + 3600)])
        #expect(try await world.isDue(1))

        #expect(try await awake.claimDue(new, at: now, limit: 10) == claims)
        #expect(try await world.intend(old, claims[0], action: "wake", attempt: 82) == [])
        try await asleep.reschedule(old, [plan(claims[0], next: now + 3600)])
        #expect(try await world.isDue(1))
        #expect(try await world.device(1, "claimed_until > clock_timestamp()") == "t")
        #expect(try await world.intend(new, claims[0], action: "wake", attempt: 83) == [id(83)])
    }

    @Test(
        "I2: a change committed before the claim is seen; one committed between claim and reschedule leaves the device due"
    )
    func noLostWakeUp() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        let worker = try world.worker()
        try await world.sql("update cuecard.event set title = 'Before'")
        while try await worker.fanOut() {}
        let pass = UUID()
        let claims = try await worker.claimDue(pass, at: now, limit: 10)
        let seen = try await worker.load(claims, at: now)
        #expect(seen.first?.events.map(\.title) == ["Before"])

        try await world.sql("update cuecard.event set title = 'After'")
        while try await worker.fanOut() {}
        #expect(try await world.intend(pass, claims[0], action: "wake", attempt: 81) == [], "the plan is void")
        try await worker.reschedule(pass, [plan(claims[0], next: now + 3600)])
        #expect(try await world.isDue(1))
        // The same tick takes it again, at its new revision.
        let again = try await worker.claimDue(pass, at: now, limit: 10)
        #expect(again.map(\.revision) != claims.map(\.revision))
        try await worker.reschedule(pass, again.map { plan($0, next: now + 3600) })
        #expect(try await world.device(1, "next_due_at") == "2026-06-01 08:46:40+00")

        // A change that is fanned out only after the rescheduling counts as well.
        try await world.sql("update cuecard.event set title = 'Late'")
        while try await worker.fanOut() {}
        #expect(try await world.isDue(1))
    }

    @Test(
        "I2: the app's own word between claim and reschedule leaves the device due",
        arguments: [
            "cuecard.register_device('00000000-0000-4000-8000-000000000001')",
            "cuecard.register_activity('00000000-0000-4000-8000-000000000011', 'A', 'aabb')",
            "cuecard.report_activity('00000000-0000-4000-8000-000000000011', 'A', 'dismissed')",
            "cuecard.report_activity('00000000-0000-4000-8000-000000000011', 'A', 'missing')",
            "cuecard.unregister_device('00000000-0000-4000-8000-000000000001')",
        ])
    func appsWord(call: String) async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        try await world.run(11)
        let worker = try world.worker()
        let pass = UUID()
        let claims = try await worker.claimDue(pass, at: now, limit: 10)
        try await world.call("ann", call)
        #expect(try await world.intend(pass, claims[0], action: "wake", attempt: 81) == [])
        try await worker.reschedule(pass, claims.map { plan($0, next: now + 3600) })
        #expect(try await world.isDue(1))
        #expect(try await world.device(1, "claimed_until") == nil)
    }

    @Test("Nothing to look for: the device is never read again until something changes")
    func nothingToLookFor() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        let worker = try world.worker()
        let pass = UUID()
        try await worker.reschedule(
            pass, try await worker.claimDue(pass, at: now, limit: 10).map { plan($0, next: nil) })
        #expect(try await world.device(1, "next_due_at") == nil)
        #expect(try await worker.claimDue(UUID(), at: .distantFuture, limit: 10) == [])
    }

    @Test("Logged out: the last tokens go once no card is left, and not before")
    func lastTokens() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1), wake: token(2), expo: "ExponentPushToken[a]")
        try await world.run(11, state: "ending")
        try await world.call("ann", "cuecard.unregister_device($1::uuid)", id(1))
        let worker = try world.worker()
        func pass() async throws -> String? {
            let pass = UUID()
            try await worker.reschedule(
                pass, try await worker.claimDue(pass, at: now, limit: 10).map { plan($0, next: now - 1) })
            return try await world.device(1, "num_nonnulls(wake_token, expo_token)")
        }
        #expect(try await pass() == "2")
        try await world.sql("update cuecard.run set state = 'ended'")
        #expect(try await pass() == "0")
    }

    // MARK: Cost

    @Test(
        "I9: an idle tick's statements touch a handful of pages with 100 000 devices, and the due index answers the claim"
    )
    func idleCost() async throws {
        let world = try await World.fresh()
        try await world.fleet(100_000, due: "'2026-06-01Z'::timestamptz + n * interval '1 s'")
        let before = "'2026-05-31Z'"
        let lanes = "'{production}', '{NULL}'"
        _ = try await world.worker().beginTick(UUID(), at: now)
        for statement in [
            "select cuecard.begin_tick(gen_random_uuid(), 'w', \(before), \(lanes))",
            "select cuecard.begin_tick(gen_random_uuid(), 'w', \(before), '{sandbox}', '{NULL}')",
            "select cuecard.unserved_lanes(\(before), '{sandbox}', '{NULL}')",
            "select cuecard.fan_out(1000)",
            "select cuecard.claim_due(gen_random_uuid(), \(before), \(lanes), 200, 90)",
            "select cuecard.peek_due(\(before), \(lanes), null, 200)",
            "select cuecard.finish_tick((select id from cuecard.tick limit 1), '{}')",
        ] {
            _ = try await world.pages(statement)  // what a new connection learns of the catalog is not the statement's
            let pages = try await world.pages(statement)
            #expect(pages < 200, "\(statement): \(pages)")
        }
        // Ten due among a hundred thousand cost ten, not a hundred thousand.
        let ten = "'2026-06-01 00:00:10Z'"
        #expect(try await world.pages("select cuecard.claim_due(gen_random_uuid(), \(ten), \(lanes), 200, 90)") < 500)
        #expect(try await world.pages("select cuecard.peek_due(\(ten), \(lanes), null, 200)") < 500)
        #expect(try await world.pages("select count(*) from cuecard.device where locale = 'x'") > 1000)

        let plan = try await world.sql(
            """
            explain select id from cuecard.device
            where apns_environment = 'production' and bundle_id = '\(World.bundle)' and next_due_at <= \(ten)
              and (claimed_until is null or claimed_until <= now())
            order by next_due_at limit 200 for update skip locked
            """
        ).map { $0[0] ?? "" }.joined(separator: "\n")
        #expect(plan.contains("using device_due"))
        #expect(!plan.contains("Sort"))
    }

    @Test("A tick prunes what is old, and nothing that lives")
    func pruning() async throws {
        let world = try await World.withEvent()
        try await world.sql(
            """
            insert into cuecard.tick (id, worker, now, started_at) values
                ($1::uuid, 'w', now(), now() - interval '31 days'), ($2::uuid, 'w', now(), now() - interval '29 days');
            """.replacing(";", with: ""), id(1), id(2))
        try await world.sql(
            """
            insert into cuecard.attempt (id, tick_id, device_id, event, decided_at, intended_at) values
                ($1::uuid, $1::uuid, $1::uuid, 'wake', now(), now() - interval '31 days'),
                ($2::uuid, $1::uuid, $1::uuid, 'wake', now() - interval '50 days', now() - interval '29 days')
            """, id(1), id(2))
        try await world.run(1, generation: 1, state: "ended", ["settled_at": "now() - interval '91 days'"])
        try await world.run(2, generation: 2, state: "dismissed", ["settled_at": "now() - interval '89 days'"])
        try await world.run(3, generation: 3, state: "confirmed", ["created_at": "now() - interval '200 days'"])
        try await world.worker().finishTick(UUID(uuidString: id(2))!, summary: #"{"claimed": 0}"#)
        for table in ["tick", "attempt"] {
            #expect(try await world.sql("select id from cuecard.\(table)") == [[id(2)]], "\(table)")
        }
        #expect(try await world.sql("select id from cuecard.run order by id") == [[id(2)], [id(3)]])
        #expect(
            try await world.value("select summary ->> 'claimed' from cuecard.tick where finished_at is not null") == "0"
        )
        var retention = Store.Retention()
        (retention.attemptDays, retention.runDays) = (28, 88)
        try await world.worker(retention: retention).finishTick(UUID(), summary: "{}")
        for table in ["tick", "attempt"] {
            #expect(try await world.value("select count(*) from cuecard.\(table)") == "0", "\(table)")
        }
        #expect(try await world.sql("select id from cuecard.run") == [[id(3)]])
    }

    private func plan(_ claim: Claim, next: Date?) -> DevicePlan {
        DevicePlan(device: claim.device, revision: claim.revision, steps: [], nextDueAt: next)
    }
}
