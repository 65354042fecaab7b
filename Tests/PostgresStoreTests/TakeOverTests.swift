import Foundation
import LiveActivity
import PostgresStore
import TestSupport
import Testing

/// Who may have a device, and what comes along with it.
@Suite("Take-over and reinstallation", .fewAtATime)
struct TakeOverTests {
    // MARK: Another account

    @Test("Another account's device id is refused without one of its tokens, and nothing of it changes")
    func notMine() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1), wake: token(2), expo: "ExponentPushToken[a]")
        let before = try await world.sql("select d::text from cuecard.device d")
        for attempt in [
            "", ", push_to_start_token => '\(token(9))'", ", wake_token => ''", ", expo_token => ''",
            ", push_to_start_token => ''",
        ] {
            let refused = try await refusal {
                try await world.call(
                    "bob", "cuecard.register_device('\(id(1))', 'com.example.app', 'production'\(attempt))")
            }
            #expect(refused?.code == "42501", "\(attempt)")
            #expect(refused?.hint?.contains("new device id") == true)
        }
        // A device without any token proves nothing either.
        try await world.register("cis", 2)
        #expect(try await refusal { try await world.register("bob", 2, start: token(9), expo: "") }?.code == "42501")
        #expect(try await refusal { try await world.register("bob", 2, start: "", wake: "") }?.code == "42501")
        #expect(try await world.sql("select d::text from cuecard.device d where user_id = 'ann'") == before)
    }

    @Test("With one of its tokens it is taken over, and nothing of the former user's stays", arguments: 0..<3)
    func takeOver(which: Int) async throws {
        let world = try await World.withEvent()
        let expo = "ExponentPushToken[a]"
        try await world.register(
            "ann", 1, start: token(1), wake: token(2), expo: expo,
            more:
                ", time_zone => 'Asia/Seoul', locale => 'ko', shows_shared => false, os_version => '18', app_version => '2', frequent_pushes_enabled => true"
        )
        try await world.run(11, state: "confirmed", ["update_token": "'aabb'"])
        try await world.drain()
        let answer = try await world.register(
            "bob", 1, start: which == 0 ? token(1) : nil, wake: which == 1 ? token(2) : nil,
            expo: which == 2 ? expo : nil)
        #expect(answer["runs"] == [])
        let row = try await world.sql(
            """
            select user_id, push_to_start_token, wake_token, expo_token, time_zone, locale, shows_shared, os_version, app_version,
                frequent_pushes_enabled from cuecard.device
            """)[0]
        #expect(
            row == [
                "bob", which == 0 ? token(1) : nil, which == 1 ? token(2) : nil, which == 2 ? expo : nil, "UTC", "en",
                "t", nil, nil,
                "f",
            ])
        #expect(try await world.isDue(1))
        // The run names its user still, so that the tick ends it and the new one cannot read it.
        #expect(try await world.run(11, "user_id") == "ann")
        #expect(try await world.sql(as: "authenticated", claims: #"{"sub":"bob"}"#, "select id from cuecard.run") == [])
        // And the former account has lost it.
        #expect(try await refusal { try await world.register("ann", 1) }?.code == "42501")
    }

    @Test("A logged-out device that holds no token is free; one that still holds any is not")
    func loggedOutDevice() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1), wake: token(2))
        try await world.call("ann", "cuecard.unregister_device($1::uuid)", id(1))
        #expect(try await refusal { try await world.register("bob", 1) }?.code == "42501")
        try await world.sql("update cuecard.device set wake_token = null")
        try await world.register("bob", 1)
        #expect(try await world.device(1, "user_id || coalesce(unregistered_at::text, '')") == "bob")
    }

    @Test("Two accounts that register one new device id at once: the first has it, the second is refused")
    func raceForOneID() async throws {
        let world = try await World.fresh()
        for round in 1...20 {
            let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
                for (index, user) in ["ann", "bob", "cis", "dan"].enumerated() {
                    let connection = try world.onAnotherConnection()
                    group.addTask {
                        try await refusal {
                            try await connection.register(user, round, start: token(round * 10 + index))
                        } != nil
                    }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(refused == 3)
            let row = try await world.sql(
                "select user_id, push_to_start_token from cuecard.device where id = $1::uuid", id(round))[0]
            let expected = ["ann", "bob", "cis", "dan"].firstIndex { $0 == row[0] }.map { token(round * 10 + $0) }
            #expect(row[1] == expected)
        }
    }

    // MARK: Reinstallation

    @Test("I1: the same token under a new device id of the same user carries all runs along, dismissed ones too")
    func reinstallation() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1), wake: token(2))
        try await world.run(11, state: "confirmed", ["update_token": "'aabb'", "activity_id": "'A'"])
        try await world.run(12, occurrence: "2026-06-02 09:00", state: "dismissed")
        try await world.sql(
            """
            insert into cuecard.attempt (id, tick_id, device_id, run_id, event, decided_at)
            values ($1::uuid, $1::uuid, $2::uuid, $3::uuid, 'start', now())
            """, id(90), id(1), id(11))
        let answer = try await world.register("ann", 2, start: token(1))
        #expect(answer["runs"]?.list.count == 1)
        #expect(try await world.sql("select id from cuecard.device") == [[id(2)]])
        #expect(
            try await world.sql("select id, device_id, state, generation from cuecard.run order by id") == [
                [id(11), id(2), "confirmed", "1"], [id(12), id(2), "dismissed", "1"],
            ])
        #expect(try await world.value("select device_id from cuecard.attempt") == id(2))
        // The app's late word under the run's id still counts.
        #expect(
            try await world.call("ann", "cuecard.report_activity($1::uuid, 'A', 'opened')", id(11))["state"]
                == "confirmed")
    }

    @Test("Where both device ids have runs of one occurrence, the carried ones get the next generations in their order")
    func generationsMeet() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        try await world.register("ann", 2, wake: token(2))
        try await world.run(11, device: 1, generation: 1, state: "ended")
        try await world.run(12, device: 1, generation: 2, state: "confirmed")
        try await world.run(21, device: 2, generation: 1, state: "dismissed")
        try await world.run(22, device: 2, generation: 3, state: "ended")
        try await world.register("ann", 2, start: token(1))
        #expect(
            try await world.sql("select id, generation from cuecard.run order by generation") == [
                [id(21), "1"], [id(22), "3"], [id(11), "4"], [id(12), "5"],
            ])
    }

    @Test("The same token under another user's new device id takes the old row over; its cards stay the former user's")
    func otherUsersOldRow() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1), wake: token(2), expo: "ExponentPushToken[a]")
        try await world.run(11, state: "confirmed", ["update_token": "'aabb'"])
        let answer = try await world.register("bob", 2, wake: token(2))
        #expect(answer["runs"] == [])
        #expect(
            try await world.sql("select id, user_id, push_to_start_token from cuecard.device") == [[id(2), "bob", nil]])
        #expect(try await world.sql("select device_id, user_id from cuecard.run") == [[id(2), "ann"]])
    }

    @Test("A token told while cards are off, or in another environment or app, is judged by the row it belongs to")
    func sameTokenElsewhere() async throws {
        let world = try await World.fresh()
        try await world.sql("insert into cuecard.app (bundle_id, attributes_type) values ('com.example.other', 'B')")
        try await world.register("ann", 1, start: token(1))
        try await world.call(
            "ann", "cuecard.register_device($1::uuid, 'com.example.app', 'sandbox', push_to_start_token => $2)", id(2),
            token(1))
        try await world.call(
            "ann", "cuecard.register_device($1::uuid, 'com.example.other', 'production', push_to_start_token => $2)",
            id(3), token(1))
        #expect(try await world.value("select count(*) from cuecard.device") == "3")
        // Off and with the token of the old row: no start may go there any more.
        try await world.register("ann", 4, start: token(1), more: ", live_activities_enabled => false")
        #expect(try await world.sql("select id from cuecard.device order by id") == [[id(2)], [id(3)], [id(4)]])
    }

    @Test("I1: twenty registrations of one token under new device ids at once leave one row")
    func raceForOneToken() async throws {
        let world = try await World.fresh()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                let connection = try world.onAnotherConnection()
                group.addTask { try await connection.register("ann", number, start: token(1), wake: token(2)) }
            }
            try await group.waitForAll()
        }
        #expect(try await world.value("select count(*) from cuecard.device") == "1")
    }

    @Test("A lease on the old row goes along, so that its worker can record its answers first")
    func leaseGoesAlong() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        let worker = try world.worker()
        #expect(try await worker.claimDue(.init(), at: .init(), limit: 10).count == 1)
        try await world.register("ann", 2, start: token(1))
        #expect(try await worker.claimDue(.init(), at: .init(), limit: 10) == [])
        try await world.sql("update cuecard.device set claimed_until = clock_timestamp() - interval '1 s'")
        #expect(try await worker.claimDue(.init(), at: .init(), limit: 10).count == 1)
    }
}
