import Foundation
import Planning
import PostgresStore
import TestSupport
import Testing

/// What `record_outcomes` makes of an answer, early, late or about something that has changed.
@Suite("Outcomes", .fewAtATime)
struct OutcomeTests {
    @Test(
        "FR-69: killed after the 200 and before recording it, the start is found claimed, and the late answer still counts once"
    )
    func killed() async throws {
        var (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        try await world.expireLeases()
        (world, pass, claim) = try await world.claim()
        let loaded = try await world.worker().load([claim], at: ledgerTime)
        #expect(loaded[0].runs.map(\.state) == [.claimed])
        _ = try await world.intend(
            pass, claim, action: "settle", ["run_id": id(11), "state": "unknown", "reason": "no_answer"])
        try await world.answer(attempt: 81, run: 11, acceptedStart)
        #expect(try await world.run(11, "state") == "accepted")
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "rejected", "from_states": ["accepted"], "to_state": "failed", "last_timestamp": 1780300800"#)
        #expect(try await world.sql("select state, failures from cuecard.run") == [["accepted", "0"]])
        #expect(try await world.sql("select outcome, status from cuecard.attempt") == [["accepted", "200"]])
    }

    @Test("The app's word that came before the answer stands", arguments: ["confirmed", "dismissed", "ended"])
    func appWasFaster(state: String) async throws {
        let (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        try await world.sql("update cuecard.run set state = $1, reason = 'app'", state)
        try await world.answer(attempt: 81, run: 11, acceptedStart)
        #expect(try await world.sql("select state, reason from cuecard.run") == [[state, "app"]])
    }

    @Test("FR-68: 503: the claim is released with a next-attempt time, and the start goes out once more")
    func serverError() async throws {
        var (world, pass, claim) = try await World.claimed()
        let worker = try world.worker()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "rejected", "status": 503, "reason": "ServiceUnavailable", "from_states": ["claimed"], "to_state": "failed", "run_reason": "waits_to_retry", "retry_at": "2026-06-01T08:15:00Z", "last_timestamp": 1780300800"#
        )
        try await worker.reschedule(
            pass, [DevicePlan(device: claim.device, revision: claim.revision, steps: [], nextDueAt: ledgerTime + 9000)])
        #expect(try await world.isDue(1), "what was not accepted is planned again")
        #expect(try await world.device(1, "claimed_until") == nil)
        #expect(
            try await world.sql("select state, reason, retry_at, failures from cuecard.run") == [
                ["failed", "waits_to_retry", "2026-06-01 08:15:00+00", "1"]
            ])
        (world, pass, claim) = try await world.claim()
        let run = try await worker.load([claim], at: ledgerTime)[0].runs[0]
        #expect(run.state == .failed)
        #expect(run.retryAt == ledgerTime + 900)
        #expect(
            try await world.intend(
                pass, claim, action: "start", attempt: 82, startStep(run: 11, timestamp: 1_780_301_700))
                == [id(82)])
    }

    @Test(
        "An answer about an update token that rotated meanwhile neither settles the run nor clears the new token",
        arguments: ["accepted", "rejected"])
    func rotatedMeanwhile(outcome: String) async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.run(
            11, state: "confirmed", ["update_token": "'aa'", "activity_id": "'A'", "last_timestamp": "1"])
        _ = try await world.intend(
            pass, claim, action: "end", attempt: 81, ["run_id": id(11), "last_timestamp": "2", "reason": "over"])
        try await world.call("ann", "cuecard.register_activity($1::uuid, 'A', 'bb')", id(11))
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "\#(outcome)", "from_states": ["claimed", "accepted", "confirmed", "unknown", "ending"], "to_state": "ended", "gone": \#(outcome == "accepted"), "spent_update_token": "aa", "last_timestamp": 2"#
        )
        #expect(
            try await world.sql("select state, update_token, gone_at, settled_at from cuecard.run") == [
                ["ending", "bb", nil, nil]
            ])
        #expect(try await world.isDue(1))
    }

    @Test("FR-48: a 410 clears a token unless it was told after Apple's time, by the wall clock; each kind by its own")
    func deadTokens() async throws {
        for (registered, kept) in [
            ("2026-06-01 12:00:10Z", true), ("2026-06-01 11:59:50Z", false), ("2026-06-01 12:00:00Z", false),
        ] {
            let (world, pass, claim) = try await World.claimed()
            try await world.sql(
                "update cuecard.device set registered_at = $1::timestamptz, wake_registered_at = '2026-06-01 11:00Z'",
                registered)
            try await world.run(
                12, occurrence: "2026-06-01 07:00", state: "confirmed",
                ["update_token": "'aa'", "update_token_at": "'\(registered)'", "last_timestamp": "1"])
            _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
            _ = try await world.intend(
                pass, claim, action: "update", attempt: 82, ["run_id": id(12), "last_timestamp": "2"])
            _ = try await world.intend(pass, claim, action: "wake", attempt: 83, ["cause": "update"])
            let gone =
                #""outcome": "rejected", "status": 410, "reason": "Unregistered", "dead_since": "2026-06-01T12:00:00Z""#
            try await world.answer(
                """
                [{"attempt_id": "\(id(81))", "run_id": "\(id(11))", \(gone), "from_states": ["claimed"], "to_state": "failed",
                  "run_reason": "no_start_token", "dead_start_token": "\(token(1))", "last_timestamp": 1780300800},
                 {"attempt_id": "\(id(82))", "run_id": "\(id(12))", \(gone), "from_states": ["confirmed"], "to_state": "ended",
                  "run_reason": "update_token_gone", "spent_update_token": "aa", "last_timestamp": 2},
                 {"attempt_id": "\(id(83))", \(gone), "dead_wake_token": "\(token(2))"}]
                """)
            #expect(try await world.device(1, "push_to_start_token") == (kept ? token(1) : nil))
            #expect(try await world.device(1, "wake_token") == nil)
            #expect(
                try await world.sql("select state, update_token from cuecard.run where id = $1::uuid", id(12))[0]
                    == (kept ? ["confirmed", "aa"] : ["ended", nil]))
            // A token that is kept is tried again, but not in the same minute.
            let retry = try await world.sql("select retry_at from cuecard.run order by id").map { $0[0] }
            #expect(retry == (kept ? ["2026-06-01 08:15:00+00", "2026-06-01 08:15:00+00"] : [nil, nil]))
        }
    }

    @Test("Compare and delete: a token that was replaced meanwhile stays")
    func replacedToken() async throws {
        let (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        try await world.register("ann", 1, start: token(8), wake: token(9))
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "rejected", "status": 400, "reason": "BadDeviceToken", "from_states": ["claimed"], "to_state": "failed", "dead_start_token": "\#(token(1))", "last_timestamp": 1780300800"#
        )
        #expect(
            try await world.sql("select push_to_start_token, wake_token from cuecard.device") == [[token(8), token(9)]])
        #expect(try await world.run(11, "retry_at") == nil, "the new token may be tried at once")
    }

    @Test("FR-51: a refusal of the topic or of the key clears no token; the key's stops its lane, and only that")
    func lanePause() async throws {
        let (world, pass, claim) = try await World.claimed()
        try await world.sql(
            "insert into cuecard.lane (apns_environment, bundle_id) values ('sandbox', $1), ('production', 'other')",
            World.bundle)
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        _ = try await world.intend(pass, claim, action: "wake", attempt: 82, ["cause": "update"])
        let pause =
            #""outcome": "rejected", "status": 403, "reason": "InvalidProviderToken", "environment": "production", "bundle_id": "\#(World.bundle)""#
        try await world.answer(
            """
            [{"attempt_id": "\(id(81))", \(pause), "pause_until": "2026-06-01T08:20:00Z"},
             {"attempt_id": "\(id(82))", \(pause), "pause_until": "2026-06-01T08:10:00Z"}]
            """)
        #expect(
            try await world.sql("select push_to_start_token, wake_token from cuecard.device") == [[token(1), token(2)]])
        #expect(
            try await world.sql(
                "select apns_environment, bundle_id, pause_reason from cuecard.lane where paused_until = '2026-06-01 08:20Z'"
            ) == [
                ["production", World.bundle, "InvalidProviderToken"]
            ])
        #expect(try await world.value("select count(*) from cuecard.lane where paused_until is null") == "2")
    }

    @Test("A worker that slept past its lease does not undo with its late answer what was sent after it")
    func lateAnswer() async throws {
        var (world, pass, claim) = try await World.claimed()
        try await world.run(11, state: "confirmed", ["update_token": "'aa'", "last_timestamp": "1"])
        _ = try await world.intend(
            pass, claim, action: "update", attempt: 81, ["run_id": id(11), "last_timestamp": "2"])
        try await world.expireLeases()
        (world, pass, claim) = try await world.claim()
        _ = try await world.intend(
            pass, claim, action: "update", attempt: 82, ["run_id": id(11), "last_timestamp": "3"])
        try await world.answer(
            attempt: 82, run: 11,
            #""outcome": "accepted", "content_key": "new", "phase": "active", "last_timestamp": 3"#)
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "accepted", "content_key": "old", "phase": "upcoming", "last_timestamp": 2"#)
        #expect(try await world.sql("select content_key, phase from cuecard.run") == [["new", "active"]])
        #expect(try await world.value("select count(*) from cuecard.attempt where outcome = 'accepted'") == "2")
    }

    @Test("A wake that never went out has its next turn in the plan, not at once and again and again")
    func unsentWake() async throws {
        let (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "wake", attempt: 81, ["cause": "update"])
        try await world.answer(attempt: 81, #""outcome": "unprocessed", "reason": "no connection""#)
        try await world.worker().reschedule(
            pass, [DevicePlan(device: claim.device, revision: claim.revision, steps: [], nextDueAt: ledgerTime + 900)])
        #expect(try await world.device(1, "next_due_at") == "2026-06-01 08:15:00+00")
    }

    @Test("An answer finds the run's new device after a reinstallation")
    func reinstalledMeanwhile() async throws {
        let (world, pass, claim) = try await World.claimed()
        _ = try await world.intend(pass, claim, action: "start", attempt: 81, startStep(run: 11))
        try await world.register("ann", 5, start: token(1))
        try await world.drain()
        try await world.answer(
            attempt: 81, run: 11,
            #""outcome": "rejected", "status": 410, "from_states": ["claimed"], "to_state": "failed", "dead_start_token": "\#(token(1))", "dead_since": "2999-01-01T00:00:00Z", "last_timestamp": 1780300800"#
        )
        #expect(try await world.sql("select id, push_to_start_token from cuecard.device") == [[id(5), nil]])
        #expect(try await world.isDue(5))
        #expect(try await world.run(11, "state") == "failed")
    }

    @Test("Lock order: apps, changes and workers at once, and no deadlock")
    func noDeadlock() async throws {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.calendar set kind = 'shared'")
        for number in 1...6 {
            try await world.register("u\(number)", number, start: token(number))
            try await world.sql(
                "insert into cuecard.calendar_member values ($1::uuid, $2)", World.calendar, "u\(number)")
            for generation in 1...3 {
                try await world.run(
                    number * 10 + generation, device: number, user: "u\(number)", generation: generation,
                    state: "confirmed", ["last_timestamp": "1"])
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...6 {
                let app = try world.onAnotherConnection()
                group.addTask {
                    for round in 1...25 {
                        try await app.register("u\(number)", number, start: token(number))
                        try await app.call(
                            "u\(number)", "cuecard.register_activity($1::uuid, 'A', $2)",
                            id(number * 10 + 1 + round % 3), token(round))
                        try await app.call(
                            "u\(number)", "cuecard.report_activity($1::uuid, null, 'opened')",
                            id(number * 10 + 1 + round % 3))
                    }
                }
                let worker = try world.worker("\(number)")
                let ledger = try world.onAnotherConnection()
                group.addTask {
                    for round in 1...25 {
                        let pass = UUID()
                        _ = try await worker.beginTick(pass, at: ledgerTime)
                        while try await worker.fanOut() {}
                        let claims = try await worker.claimDue(pass, at: ledgerTime, limit: 6)
                        let steps = claims.flatMap { claim in
                            (1...3).map { generation in
                                [
                                    "device_id": claim.device.description, "revision": "\(claim.revision)",
                                    "action": "update",
                                    "attempt_id": UUID().uuidString, "last_timestamp": "\(round * 100 + number)",
                                    "run_id": id((Int(claim.device.description.suffix(4)) ?? 0) * 10 + generation),
                                ]
                            }
                        }
                        let cleared = try await ledger.intend(pass, steps.shuffled())
                        let outcomes = steps.filter { cleared.contains(($0["attempt_id"] ?? "").lowercased()) }.map {
                            step in
                            step.merging(["outcome": round % 2 == 0 ? "accepted" : "unprocessed"]) { $1 }
                        }
                        try await ledger.answer(
                            String(decoding: try JSONEncoder().encode(outcomes.shuffled()), as: UTF8.self))
                        try await worker.reschedule(
                            pass,
                            claims.shuffled().map {
                                DevicePlan(
                                    device: $0.device, revision: $0.revision, steps: [], nextDueAt: ledgerTime + 1)
                            })
                        try await ledger.sql("update cuecard.event set title = $1", "\(round)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(
            try await world.value("select deadlocks from pg_stat_database where datname = current_database()") == "0")
    }
}
