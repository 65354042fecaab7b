import Foundation
import LiveActivity
import PostgresStore
import Testing

@Suite("register_device and unregister_device")
struct RegisterDeviceTests {
    @Test("A first registration needs app and environment; later ones keep what they do not name")
    func keepsWhatIsAbsent() async throws {
        let world = try await World.fresh()
        #expect(
            try await refusal { try await world.call("ann", "cuecard.register_device($1::uuid)", id(1)) }?.code
                == "22004")
        try await world.call(
            "ann",
            """
            cuecard.register_device($1::uuid, 'com.example.app', 'sandbox', 'Asia/Seoul', 'ko-KR', $2, $3, 'ExponentPushToken[x]',
                false, false, true, true, '18.2', '1.0')
            """, id(1), token(1).uppercased(), token(2))
        let before = try await stored(world)
        #expect(before["push_to_start_token"] == token(1))
        #expect(before["wake_token"] == token(2))
        #expect(before["shows_personal"] == "false")
        try await world.call("ann", "cuecard.register_device($1::uuid)", id(1))
        #expect(try await stored(world) == before)

        // An empty string clears a token, and nothing else.
        try await world.call("ann", "cuecard.register_device($1::uuid, locale => '', wake_token => '')", id(1))
        var cleared = before
        cleared["wake_token"] = nil
        #expect(try await stored(world) == cleared)
    }

    private func stored(_ world: World) async throws -> [String: String] {
        let rows = try await world.sql(
            """
            select key, value from cuecard.device d, jsonb_each_text(to_jsonb(d) - array['registered_at', 'wake_registered_at',
                'last_seen', 'revision', 'next_due_at']) where value is not null
            """)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] ?? "", $0[1] ?? "") })
    }

    @Test(
        "What cannot be is refused, with the argument and the mend",
        arguments: [
            ("apns_environment => 'beta'", "22023", "apns_environment"),
            ("time_zone => 'Asia/Atlantis'", "22023", "time_zone"),
            ("time_zone => ''", "22023", "time_zone"), ("time_zone => 'asia/seoul'", "22023", "time_zone"),
            ("time_zone => 'Foo5'", "22023", "time_zone"), ("locale => repeat('x', 65)", "22023", "locale"),
            ("push_to_start_token => 'xyz'", "22023", "push_to_start_token"),
            ("push_to_start_token => 'abc'", "22023", "push_to_start_token"),
            ("wake_token => repeat('ab', 257)", "22023", "wake_token"),
            ("wake_token => E'ab\\ncd'", "22023", "wake_token"),
            ("expo_token => repeat('x', 201)", "22023", "expo_token"),
            ("os_version => repeat('x', 65)", "22023", "os_version"),
            ("app_version => repeat('x', 65)", "22023", "app_version"),
            ("bundle_id => 'com.example.other'", "23503", "app"),
        ])
    func badArguments(argument: String, code: String, name: String) async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1)
        let refused = try await refusal {
            try await world.call("ann", "cuecard.register_device('\(id(1))', \(argument))")
        }
        #expect(refused?.code == code)
        #expect(refused?.message.contains(name) == true, "\(refused?.message ?? "")")
        #expect(refused?.hint != nil)
        #expect(try await refusal { try await world.call("ann", "cuecard.register_device(null)") }?.code == "22004")
    }

    @Test("Nobody signed in is told so", arguments: ["", "{}", #"{"sub":""}"#, #"{"role":"x"}"#, "[]", "not json"])
    func nobody(claims: String) async throws {
        let world = try await World.fresh()
        let refused = try await refusal {
            try await world.sql(
                as: "authenticated", claims: claims,
                "select cuecard.register_device('\(id(1))', 'com.example.app', 'sandbox')")
        }
        #expect(refused?.code == "28000")
        #expect(refused?.hint?.contains("request.jwt.claims") == true)
    }

    @Test("FR-33: the answer says whether the server starts cards, and else why not")
    func serverStarts() async throws {
        let world = try await World.fresh()
        #expect(try await world.register("ann", 1)["reason"] == "no_start_token")
        let told = try await world.register("ann", 1, start: token(1))
        #expect(told["server_starts"] == true)
        #expect(told["reason"] == .null)
        #expect(
            try await world.register("ann", 1, more: ", live_activities_enabled => false")["reason"]
                == "live_activities_off")
    }

    @Test("I6: a lane that ticks pass by without a key is said to have none, also where it once had one")
    func noKey() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        let worker = try world.worker(bundles: ["com.example.other"])
        _ = try await worker.beginTick(.init(), at: .init())
        #expect(try await world.register("ann", 1)["reason"] == "no_key")

        _ = try await world.worker().beginTick(.init(), at: .init())
        #expect(try await world.register("ann", 1)["server_starts"] == true)
        // A worker beside it that has another key changes nothing; twenty minutes without ours do.
        _ = try await worker.beginTick(.init(), at: .init())
        #expect(try await world.register("ann", 1)["server_starts"] == true)
        try await world.sql("update cuecard.lane set served_at = clock_timestamp() - interval '20 min'")
        _ = try await worker.beginTick(.init(), at: .init())
        #expect(try await world.register("ann", 1)["reason"] == "no_key")
    }

    @Test("The live runs are listed, the caller's own only")
    func runs() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        try await world.run(11, state: "confirmed")
        try await world.run(12, generation: 2, state: "ended")
        try await world.run(13, user: "bea", generation: 3, state: "accepted")
        let runs = try await world.register("ann", 1)["runs"]?.list ?? []
        #expect(
            runs == [
                [
                    "run_id": .string(id(11)), "event_id": .string(World.event), "occurrence": "2026-06-01T09:00:00",
                    "state": "confirmed",
                ]
            ])
    }

    @Test("FR-35: switched off, the start token goes in the same transaction, and the device is planned again")
    func switchedOff() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        try await world.drain()
        try await world.register("ann", 1, more: ", live_activities_enabled => false")
        #expect(try await world.device(1, "push_to_start_token") == nil)
        #expect(try await world.isDue(1))
        // A token that is told while they are off is not kept.
        try await world.register("ann", 1, start: token(2))
        #expect(try await world.device(1, "push_to_start_token") == nil)
        try await world.register("ann", 1, start: token(2), more: ", live_activities_enabled => true")
        #expect(try await world.device(1, "push_to_start_token") == token(2))
    }

    @Test("FR-52: a newer start token replaces the older one")
    func newerToken() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1))
        try await world.register("ann", 1, start: token(2))
        #expect(try await world.sql("select push_to_start_token from cuecard.device") == [[token(2)]])
    }

    @Test("Tokens of one environment are not kept for the other")
    func environmentChanges() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1), wake: token(2))
        try await world.call("ann", "cuecard.register_device($1::uuid, apns_environment => 'sandbox')", id(1))
        #expect(try await world.device(1, "num_nonnulls(push_to_start_token, wake_token)") == "0")
        try await world.call(
            "ann", "cuecard.register_device($1::uuid, apns_environment => 'production', push_to_start_token => $2)",
            id(1), token(3))
        #expect(try await world.device(1, "push_to_start_token") == token(3))
    }

    @Test("Times of registration: the start token's and the wake token's are told apart")
    func registeredAt() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1), wake: token(2))
        let old = "timestamptz '2026-01-01'"
        try await world.sql(
            "update cuecard.device set registered_at = \(old), wake_registered_at = \(old), last_seen = \(old)")
        func isOld() async throws -> [String?] {
            try await world.sql(
                "select registered_at = \(old), wake_registered_at = \(old), last_seen = \(old) from cuecard.device")[0]
        }
        try await world.register("ann", 1)
        #expect(try await isOld() == ["t", "t", "f"])
        try await world.register("ann", 1, wake: token(2))
        #expect(try await isOld() == ["t", "f", "f"])
        try await world.register("ann", 1, start: token(1))
        #expect(try await isOld() == ["f", "f", "f"])
    }

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

    // MARK: Log-out

    @Test("Log-out: the start token goes, the others stay; twice is as once; another's is refused")
    func unregister() async throws {
        let world = try await World.fresh()
        try await world.register("ann", 1, start: token(1), wake: token(2), expo: "ExponentPushToken[a]")
        try await world.drain()
        try await world.call("ann", "cuecard.unregister_device($1::uuid)", id(1))
        let first = try await world.sql(
            "select push_to_start_token, wake_token, expo_token, unregistered_at from cuecard.device")[0]
        #expect(Array(first.prefix(3)) == [nil, token(2), "ExponentPushToken[a]"])
        #expect(first[3] != nil)
        #expect(try await world.isDue(1))
        try await world.call("ann", "cuecard.unregister_device($1::uuid)", id(1))
        #expect(
            try await world.sql(
                "select push_to_start_token, wake_token, expo_token, unregistered_at from cuecard.device")[0] == first)
        for (user, device) in [("bob", id(1)), ("ann", id(7))] {
            #expect(
                try await refusal { try await world.call(user, "cuecard.unregister_device($1::uuid)", device) }?.code
                    == "42501")
        }
        #expect(try await refusal { try await world.call("ann", "cuecard.unregister_device(null)") }?.code == "42501")
        // Registered again, it is back.
        try await world.register("ann", 1, start: token(3))
        #expect(try await world.device(1, "unregistered_at") == nil)
    }

    @Test("forget_user erases a person, and the backend alone may call it")
    func forgetUser() async throws {
        let world = try await World.withEvent(of: "ann")
        try await world.sql(
            "insert into cuecard.calendar (id, owner_id, kind) values ($1::uuid, 'bob', 'shared')", id(50))
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'ann'), ($1::uuid, 'cis')", id(50))
        for (number, user) in [(1, "ann"), (2, "bob")] {
            try await world.register(user, number, start: token(number))
            try await world.run(number + 10, device: number, user: user)
            try await world.sql(
                "insert into cuecard.attempt (id, tick_id, device_id, run_id, event, decided_at) values ($1::uuid, $1::uuid, $2::uuid, $3::uuid, 'start', now())",
                id(number + 20), id(number), id(number + 10))
        }
        #expect(try await refusal { try await world.call("ann", "cuecard.forget_user('ann')") }?.code == "42501")
        try await world.sql(as: "service_role", "select cuecard.forget_user('ann')")
        for table in ["device", "run", "attempt", "calendar", "calendar_member", "event", "change"] {
            let left = try await world.value(
                "select count(*) from cuecard.\(table) x where x::text like '%ann%' or x::text like '%' || $1 || '%'",
                id(1))
            #expect(left == "0", "\(table)")
        }
        #expect(try await world.sql("select user_id from cuecard.device") == [["bob"]])
        #expect(try await world.sql("select user_id from cuecard.calendar_member") == [["cis"]])
        #expect(try await world.value("select count(*) from cuecard.attempt") == "1")
    }
}
