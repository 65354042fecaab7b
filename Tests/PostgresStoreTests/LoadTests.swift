import Foundation
import LiveActivity
import Planning
import PostgresStore
import Recurrence
import TestSupport
import Testing

@Suite("What a tick reads", .fewAtATime)
struct LoadTests {
    private let now = Date(timeIntervalSince1970: 1_780_300_800)  // 2026-06-01 08:00Z

    private func load(_ world: World, at moment: Date? = nil) async throws -> [DeviceSnapshot] {
        let devices = try await world.sql("select id, revision from cuecard.device order by id")
        let claims = devices.map {
            Claim(device: DeviceID(UUID(uuidString: $0[0] ?? "")!), revision: Int64($0[1] ?? "") ?? 0)
        }
        return try await world.worker().load(claims, at: moment ?? now).sorted { $0.device.id < $1.device.id }
    }

    @Test("Every column arrives as it is stored")
    func everything() async throws {
        let world = try await World.fresh()
        try await world.sql(
            """
            update cuecard.app set lead = '45 min', ending_lead = '5 min', closes = 'start', linger = '1 h', stale_after = '30 min',
                all_day_at = '08:30', max_cards = 2, max_starts_per_hour = 3, content_state = '{"t": "{{event.title}}"}'
            """)
        try await world.sql(
            "insert into cuecard.calendar (id, owner_id, kind) values ($1::uuid, 'bea', 'shared')", World.calendar)
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'ann')", World.calendar)
        try await world.sql(
            """
            insert into cuecard.event (id, calendar_id, title, location, starts_at, duration, time_zone, rrule, rdates, exdates, lead, details)
            values ($1::uuid, $2::uuid, 'Class', 'Pool', '2026-06-01 09:00', '1 month 2 days 03:04:05.9', 'Asia/Seoul', 'FREQ=DAILY',
                '{2026-06-01 12:00}', '{2026-06-02 09:00}', '10 min', '{"n": 1}')
            """, World.event, World.calendar)
        try await world.sql(
            """
            insert into cuecard.event_override values ($1::uuid, '2026-06-03 09:00', false, '2026-06-03 10:00', '2 h', 'Moved', 'Hall', '{"n": 2}')
            """, World.event)
        try await world.call(
            "ann",
            "cuecard.register_device($1::uuid, $2, 'production', 'Europe/Berlin', 'de-DE', 'aabb', 'ccdd', 'ExponentPushToken[x]', true, false, os_version => '18.2')",
            id(1), World.bundle)
        try await world.run(
            11, state: "confirmed",
            [
                "reason": "'window_open'", "update_token": "'ee'", "content": #"'{"t": "Class"}'"#,
                "content_key": "'k'", "phase": "'active'",
                "stale_at": "'2026-06-01 08:30:00.25Z'", "last_timestamp": "7", "started_at": "'2026-06-01 08:00Z'",
                "start_expires_at": "'2026-06-01 09:00Z'", "closes_at": "'2026-06-01 10:00Z'",
                "end_sent_at": "now()", "retry_at": "'2026-06-01 08:10Z'",
                "failures": "2",
                "confirmed_at": "now()", "missing_at": "now()", "gone_at": "now()",
            ])
        try await world.sql(
            """
            insert into cuecard.attempt (id, tick_id, device_id, event, cause, outcome, decided_at) values
                ($1::uuid, $1::uuid, $1::uuid, 'wake', 'take_down', 'accepted', '2026-06-01 07:30Z'),
                ($2::uuid, $1::uuid, $1::uuid, 'wake', 'update', 'unknown', '2026-06-01 07:31Z'),
                ($3::uuid, $1::uuid, $1::uuid, 'wake', 'update', 'unprocessed', '2026-06-01 07:32Z'),
                ($4::uuid, $1::uuid, $1::uuid, 'wake', 'update', 'accepted', '2026-06-01 06:59Z')
            """, id(1), id(2), id(3), id(4))
        let snapshot = try #require(try await load(world).first)

        let device = snapshot.device
        #expect(device.userID == "ann" && device.locale == "de-DE" && device.expoToken == "ExponentPushToken[x]")
        #expect(device.startToken == PushToken("aabb") && device.wakeToken == PushToken("ccdd"))
        #expect(device.showsPersonal && !device.showsShared && device.isEnabled && device.takesInputPushToken)
        #expect(!device.isUnregistered && !device.isSilent && device.hasKnownZone && device.environment == .production)

