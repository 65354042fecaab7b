import Foundation
import Planning
import PostgresStore
import TestSupport
import Testing

@Suite("The change queue", .fewAtATime)
struct ChangeQueueTests {
    /// Ann owns a shared calendar that Bea is a member of; Cis sees nothing of it.
    ///
    /// Phones 1, 2, 3; none is due.
    private func world() async throws -> World {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.calendar set kind = 'shared'")
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'bea')", World.calendar)
        for (number, user) in [(1, "ann"), (2, "bea"), (3, "cis")] {
            try await world.register(user, number, start: token(number))
        }
        try await world.drain()
        return world
    }

    /// Fans everything out; which phones became due.
    private func due(_ world: World, chunk: Int = 1000) async throws -> [String] {
        while try await world.value("select cuecard.fan_out($1::int)", "\(chunk)") == "t" {}
        let due = try await world.sql(
            "select right(id::text, 1) from cuecard.device where next_due_at = '-infinity' order by id")
        try await world.drain()
        return due.compactMap { $0[0] }
    }

    @Test(
        "Every kind of write to every table makes due whom it touches, old and new",
        arguments: [
            ("update cuecard.calendar set kind = 'personal'", ["1", "2"]),
            ("update cuecard.calendar set owner_id = 'cis'", ["1", "2", "3"]),
            ("insert into cuecard.calendar (owner_id) values ('cis')", ["3"]),
            ("delete from cuecard.calendar", ["1", "2"]),
            ("insert into cuecard.calendar_member select id, 'cis' from cuecard.calendar", ["3"]),
            ("update cuecard.calendar_member set user_id = 'cis'", ["2", "3"]),
            ("delete from cuecard.calendar_member", ["2"]),
            (
                "insert into cuecard.event (calendar_id, starts_at) select id, '2026-06-01' from cuecard.calendar",
                ["1", "2"]
            ),
            ("update cuecard.event set title = 'x'", ["1", "2"]),
            ("update cuecard.event set deleted_at = '2999-01-01'", ["1", "2"]),
            ("delete from cuecard.event", ["1", "2"]),
            ("with c as (insert into cuecard.calendar (owner_id) values ('cis') returning id) select 1 from c", ["3"]),
            ("insert into cuecard.event_override select id, '2026-06-01 09:00' from cuecard.event", ["1", "2"]),
            ("update cuecard.app set lead = '5 min'", ["1", "2", "3"]),
            ("delete from cuecard.app", ["1", "2", "3"]),
            ("truncate cuecard.event cascade", ["1", "2", "3"]),
            ("truncate cuecard.calendar cascade", ["1", "2", "3"]),
            ("truncate cuecard.calendar_member", ["1", "2", "3"]), ("truncate cuecard.app", ["1", "2", "3"]),
            ("update cuecard.event set title = 'x' where false", []),
            ("delete from cuecard.calendar_member where false", []),
        ])
    func writes(statement: String, touched: [String]) async throws {
        let world = try await world()
        try await world.sql(statement)
        #expect(try await due(world) == touched)
    }

    @Test("An event that moves to another calendar makes due both calendars' people")
    func movedBetweenCalendars() async throws {
        let world = try await world()
        try await world.sql("insert into cuecard.calendar (id, owner_id) values ($1::uuid, 'cis')", id(50))
        try await world.drain()
        try await world.sql("update cuecard.event set calendar_id = $1::uuid", id(50))
        #expect(try await due(world) == ["1", "2", "3"])
    }

    @Test("Upserts, bulk writes and overrides, each by the backend's own rights")
    func upserts() async throws {
        let world = try await world()
        try await world.sql(
            as: "service_role",
            """
            insert into cuecard.event (id, calendar_id, starts_at) values ('\(World.event)', '\(World.calendar)', '2026-06-02')
            on conflict (id) do update set starts_at = excluded.starts_at
            """)
        #expect(try await due(world) == ["1", "2"])
        try await world.sql(
            as: "service_role",
            """
            insert into cuecard.event (calendar_id, starts_at, title)
            select '\(World.calendar)', '2026-06-02', 'n' || n from generate_series(1, 5000) n
            """)
        #expect(try await world.value("select count(*) from cuecard.change") == "1")
        #expect(try await due(world) == ["1", "2"])
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence) values ($1::uuid, '2026-06-01 09:00')",
            World.event)
        try await world.drain()
        for statement in [
            "update cuecard.event_override set cancelled = true", "delete from cuecard.event_override",
            """
            insert into cuecard.event_override (event_id, occurrence) values ('\(World.event)', '2026-06-01 09:00')
            on conflict (event_id, occurrence) do update set cancelled = true
            """,
        ] {
            try await world.sql(as: "service_role", statement)
            #expect(try await due(world) == ["1", "2"], "\(statement)")
        }
    }

    @Test(
        "A device with a live card of an event is made due even where it sees the calendar no more",
        arguments: [
            "update cuecard.event set title = 'x'", "delete from cuecard.event", "delete from cuecard.calendar",
        ])
    func liveCards(statement: String) async throws {
        let world = try await world()
        try await world.run(13, device: 3, user: "cis", state: "confirmed")
        try await world.run(12, device: 2, user: "bea", state: "ended")
        try await world.sql("delete from cuecard.calendar_member")
        try await world.drain()
        try await world.sql(statement)
        #expect(try await due(world) == ["1", "3"])
    }

    @Test("A device's own change makes it due at once, its bookkeeping does not")
    func devices() async throws {
        let world = try await world()
        for column in [
            "user_id = 'x'", "bundle_id = 'x'", "apns_environment = 'sandbox'", "push_to_start_token = null",
            "wake_token = 'aa'",
            "expo_token = 'x'", "time_zone = 'Asia/Seoul'", "locale = 'ko'", "shows_personal = false",
            "shows_shared = false",
            "live_activities_enabled = false", "unregistered_at = now()",
        ] {
            let revision = try await world.device(3, "revision").flatMap(Int.init) ?? 0
            try await world.sql("update cuecard.device set \(column) where id = $1::uuid", id(3))
            #expect(try await world.isDue(3), "\(column)")
            #expect(try await world.device(3, "revision") == "\(revision + 1)")
            try await world.drain()
        }
        for column in [
            "next_due_at = '2026-06-01Z'", "claimed_until = now()", "last_seen = now()", "registered_at = now()",
            "app_version = '2'",
        ] {
            let revision = try await world.device(3, "revision")
            try await world.sql("update cuecard.device set \(column) where id = $1::uuid", id(3))
            #expect(try await world.device(3, "revision") == revision, "\(column)")
            #expect(try await !world.isDue(3))
        }
    }

    @Test(
        "A change of many devices goes in chunks that remember where they were",
        arguments: ["app", "user", "members", "event"])
    func chunks(kind: String) async throws {
        let world = try await World.withEvent(of: "owner")
        try await world.sql(
            """
            insert into cuecard.device (id, user_id, bundle_id, apns_environment)
            select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
                case when $1 = 'user' then 'owner' else 'u' || n end, '\(World.bundle)', 'production'
            from generate_series(1, 95) n
            """, kind)
        try await world.sql(
            "insert into cuecard.calendar_member select $1::uuid, 'u' || n from generate_series(1, 95) n",
            World.calendar)
        try await world.sql(
            """
            insert into cuecard.run (device_id, user_id, event_id, occurrence, state)
            select id, user_id, $1::uuid, '2026-06-01 09:00', 'accepted' from cuecard.device
            """, World.event)
        try await world.drain()
        switch kind {
        case "app": try await world.sql("update cuecard.app set max_cards = 2")
        case "user": try await world.sql("insert into cuecard.change (user_id) values ('owner')")
        case "members": try await world.sql("update cuecard.event set title = 'x'")
        default: try await world.sql("insert into cuecard.change (event_id) values ($1::uuid)", World.event)
        }
        try await world.sql("delete from cuecard.change where event_id is not null and $1 = 'members'", kind)
        var sizes: [Int] = []
        var before = 0
        while try await world.value("select cuecard.fan_out(10)") == "t" {
            let due =
                Int(try await world.value("select count(*) from cuecard.device where next_due_at = '-infinity'") ?? "")
                ?? 0
            sizes.append(due - before)
            before = due
        }
        #expect(before == 95)
        #expect(sizes.allSatisfy { $0 <= 10 }, "\(sizes)")
        #expect(sizes.count <= 11)
        // Each device once.
        #expect(try await world.value("select max(revision) from cuecard.device") == "1")
    }

    @Test("Many small changes go together: five thousand new members take few calls")
    func smallChanges() async throws {
        let world = try await World.withEvent()
        try await world.fleet(5000)
        try await world.sql(
            "insert into cuecard.calendar_member select $1::uuid, user_id from cuecard.device", World.calendar)
        #expect(try await world.value("select count(*) from cuecard.change") == "5000")
        var calls = 0
        while try await world.value("select cuecard.fan_out(1000)") == "t" { calls += 1 }
        #expect(calls == 5)
        #expect(try await world.value("select count(*) from cuecard.device where next_due_at = '-infinity'") == "5000")
    }

    @Test("I9: a chunk of a change of a whole fleet reads no more than its chunk")
    func chunkCost() async throws {
        let world = try await World.fresh()
        try await world.fleet(50_000)
        try await world.sql("insert into cuecard.change (bundle_id) values ($1)", World.bundle)
        _ = try await world.value("select cuecard.fan_out(100)")
        let pages = try await world.pages("select cuecard.fan_out(100)")
        // The table has over a thousand pages; a chunk locks and writes its hundred rows and their index entries.
        #expect(pages < 4000, "\(pages)")
        let all = try await world.pages("select count(*) from cuecard.device where locale = 'x'")
        #expect(all > 600, "the fleet is too small for this test: \(all)")
    }

    @Test("Fanned out by eight at once, each device is made due once")
    func concurrent() async throws {
        let world = try await World.fresh()
        try await world.fleet(3000)
        for _ in 0..<5 { try await world.sql("insert into cuecard.change (bundle_id) values ($1)", World.bundle) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                let worker = try world.worker("\(number)")
                group.addTask { while try await worker.fanOut() {} }
            }
            try await group.waitForAll()
        }
        while try await world.value("select cuecard.fan_out(1000)") == "t" {}
        #expect(try await world.value("select count(*) from cuecard.change") == "0")
        // Changes that one call takes together make a device due once.
        #expect(try await world.value("select min(revision) >= 1 and max(revision) <= 5 from cuecard.device") == "t")
        #expect(try await world.value("select count(*) from cuecard.device where next_due_at is null") == "0")
    }

    @Test("A device whose row somebody holds keeps nobody waiting, and has its turn later")
    func heldRow() async throws {
        let world = try await world()
        try await world.sql("update cuecard.event set title = 'x'")
        try await world.sql("update cuecard.app set max_cards = 2")
        let holder = try world.onAnotherConnection()
        try await holder.sql("begin; select from cuecard.device where id = '\(id(1))' for update")
        while try await world.value("select cuecard.fan_out(1000)") == "t" {}
        #expect(try await world.isDue(2))
        #expect(try await world.isDue(3))
        #expect(try await !world.isDue(1))
        #expect(try await world.value("select count(*) from cuecard.change where device_id = $1::uuid", id(1)) == "1")
        try await holder.sql("rollback")
        while try await world.value("select cuecard.fan_out(1000, clock_timestamp() + interval '1 min')") == "t" {}
        #expect(try await world.isDue(1))
    }

    @Test("A dry run sees changes that are not fanned out, in the tick's own order, and writes nothing")
    func peek() async throws {
        let world = try await world()
        let worker = try world.worker()
        #expect(try await worker.peekDue(at: Date(), after: nil, limit: 10) == [])
        try await world.sql("update cuecard.event set title = 'x'")
        try await world.sql("update cuecard.device set next_due_at = '2020-01-01Z' where id = $1::uuid", id(3))
        let before = try await world.sql("select d::text from cuecard.device d order by id")
        #expect(
            try await worker.peekDue(at: Date(), after: nil, limit: 10).map(\.device.description) == [
                id(1), id(2), id(3),
            ])
        let first = try await worker.peekDue(at: Date(), after: nil, limit: 2)
        #expect(first.map(\.device.description) == [id(1), id(2)])
        #expect(
            try await worker.peekDue(at: Date(), after: first[1].device, limit: 2).map(\.device.description) == [id(3)])
        #expect(try await world.sql("select d::text from cuecard.device d order by id") == before)
        for statement in [
            "update cuecard.app set max_cards = 2", "delete from cuecard.event",
            "insert into cuecard.change (device_id) values ('\(id(2))')",
        ] {
            try await world.drain()
            try await world.sql(statement)
            let seen = try await worker.peekDue(at: Date(), after: nil, limit: 10).map(\.device.description)
            let fanned = try await due(world).compactMap { Int($0) }.map(id)
            #expect(seen == fanned, "\(statement)")
        }
    }
}

