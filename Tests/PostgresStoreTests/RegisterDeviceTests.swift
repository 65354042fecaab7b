import Foundation
import LiveActivity
import PostgresStore
import TestSupport
import Testing

@Suite("register_device and unregister_device", .fewAtATime)
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
            ("time_zone => 'localtime'", "22023", "time_zone"), ("time_zone => 'Factory'", "22023", "time_zone"),
            ("time_zone => 'posix/Asia/Seoul'", "22023", "time_zone"),
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