        let app = try #require(snapshot.app)
        #expect(
            app.lead == 2700 && app.endingLead == 300 && app.closes == .start && app.linger == 3600
                && app.staleAfter == 1800)
        #expect(app.allDayAt == 30_600 && app.maxCards == 2 && app.maxStartsPerHour == 3)
        #expect(try app.template.get().attributesType == "Attributes")

        let event = try #require(snapshot.events.first)
        #expect(event.kind == .shared && event.title == "Class" && event.location == "Pool" && event.lead == 600)
        #expect(event.duration == NominalDuration(months: 1, days: 2, seconds: 3 * 3600 + 4 * 60 + 5))
        #expect(event.details == ["n": 1])
        let change = try #require(event.overrides[LocalDateTime("2026-06-03T09:00:00")!])
        #expect(
            change.startsAt == LocalDateTime("2026-06-03T10:00:00") && change.duration == NominalDuration(seconds: 7200)
        )
        #expect(
            change.title == "Moved" && change.location == "Hall" && change.details == ["n": 2] && !change.isCancelled)
        let series = try event.series.get()
        let days = try series.occurrences(
            from: LocalDateTime("2026-06-01T00:00:00")!, to: LocalDateTime("2026-06-04T00:00:00")!, limit: 10)
        #expect(days.map(\.local.description) == ["2026-06-01T09:00:00", "2026-06-01T12:00:00", "2026-06-03T09:00:00"])

        let run = try #require(snapshot.runs.first)
        #expect(
            run
                == Run(
                    id: RunID(UUID(uuidString: id(11))!), userID: "ann",
                    eventID: EventID(UUID(uuidString: World.event)!),
                    occurrence: LocalDateTime("2026-06-01T09:00:00")!, generation: 1, state: .confirmed,
                    reason: "window_open",
                    updateToken: PushToken("ee"), content: ["t": "Class"], contentKey: "k", phase: .active,
                    staleAt: Date(timeIntervalSince1970: 1_780_302_600.25), lastTimestamp: 7, startedAt: now,
                    startExpiresAt: now + 3600, closesAt: now + 7200, retryAt: now + 600, failures: 2,
                    isConfirmed: true, isMissing: true,
                    isGone: true,
                    isEndSent: true, eventExists: true))
        #expect(
            snapshot.wakes.sorted { $0.at < $1.at } == [
                .init(at: now - 1800, cause: .takeDown), .init(at: now - 1740, cause: .update),
                .init(at: now - 1680, cause: .update, isLost: true),
            ])
    }

    @Test("FR-52: silent for 60 days, by the wall clock alone")
    func silent() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1)
        try await world.register("ann", 2)
        try await world.sql(
            "update cuecard.device set last_seen = clock_timestamp() - interval '61 days' where id = $1::uuid", id(1))
        try await world.sql(
            "update cuecard.device set last_seen = clock_timestamp() - interval '59 days' where id = $1::uuid", id(2))
        for moment in [Date(timeIntervalSince1970: 0), now, Date(timeIntervalSince1970: 9_000_000_000)] {
            #expect(try await load(world, at: moment).map(\.device.isSilent) == [true, false])
        }
    }

    @Test("Each device sees its user's calendars and nothing of others")
    func visibility() async throws {
        let world = try await World.withEvent(of: "ann")
        try await world.sql("insert into cuecard.calendar (id, owner_id) values ($1::uuid, 'bea')", id(50))
        try await world.sql(
            "insert into cuecard.event (calendar_id, starts_at, title) values ($1::uuid, '2026-06-01 09:00', 'Hers')",
            id(50))
        for (number, user) in [(1, "ann"), (2, "bea"), (3, "cis")] { try await world.register(user, number) }
        #expect(try await load(world).map { $0.events.map(\.title) } == [["Class"], ["Hers"], []])
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'ann'), ($1::uuid, 'bea')", id(50))
        #expect(try await load(world).map { Set($0.events.map(\.title)) } == [["Class", "Hers"], ["Hers"], []])
        try await world.sql("update cuecard.event set deleted_at = '2999-01-01' where title = 'Hers'")
        #expect(try await load(world).map { $0.events.map(\.title) } == [["Class"], [], []])
    }

    @Test("I12: what the database takes and nobody can read spoils its own event alone")
    func hostileRows() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        try await world.register("bob", 2, start: token(2))
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let columns = [
            ("details", "'{\"n\": 1e400}'"), ("details", "'\(deep)'"), ("rrule", "'FREQ=NEVER'"),
            ("time_zone", "'Mars/Olympus'"), ("rrule", "repeat('x', 100000)"),
            ("title", "E'\\u2028\\x01\"\\\\'"), ("lead", "'31 days'"), ("duration", "'100 years'"),
        ]
        for (number, column) in columns.enumerated() {
            try await world.sql(
                """
                insert into cuecard.event (id, calendar_id, starts_at, \(column.0)) values ($1::uuid, $2::uuid, '2026-06-01 09:00', \(column.1))
                """, id(100 + number), World.calendar)
        }
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence, details) values ($1::uuid, '2026-06-01 09:00', '[1e999]')",
            id(105))
        try await world.sql("update cuecard.app set content_state = '{\"n\": 1e400}'")
        try await world.sql(
            "update cuecard.device set time_zone = 'Mars/Olympus', os_version = '99999999999999999999' where id = $1::uuid",
            id(2))
        let snapshots = try await load(world)
        #expect(snapshots.count == 2)
        let events = snapshots[0].events
        #expect(events.count == 9)
        let unreadable = events.filter { if case .failure = $0.series { true } else { false } }
        #expect(Set(unreadable.map(\.id.description)) == Set((100...105).map { id($0) }))
        #expect(throws: Never.self) { try events.first { $0.title == "Class" }?.series.get() }
        #expect(snapshots[1].device.hasKnownZone == false)
        #expect(throws: TemplateError.self) { try snapshots[0].app?.template.get() }
        // And planning them says so, and stops for none.
        for snapshot in snapshots { _ = decide(snapshot, at: now) }
    }

    @Test("I12: a card's content that lies too deep to be read inside the answer costs no other device")
    func deepContent() async throws {
        let world = try await World.withEvent()
        for number in 1...2 { try await world.register("ann", number, start: token(number)) }
        try await world.run(11, device: 1)
        for depth in [500, 505, 508, 509, 510, 511, 512, 513, 600] {
            let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            try await world.sql("update cuecard.run set content = $1::jsonb", deep)
            let snapshots = try await load(world)
            #expect(snapshots.count == 2, "\(depth)")
            for snapshot in snapshots { _ = decide(snapshot, at: now) }
        }
    }

    @Test(
        "I12: what could only spoil a batch is refused where it is written",
        arguments: [
            ("event", "starts_at", "'infinity'"), ("event", "starts_at", "'10000-01-01'"),
            ("event", "starts_at", "'0044-03-15 BC'"),
            ("event", "duration", "'-1 s'"), ("event", "duration", "'101 years'"), ("event", "rdates", "'{infinity}'"),
            ("event", "rdates", "'{2026-01-01,10000-01-01}'"), ("event", "exdates", "'{-infinity}'"),
            ("event", "lead", "'32 days'"),
            ("event", "lead", "'-1 s'"), ("event_override", "occurrence", "'infinity'"),
            ("event_override", "starts_at", "'-infinity'"),
            ("event_override", "duration", "'-1 s'"), ("app", "lead", "'-1 s'"), ("app", "lead", "'1 year'"),
            ("app", "stale_after", "'0'"),
            ("app", "linger", "'-1 s'"), ("app", "ending_lead", "'-1 s'"), ("app", "closes", "'never'"),
            ("app", "max_cards", "0"),
            ("app", "max_starts_per_hour", "0"), ("app", "bundle_id", "''"), ("app", "attributes_type", "''"),
            ("calendar", "kind", "'x'"),
            ("calendar", "owner_id", "''"), ("run", "occurrence", "'infinity'"), ("run", "generation", "0"),
            ("run", "state", "'x'"),
        ])
    func refusedWrites(table: String, column: String, value: String) async throws {
        let world = try await World.withEvent()
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence) values ($1::uuid, '2026-06-01 09:00')",
            World.event)
        try await world.run(11)
        let refused = try await refusal { try await world.sql("update cuecard.\(table) set \(column) = \(value)") }
        #expect(refused?.code == "23514")
    }

    @Test("Nulls and empty lists in an event's columns are as good as absent ones")
    func nulls() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1)
        try await world.sql(
            "update cuecard.event set title = null, location = null, rdates = null, exdates = null, details = null, rrule = ''"
        )
        let event = try #require(try await load(world).first?.events.first)
        #expect(event.title == "")
        #expect(event.details == .null)
        #expect(throws: Never.self) { try event.series.get() }
        try await world.sql("update cuecard.event set rdates = '{null}'")
        #expect(try await load(world).first?.events.count == 1)
    }

    @Test("I9: a single event that is long over is not read; one that can still have a card is")
    func pastEvents() async throws {
        let world = try await World.fresh()
        try await world.sql("insert into cuecard.calendar (id, owner_id) values ($1::uuid, 'ann')", World.calendar)
        try await world.register("ann", 1)
        for (number, (title, columns)) in [
            ("long over", "starts_at => '2026-05-20 09:00'"), ("yesterday", "starts_at => '2026-05-31 09:00'"),
            ("ahead", "starts_at => '2027-05-31 09:00'"),
            ("still on", "starts_at => '2026-05-20 09:00', duration => '11 days'"),
            ("rule", "starts_at => '2020-05-20 09:00', rrule => 'FREQ=DAILY'"),
            ("dates", "starts_at => '2020-05-20 09:00', rdates => '{2026-06-01 09:00}'"),
            ("moved here", "starts_at => '2026-05-20 09:00'"), ("moved away", "starts_at => '2026-05-20 09:00'"),
            ("running", "starts_at => '2026-05-20 09:00'"),
        ].enumerated() {
            let pairs = columns.components(separatedBy: ", ").map { $0.components(separatedBy: " => ") }
            try await world.sql(
                """
                insert into cuecard.event (id, calendar_id, title, \(pairs.map { $0[0] }.joined(separator: ", ")))
                values ('\(id(100 + number))', '\(World.calendar)', '\(title)', \(pairs.map { $0[1] }.joined(separator: ", ")))
                """)
        }
        try await world.sql(
            """
            insert into cuecard.event_override (event_id, occurrence, starts_at) values
                ('\(id(106))', '2026-05-20 09:00', '2026-06-01 09:00'), ('\(id(107))', '2026-05-20 09:00', '2026-05-21 09:00')
            """)
        try await world.run(11, event: id(108), occurrence: "2026-05-20 09:00", state: "confirmed")
        let titles = try await load(world)[0].events.map(\.title)
        #expect(Set(titles) == ["yesterday", "ahead", "still on", "rule", "dates", "moved here", "running"])
    }

    @Test("I1: an old settled card is read for as long as its occurrence can have one, moved or not")
    func oldRuns() async throws {
        let world = try await World.withEvent(starts: "2026-05-20 09:00")
        try await world.register("ann", 1)
        let old = ["closes_at": "'2026-05-20 10:00Z'", "started_at": "'2026-05-20 08:00Z'"]
        try await world.run(11, occurrence: "2026-05-20 09:00", state: "dismissed", old)
        #expect(try await load(world)[0].runs == [])
        // The occurrence is moved to today.
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence, starts_at) values ($1::uuid, '2026-05-20 09:00', '2026-06-01 09:00')",
            World.event)
        #expect(try await load(world)[0].runs.map(\.state) == [.dismissed])
        // Or it lasts until today, now.
        try await world.sql("delete from cuecard.event_override")
        try await world.sql("update cuecard.event set duration = '20 days'")
        #expect(try await load(world)[0].runs.map(\.state) == [.dismissed])
        // A live one is always read.
        try await world.sql("update cuecard.event set duration = '1 h'")
        #expect(try await load(world)[0].runs == [])
        try await world.sql("update cuecard.run set state = 'unknown'")
        #expect(try await load(world)[0].runs.count == 1)
    }

    @Test("An occurrence that an override prolongs, wherever it begins, is read until it is over")
    func prolonged() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1)
        try await world.sql("update cuecard.event set starts_at = '2026-05-28 09:00', rrule = null, rdates = '{}'")
        #expect(try await load(world)[0].events.count == 0)
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence, duration) values ($1::uuid, '2026-05-28 09:00', '5 days')",
            World.event)
        #expect(try await load(world)[0].events.count == 1)
    }

    @Test("A settled card is owed its end for 12 hours, whatever becomes of it")
    func owedEnd() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1)
        try await world.run(11, state: "dismissed", ["update_token": "'aa'"])
        for (started, owed) in [("2026-05-31 20:00:01Z", PushToken("aa")), ("2026-05-31 20:00Z", nil)] {
            try await world.sql("update cuecard.run set started_at = $1::timestamptz", started)
            #expect(try await load(world)[0].runs.map(\.updateToken) == [owed])
        }
    }

    @Test("A run outlives its event: deleted, soft or hard, it is said to be gone")
    func deletedEvent() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1)
        try await world.run(11, state: "confirmed")
        #expect(try await load(world)[0].runs.map(\.eventExists) == [true])
        try await world.sql("update cuecard.event set deleted_at = '2999-01-01'")
        #expect(try await load(world)[0].runs.map(\.eventExists) == [false])
        try await world.sql("delete from cuecard.event")
        #expect(try await load(world)[0].runs.map(\.eventExists) == [false])
    }
}