extension World {
    /// So many devices that are not due.
    func fleet(_ count: Int, due: String = "null") async throws {
        try await sql(
            """
            insert into cuecard.device (id, user_id, bundle_id, apns_environment, push_to_start_token, next_due_at)
            select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'u' || n, '\(Self.bundle)', 'production',
                'aa' || lpad(n::text, 12, '0'), \(due)
            from generate_series(1, \(count)) n
            """)
        try await sql("vacuum analyze cuecard.device")
        try await sql("delete from cuecard.change")
    }

    /// How many pages a statement touches, what its functions do included.
    func pages(_ statement: String) async throws -> Int {
        let plan = try await sql("explain (analyze, buffers, format json) " + statement).map { $0[0] ?? "" }.joined(
            separator: "\n")
        struct Explained: Decodable {
            struct Plan: Decodable {
                var hit: Int
                var read: Int
                enum CodingKeys: String, CodingKey {
                    case hit = "Shared Hit Blocks"
                    case read = "Shared Read Blocks"
                }
            }
            var plan: Plan
            enum CodingKeys: String, CodingKey { case plan = "Plan" }
        }
        let plans = try JSONDecoder().decode([Explained].self, from: Data(plan.utf8))
        return plans.reduce(0) { $0 + $1.plan.hit + $1.plan.read }
    }
}
