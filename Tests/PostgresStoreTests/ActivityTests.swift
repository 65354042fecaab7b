import LiveActivity
import PostgresStore
import TestSupport
import Testing

@Suite("register_activity and report_activity", .fewAtATime)
struct ActivityTests {
    /// Ann's phone 1 with run 11 in a state.
    private func world(_ state: String = "accepted", _ more: [String: String] = [:]) async throws -> World {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        try await world.run(11, state: state, more)
        try await world.drain()
        return world
    }

    private func register(
        _ world: World, _ activity: String, _ update: String? = nil, run: Int = 11, user: String = "ann"
    ) async throws -> JSON {
        try await world.call(user, "cuecard.register_activity($1::uuid, $2, $3)", id(run), activity, update)
    }

    private func report(_ world: World, _ state: String, _ activity: String? = "A", run: Int = 11) async throws
        -> String?
    {
        try await world.call("ann", "cuecard.report_activity($1::uuid, $2, $3)", id(run), activity, state)["state"]?
            .text
    }

    // MARK: register_activity

    @Test(
        "Accepted in every state; one that is not wanted any more is to be ended",
        arguments: [
            ("claimed", "confirmed", false), ("accepted", "confirmed", false), ("unknown", "confirmed", false),
            ("failed", "confirmed", false), ("confirmed", "confirmed", false), ("ending", "ending", true),
            ("ended", "ended", true),
            ("dismissed", "dismissed", true),
        ])
    func everyState(state: String, after: String, end: Bool) async throws {
        let settled = ["failed", "ended", "dismissed"].contains(state)
        let world = try await world(
            state, settled ? ["settled_at": "now()", "retry_at": "now()"] : ["retry_at": "now()"])
        #expect(try await register(world, "A", token(5)) == ["state": .string(after), "end": .bool(end)])
        let row = try await world.sql(
            "select state, activity_id, update_token, confirmed_at is not null, retry_at, settled_at is not null from cuecard.run"
        )[0]
        #expect(row == [after, "A", token(5), "t", nil, settled && state != "failed" ? "t" : "f"])
        #expect(try await world.isDue(1))
    }

    @Test("Without an update token it is confirmed only, and a token that is there stays; an empty one clears it")
    func withoutToken() async throws {
        let world = try await world()
        #expect(try await register(world, "A") == ["state": "confirmed", "end": false])
        #expect(try await world.run(11, "update_token") == nil)
        _ = try await register(world, "A", token(5))
        _ = try await register(world, "A")
        #expect(try await world.run(11, "update_token") == token(5))
        _ = try await register(world, "A", "")
        #expect(try await world.run(11, "update_token") == nil)
    }

    @Test("FR-22: the token rotates, the activity stays: one row, the newest token")
    func rotation() async throws {
        let world = try await world()
        _ = try await register(world, "A", token(5))
        let revision = try await world.device(1, "revision")
        _ = try await register(world, "A", token(6).uppercased())
        #expect(try await world.sql("select activity_id, update_token from cuecard.run") == [["A", token(6)]])
        #expect(try await world.device(1, "revision") != revision)
    }

