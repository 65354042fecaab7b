import Foundation
import LiveActivity
import PostgresStore
import TestSupport
import Testing
import Tick

/// What a team's own set-up brings with it, over whole ticks: its user ids, its schema, its tables.
@Suite("Teams' own shapes", .fewAtATime)
struct TeamShapeTests {
    /// Half an hour before the class.
    private let now = Date(timeIntervalSince1970: 1_780_302_600)  // 2026-06-01 08:30Z

    /// Firebase's, Clerk's, Auth0's and Supabase's.
    @Test(
        "A person is the token's sub, any text, from the wrappers in public to the card and to its being forgotten",
        arguments: [
            "xYz123AbCdEfGhIjKlMnOpQrStU2", "user_2abcDEF", "auth0|5f7c8ec7", "0b8f3f0c-6a4e-4c1e-9a51-2f5f0c3f9d11",
        ])
    func anyUserID(user: String) async throws {
        let world = try await World.withEvent(of: user)
        try await world.sql(try SQLFiles.text("examples/public_wrappers.sql"))
        // Other sign-ins' tokens hold more than a sub.
        let claims = #"{"iss": "https://issuer.example.com", "aud": "app", "role": "authenticated", "sub": "\#(user)"}"#
        @Sendable func rpc(_ call: String) async throws -> JSON {
            let rows = try await world.sql(as: "authenticated", claims: claims, "select public." + call)
            return try rows.first?.first?.flatMap { $0.isEmpty ? nil : try JSON(parsing: $0) } ?? .null
        }
        let registered = try await rpc(
            """
            register_device(device_id => '\(id(1))', bundle_id => '\(World.bundle)', apns_environment => 'production',
                time_zone => 'UTC', push_to_start_token => '\(token(1))', wake_token => '\(token(2))')
            """)
        #expect(registered["server_starts"] == true)
        #expect(try await world.device(1, "user_id") == user)
        let apns = APNs()
        #expect(try await tick(at: now, with: apns.clients(world.worker())).started == 1)

        // The phone tells of its card; somebody whose id differs in case alone is somebody else.
        let run = try #require(try await world.value("select id from cuecard.run"))
        let tokenCall = "register_activity(run_id => '\(run)', activity_id => 'A', update_token => '\(token(3))')"
        let other = user.contains(where: \.isLowercase) ? user.uppercased() : user.lowercased()
        #expect(try await refusal { try await world.call(other, "public." + tokenCall) } != nil)
        #expect(try await rpc(tokenCall)["end"] == false)
        #expect(try await world.sql(as: "authenticated", claims: claims, "select id from cuecard.run") == [[run]])
        #expect(
            try await refusal { try await world.call(other, "public.unregister_device(device_id => '\(id(1))')") }?.code
                == "42501")

        #expect(
            try await rpc("report_activity(run_id => '\(run)', activity_id => 'A', state => 'dismissed')")["state"]
                == "dismissed")
        _ = try await rpc("unregister_device(device_id => '\(id(1))')")
        #expect(try await world.device(1, "push_to_start_token") == nil)
        try await world.sql(as: "service_role", "select cuecard.forget_user($1)", [user])
        // The queue's rows of the deletion hold ids alone, and go with the next tick.
        #expect(try await world.value("select count(*) from cuecard.change where user_id is not null") == "0")
        #expect(try await tick(at: now + 60, with: apns.clients(world.worker())).claimed == 0)
        for table in ["device", "run", "attempt", "calendar", "event", "change"] {
            #expect(try await world.value("select count(*) from cuecard.\(table)") == "0", "\(table)")
        }
    }

    @Test("A person who is forgotten while their card is up: the next tick has nothing to do for them, nor to fail at")
    func forgottenWithACard() async throws {
        let world = try await World.withEvent(of: "user_2abc")
        try await world.register("user_2abc", 1, start: token(1))
        let apns = APNs()
        #expect(try await tick(at: now, with: apns.clients(world.worker())).started == 1)
        try await world.sql(as: "service_role", "select cuecard.forget_user('user_2abc')")
        for minutes in [1, 31, 121] {
            let report = try await tick(at: now + Double(minutes) * 60, with: apns.clients(world.worker()))
            #expect(report.claimed == 0)
            #expect(report.faults.isEmpty, "\(report.faults)")
        }
        #expect(apns.pushes.map(\.event) == [.start])
        for table in ["device", "run", "attempt", "calendar", "event", "change"] {
            #expect(try await world.value("select count(*) from cuecard.\(table)") == "0", "\(table)")
        }
    }

    @Test("A mirrored event is a card: as it is imported anew, renamed, put into the bin and taken out again")
    func mirroredEvent() async throws {
        let world = try await World.fresh()
        try await world.sql(try SQLFiles.text("examples/mirror_events.sql"))
        try await world.register("xYz123", 1, start: token(1))
        try await world.sql(#"insert into public."Calendars" values ($1::uuid, 'xYz123', false, '')"#, World.calendar)
        let insert = """
            insert into public."Events" ("eventId", "calendarId", "name", "startLocal", "timeZone", "repeat")
            values ($1::uuid, $2::uuid, $3, '2026-06-01 09:00', 'UTC', 'FREQ=DAILY')
            """
        try await world.sql(insert, World.event, World.calendar, "Class")
        let apns = APNs()
        #expect(try await tick(at: now, with: apns.clients(world.worker())).started == 1)
        let run = try #require(try await world.value("select id from cuecard.run"))
        try await world.call(
            "xYz123", "cuecard.register_activity(run_id => $1::uuid, activity_id => 'A', update_token => $2)", run,
            token(3))

        // Emptied and filled again in one transaction, as an import does it: nothing on the phone changes but the name.
        try await world.owner.transaction { run in
            _ = try run(Statement("test", #"delete from public."Events""#))
            _ = try run(Statement("test", insert, [World.event, World.calendar, "Swimming"]))
        }
        #expect(try await tick(at: now + 120, with: apns.clients(world.worker())).updated == 1)
        try await world.sql(#"update public."Events" set "removedAt" = now()"#)
        #expect(try await tick(at: now + 240, with: apns.clients(world.worker())).ended == 1)
        #expect(apns.pushes.map(\.event) == [.start, .update, .end])

        try await world.sql(#"update public."Events" set "removedAt" = null"#)
        let tomorrow = now + 24 * 3600
        #expect(try await tick(at: tomorrow, with: apns.clients(world.worker())).started == 1)
    }

    @Test("A bad rule is refused where the app writes it, or passed over by the tick; its neighbours have their cards")
    func mirroredBadRule() async throws {
        let world = try await World.fresh()
        try await world.sql(try SQLFiles.text("examples/mirror_events.sql"))
        try await world.register("xYz123", 1, start: token(1))
        try await world.sql(#"insert into public."Calendars" values ($1::uuid, 'xYz123', false, '')"#, World.calendar)
        for (number, rule) in [(1, "FREQ=SOMETIMES"), (2, "FREQ=DAILY")] {
            let insert = """
                insert into public."Events" ("eventId", "calendarId", "name", "startLocal", "timeZone", "repeat")
                values ($1::uuid, $2::uuid, 'Class', '2026-06-01 09:00', 'UTC', $3)
                """
            _ = try await refusal { try await world.sql(insert, id(number), World.calendar, rule) }
        }
        let apns = APNs()
        #expect(try await tick(at: now, with: apns.clients(world.worker())).started == 1)
        #expect(try await world.value("select event_id from cuecard.run") == id(2))
    }
}
