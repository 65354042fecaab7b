import Foundation
import Planning
import PostgresStore
import TestSupport
import Testing

/// What `record_intent` writes, and what it refuses.
@Suite("Intents and settlements", .fewAtATime)
struct IntentTests {
    @Test("I1: the key (device, occurrence, generation) is the last word: whoever meets a row there does not start")
    func oneStart() async throws {
        var (world, pass, claim) = try await World.claimed()
        #expect(try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11)) == [id(81)])
        #expect(
            try await world.sql("select state, user_id, content_key from cuecard.run") == [["claimed", "ann", "one"]])
        for state in ["claimed", "accepted", "confirmed", "ending", "ended", "dismissed", "failed", "unknown"] {
            try await world.sql("update cuecard.run set state = $1", state)
            (world, pass, claim) = try await world.claim()
            #expect(
                try await world.intend(pass, claim, action: "start", attempt: 82, startStep(run: 12)) == [],
                "another run, \(state)")
            #expect(try await world.run(11, "state") == state)
        }
        #expect(try await world.value("select count(*) from cuecard.attempt") == "1")
        (world, pass, claim) = try await world.claim()
        #expect(
            try await world.intend(pass, claim, action: "start", attempt: 83, startStep(run: 12, generation: 2)) == [
                id(83)
            ]
        )
    }

    @Test(
        "FR-16: a start that is known not to have been processed is tried again with its own run, and no other one is")
    func retry() async throws {
        var (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        for state in ["claimed", "accepted", "confirmed", "ending", "ended", "dismissed", "unknown"] {
            try await world.sql("update cuecard.run set state = $1", state)
            (world, pass, claim) = try await world.claim()
            #expect(
                try await world.intend(
                    pass, claim, action: "start", attempt: 82, startStep(run: 11, timestamp: 1_780_300_900)) == [],
                "\(state)")
        }
        try await world.sql("update cuecard.run set state = 'failed', settled_at = now(), retry_at = now()")
        (world, pass, claim) = try await world.claim()
        #expect(
            try await world.intend(
                pass, claim, action: "start", attempt: 83, startStep(run: 11, timestamp: 1_780_300_900))
                == [id(83)])
        #expect(
            try await world.sql("select state, settled_at, retry_at, last_timestamp from cuecard.run") == [
                ["claimed", nil, nil, "1780300900"]
            ])
    }

    @Test("I11: a push that is not newer than the last one does not go out")
    func timestamps() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, state: "confirmed", ["last_timestamp": "1000", "update_token": "'aabb'"])
        let more = ["run_id": id(11), "reason": "x"]
        for (attempt, timestamp) in [(81, 999), (82, 1000)] {
            #expect(
                try await world.intend(
                    pass, claim, action: "update", attempt: attempt,
                    more.merging(["last_timestamp": "\(timestamp)"]) { $1 }) == [])
        }
        #expect(
            try await world.intend(
                pass, claim, action: "end", attempt: 83, more.merging(["last_timestamp": "1001"]) { $1 }) == [id(83)])
        #expect(
            try await world.sql("select state, reason, last_timestamp, end_sent_at from cuecard.run") == [
                ["ending", "x", "1001", "2026-06-01 08:00:00+00"]
            ])
    }

    @Test("An end of a settled card whose token turned up leaves its state")
    func owedEnd() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, state: "dismissed", ["update_token": "'aabb'", "reason": "'dismissed_by_person'"])
        #expect(
            try await world.intend(
                pass, claim, action: "end", attempt: 81,
                ["run_id": id(11), "last_timestamp": "1", "reason": "end_owed"]) == [id(81)])
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "accepted", "from_states": ["ending"], "to_state": "ended", "gone": true, "spent_update_token": "aabb", "last_timestamp": 1"#
        )
        #expect(
            try await world.sql("select state, reason, update_token, gone_at is not null from cuecard.run") == [
                ["dismissed", "dismissed_by_person", nil, "t"]
            ])
    }

    @Test("Steps of a device that is not held any more are left out, and the others' are not")
    func heldOnly() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.register("bea", 2, start: token(3))
        let other = try #require(try await world.worker().claimDue(pass, at: ledgerTime, limit: 10).first)
        try await world.register("ann", 1)
        func step(_ claim: Claim, _ attempt: Int) -> [String: String] {
            [
                "device_id": claim.device.description, "revision": "\(claim.revision)", "action": "wake",
                "attempt_id": id(attempt), "cause": "update",
            ]
        }
        #expect(try await world.intend(pass, [step(claim, 81), step(other, 82)]) == [id(82)])
        #expect(try await world.intend(UUID(), [step(other, 83)]) == [])
        #expect(
            try await world.sql("select id, event, cause, outcome from cuecard.attempt") == [
                [id(82), "wake", "update", "intended"]
            ])
    }

    @Test("A step names a run of another device: nothing happens to it")
    func foreignRun() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, device: 2, state: "confirmed", ["last_timestamp": "1"])
        for (action, more) in [
            ("end", ["last_timestamp": "5"]), ("settle", ["state": "ended", "reason": "x"]),
            ("rekey", ["occurrence": "2026-06-02T09:00:00"]),
        ] {
            #expect(
                try await world.intend(
                    pass, claim, action: action, attempt: 81, more.merging(["run_id": id(11)]) { $1 }) == [])
        }
        #expect(
            try await world.sql("select state, occurrence from cuecard.run") == [["confirmed", "2026-06-01 09:00:00"]])
    }

    // MARK: Settlements

    @Test("Runs that are re-keyed get the next free generations of the new occurrence, in the plan's order")
    func rekey() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, generation: 1, state: "dismissed")
        try await world.run(12, generation: 2, state: "confirmed")
        // The plan saw neither of these.
        try await world.run(21, occurrence: "2026-06-01 11:00", generation: 2, state: "ended")
        try await world.run(22, occurrence: "2026-06-01 11:00", generation: 4, state: "ended")
        func step(_ run: Int, _ generation: Int) -> [String: String] {
            [
                "device_id": id(1), "revision": "\(claim.revision)", "action": "rekey", "run_id": id(run),
                "occurrence": "2026-06-01T11:00:00",
                "generation": "\(generation)", "reason": "content_changed",
            ]
        }
        _ = try await world.intend(pass, [step(11, 1), step(12, 2)])
        #expect(
            try await world.sql(
                "select id, generation from cuecard.run where occurrence = '2026-06-01 11:00' order by generation") == [
                    [id(21), "2"], [id(22), "4"], [id(11), "5"], [id(12), "6"],
                ])
    }

    @Test("Runs that follow each other's places are re-keyed without meeting")
    func rekeyChain() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, occurrence: "2026-06-01 09:00", state: "confirmed")
        try await world.run(12, occurrence: "2026-06-01 10:00", state: "confirmed")
        func step(_ run: Int, _ to: String) -> [String: String] {
            [
                "device_id": id(1), "revision": "\(claim.revision)", "action": "rekey", "run_id": id(run),
                "occurrence": to, "generation": "1", "reason": "x",
            ]
        }
        _ = try await world.intend(pass, [step(12, "2026-06-01T11:00:00"), step(11, "2026-06-01T10:00:00")])
        #expect(
            try await world.sql("select id, to_char(occurrence, 'HH24'), generation from cuecard.run order by id") == [
                [id(11), "10", "1"], [id(12), "11", "1"],
            ])
    }

    @Test("Settled as gone, a card is owed nothing any more; settled by the wall clock, which pruning goes by")
    func settle() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(11, state: "accepted", ["update_token": "'aabb'"])
        _ = try await world.intend(
            pass, claim, action: "settle",
            ["run_id": id(11), "state": "ended", "reason": "twelve_hours", "gone": "true"])
        #expect(
            try await world.sql(
                "select state, reason, update_token, gone_at is not null, settled_at > clock_timestamp() - interval '1 h' from cuecard.run"
            ) == [["ended", "twelve_hours", nil, "t", "t"]])
    }
}