    @Test("FR-20b: an old activity registered after a newer one is ended by its own token; the newer one's stays")
    func secondActivity() async throws {
        let world = try await world("confirmed", ["started_at": "timestamptz '2026-06-01 08:00Z'"])
        _ = try await register(world, "NEW", token(5))
        #expect(try await register(world, "OLD", token(6)) == ["state": "ending", "end": true])
        #expect(
            try await world.sql(
                "select activity_id, update_token, state, reason, generation from cuecard.run order by generation") == [
                    ["NEW", token(5), "confirmed", nil, "1"], ["OLD", token(6), "ending", "second_card", "2"],
                ])
        // Again, and with a rotated token: still the same two.
        #expect(try await register(world, "OLD", token(7))["end"] == true)
        _ = try await register(world, "NEW", token(8))
        #expect(
            try await world.sql("select activity_id, update_token from cuecard.run order by generation") == [
                ["NEW", token(8)], ["OLD", token(7)],
            ])
        // What is said of the second one leaves the first alone.
        #expect(try await report(world, "ended", "OLD") == "ended")
        #expect(try await world.run(11, "state") == "confirmed")
    }

    @Test("A card that had been given up is there after all: no new generation until its own end")
    func givenUp() async throws {
        let world = try await world(
            "ended", ["reason": "'missing'", "gone_at": "now()", "settled_at": "now()", "missing_at": "now()"])
        #expect(try await register(world, "A", token(5))["end"] == true)
        #expect(
            try await world.sql("select gone_at, missing_at, update_token from cuecard.run") == [[nil, nil, token(5)]])
        // But a late word about a card that the app has already ended brings nothing back.
        let other = try await self.world("ended", ["activity_id": "'A'", "gone_at": "now()", "settled_at": "now()"])
        _ = try await register(other, "A", token(5))
        #expect(try await other.run(11, "gone_at is not null") == "t")
    }

    @Test("Another's run is refused, as one that is not there; so is a bad id or token")
    func refused() async throws {
        let world = try await world()
        try await world.register("bob", 2, start: token(2))
        for (user, run) in [("bob", 11), ("ann", 99)] {
            let refused = try await refusal { _ = try await register(world, "A", run: run, user: user) }
            #expect(refused?.code == "42501")
        }
        #expect(
            try await refusal { try await world.call("ann", "cuecard.register_activity($1::uuid)", id(11)) }?.code
                == "22004")
        #expect(try await refusal { _ = try await register(world, "") }?.code == "22023")
        #expect(
            try await refusal { _ = try await register(world, String(repeating: "x", count: 201)) }?.code == "22023")
        #expect(try await refusal { _ = try await register(world, "A", "xyz") }?.code == "22023")
        #expect(
            try await refusal { try await world.call("ann", "cuecard.register_activity(activity_id => 'A')") }?.code
                == "22004")
    }

    @Test("The device's new account may register a former one's card, which is to be ended")
    func formerAccount() async throws {
        let world = try await world()
        try await world.register("bob", 1, start: token(1))
        #expect(try await register(world, "A", token(5), user: "bob") == ["state": "confirmed", "end": true])
        #expect(try await refusal { _ = try await register(world, "A", token(5), user: "ann") }?.code == "42501")
    }

    // MARK: Cards that the app started

    private func appStarted(
        _ world: World, _ activity: String, _ occurrence: String = "2026-06-01 09:00", event: String = World.event,
        update: String? = nil
    ) async throws -> JSON {
        try await world.call(
            "ann",
            "cuecard.register_activity(device_id => $1::uuid, event_id => $2::uuid, occurrence => $3::timestamp, activity_id => $4, update_token => $5)",
            id(1), event, occurrence, activity, update)
    }

    @Test("It gets a run of its own, once, whatever the occurrence; the next tick judges it")
    func ownRun() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        #expect(try await appStarted(world, "A", update: token(5)) == ["state": "confirmed", "end": false])
        #expect(
            try await appStarted(world, "A", "2026-06-01 09:00:00.4", update: token(6)) == [
                "state": "confirmed", "end": false,
            ])
        #expect(
            try await world.sql(
                "select occurrence, state, reason, started_at, update_token, generation from cuecard.run") == [
                    ["2026-06-01 09:00:00", "confirmed", "app_started", nil, token(6), "1"]
                ])
        #expect(try await appStarted(world, "B", "1999-01-01 00:00", event: id(77))["state"] == "confirmed")
        #expect(try await world.value("select count(*) from cuecard.run") == "2")
    }

    @Test(
        "It joins a live run; where that has an activity already, it is the second card",
        arguments: ["claimed", "accepted", "unknown", "confirmed"])
    func joins(state: String) async throws {
        let world = try await world(state)
        #expect(try await appStarted(world, "A") == ["state": "confirmed", "end": false])
        #expect(try await world.sql("select id, activity_id, state from cuecard.run") == [[id(11), "A", "confirmed"]])
        #expect(try await appStarted(world, "B")["end"] == true)
        // The card that the server started comes late: it is the second one too.
        #expect(try await register(world, "C", token(5))["end"] == true)
        #expect(try await world.value("select count(*) from cuecard.run where state = 'confirmed'") == "1")
    }

    @Test("It does not join a settled run, nor a former account's")
    func joinsNot() async throws {
        let world = try await world("ended")
        #expect(try await appStarted(world, "A")["end"] == false)
        #expect(try await world.value("select max(generation) from cuecard.run") == "2")
        let other = try await self.world("accepted")
        try await other.sql("update cuecard.run set user_id = 'zoe'")
        #expect(try await appStarted(other, "A")["end"] == false)
        #expect(try await other.sql("select user_id from cuecard.run order by generation") == [["zoe"], ["ann"]])
    }

    @Test(
        "What cannot be an occurrence is refused, so that it spoils no batch",
        arguments: ["infinity", "-infinity", "12026-06-01 09:00", "0044-03-15 BC"])
    func impossibleOccurrence(text: String) async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        #expect(try await refusal { _ = try await appStarted(world, "A", text) }?.code == "22008")
    }

    @Test("Two activities of one occurrence at once: one run stays, the other is to be ended")
    func race() async throws {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1))
        let ends = try await withThrowingTaskGroup(of: JSON?.self) { group in
            for number in 1...8 {
                let connection = try world.onAnotherConnection()
                group.addTask { try await appStarted(connection, "A\(number)", update: token(number))["end"] }
            }
            return try await group.reduce(into: 0) { $0 += $1 == true ? 1 : 0 }
        }
        #expect(ends == 7)
        #expect(try await world.value("select count(*) from cuecard.run where state = 'confirmed'") == "1")
    }

    // MARK: report_activity

    @Test(
        "FR-18: dismissed by the person is the last word, but for a card that the server ended",
        arguments: [
            ("claimed", "dismissed", "dismissed_by_person"), ("accepted", "dismissed", "dismissed_by_person"),
            ("confirmed", "dismissed", "dismissed_by_person"), ("unknown", "dismissed", "dismissed_by_person"),
            ("failed", "dismissed", "dismissed_by_person"), ("ending", "dismissed", "dismissed_by_person"),
            ("ended", "ended", "before"), ("dismissed", "dismissed", "before"),
        ])
    func dismissed(state: String, after: String, reason: String) async throws {
        let world = try await world(state, ["reason": "'before'", "update_token": "'aabb'", "activity_id": "'A'"])
        #expect(try await report(world, "dismissed") == after)
        #expect(
            try await world.sql(
                "select state, reason, update_token, gone_at is not null, settled_at is not null from cuecard.run") == [
                    [after, reason, nil, "t", "t"]
                ])
        #expect(try await world.isDue(1))
        // Whatever is said later.
        _ = try await report(world, "ended")
        _ = try await register(world, "A", token(5))
        #expect(try await world.run(11, "state") == after)
    }

    @Test("FR-18: iOS calls a card dismissed that our end took down; the occurrence may have another one")
    func dismissedByOurEnd() async throws {
        let world = try await world("ending", ["reason": "'outranked'", "end_sent_at": "now()", "activity_id": "'A'"])
        #expect(try await report(world, "dismissed") == "ended")
        #expect(try await world.run(11, "reason") == "outranked")
    }

    @Test(
        "Ended by the app",
        arguments: [
            ("accepted", "ended_by_app"), ("ending", "before"), ("ended", "before"), ("failed", "ended_by_app"),
        ])
    func ended(state: String, reason: String) async throws {
        let world = try await world(state, ["reason": "'before'"])
        #expect(try await report(world, "ended") == "ended")
        #expect(
            try await world.sql(
                "select reason, activity_id, gone_at is not null, settled_at is not null from cuecard.run") == [
                    [reason, "A", "t", "t"]
                ])
    }

    @Test("Missing is stored as it comes, early or late, and taken back by the card's own word")
    func missing() async throws {
        let world = try await world("accepted", ["start_expires_at": "now() + interval '1 h'"])
        #expect(try await report(world, "missing", nil) == "accepted")
        #expect(try await world.run(11, "missing_at is not null and state = 'accepted'") == "t")
        #expect(try await world.isDue(1))
        _ = try await register(world, "A")
        #expect(try await world.run(11, "missing_at") == nil)
    }

    @Test("Opened and stale change no state; both are a sign of life")
    func opened() async throws {
        let world = try await world("confirmed", ["activity_id": "'A'"])
        try await world.sql("update cuecard.device set last_seen = '2026-01-01'")
        #expect(try await report(world, "opened") == "confirmed")
        #expect(try await world.run(11, "opened_at is not null") == "t")
        #expect(try await report(world, "stale") == "confirmed")
        #expect(try await world.device(1, "last_seen > '2026-01-02'") == "t")
    }

    @Test("A late word about another activity says nothing of this card, but that the app lives")
    func lateWord() async throws {
        let world = try await world("confirmed", ["activity_id": "'NEW'", "update_token": "'aabb'"])
        for state in ["dismissed", "ended", "missing", "opened"] {
            #expect(try await report(world, state, "OLD") == "confirmed")
        }
        #expect(
            try await world.sql("select state, update_token, missing_at, opened_at, gone_at from cuecard.run") == [
                ["confirmed", "aabb", nil, nil, nil]
            ])
        #expect(try await world.isDue(1))
    }

    @Test("What cannot be is refused")
    func refusedReports() async throws {
        let world = try await world()
        for state in ["DISMISSED", "", "gone"] {
            #expect(try await refusal { _ = try await report(world, state) }?.code == "22023")
        }
        #expect(
            try await refusal { try await world.call("ann", "cuecard.report_activity($1::uuid, 'A')", id(11)) }?.code
                == "22023")
        #expect(try await refusal { _ = try await report(world, "ended", "") }?.code == "22023")
        #expect(try await refusal { _ = try await report(world, "ended", "A", run: 99) }?.code == "42501")
        #expect(
            try await refusal { try await world.call("ann", "cuecard.report_activity(null, 'A', 'ended')") }?.code
                == "42501")
        #expect(
            try await refusal {
                try await world.call("bob", "cuecard.report_activity($1::uuid, 'A', 'ended')", id(11))
            }?.code == "42501")
    }
}
