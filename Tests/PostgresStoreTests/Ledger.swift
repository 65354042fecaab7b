import Foundation
import Planning
import PostgresStore
import Testing

/// The minute that the tests of the ledger play at: an hour before the class.
let ledgerTime = Date(timeIntervalSince1970: 1_780_300_800)  // 2026-06-01 08:00Z

/// What APNs says of a start that it takes.
let acceptedStart =
    #""outcome": "accepted", "status": 200, "from_states": ["claimed", "unknown"], "to_state": "accepted", "last_timestamp": 1780300800"#

/// A start of the class as `record_intent` reads it.
func startStep(
    run: Int, generation: Int = 1, timestamp: Int = 1_780_300_800, occurrence: String = "2026-06-01T09:00:00"
) -> [String: String] {
    [
        "run_id": id(run), "event_id": World.event, "occurrence": occurrence, "generation": "\(generation)",
        "reason": "window_open", "started_at": "2026-06-01T08:00:00Z", "start_expires_at": "2026-06-01T09:00:00Z",
        "closes_at": "2026-06-01T10:00:00Z", "stale_at": "2026-06-01T10:00:00Z", "last_timestamp": "\(timestamp)",
        "content_key": "one", "phase": "upcoming",
    ]
}

extension World {
    /// A world with the class, and Ann's phone 1 claimed in it.
    static func claimed() async throws -> (world: World, pass: UUID, claim: Claim) {
        let world = try await World.withEvent()
        try await world.register("ann", 1, start: token(1), wake: token(2))
        return try await world.claim()
    }

    /// Claims the first device anew, whoever held it.
    func claim() async throws -> (world: World, pass: UUID, claim: Claim) {
        try await sql("update cuecard.device set claimed_until = null, claimed_tick = null, next_due_at = '-infinity'")
        let pass = UUID()
        let claims = try await worker().claimDue(pass, at: ledgerTime, limit: 10)
        return (self, pass, try #require(claims.first))
    }

    /// As if ninety seconds had passed.
    func expireLeases() async throws {
        try await sql("update cuecard.device set claimed_until = clock_timestamp() - interval '1 ms'")
    }

    /// Records one step as a worker does; which attempts may go out.
    func intend(
        _ pass: UUID, _ claim: Claim, action: String, attempt: Int? = nil, _ more: [String: String] = [:]
    ) async throws -> [String] {
        var step = more
        step["device_id"] = claim.device.description
        step["revision"] = "\(claim.revision)"
        step["action"] = action
        step["attempt_id"] = attempt.map(id)
        return try await intend(pass, [step])
    }

    /// Records steps; which attempts may go out.
    func intend(_ pass: UUID, _ steps: [[String: String]]) async throws -> [String] {
        let json = String(decoding: try JSONEncoder().encode(steps), as: UTF8.self)
        return try await sql(
            "select cuecard.record_intent($1::uuid, '2026-06-01 08:00Z', $2::jsonb) order by 1", pass.uuidString, json
        ).compactMap { $0[0] }
    }

    /// Records what APNs said of one attempt.
    func answer(attempt: Int, run: Int? = nil, _ more: String) async throws {
        let runID = run.map { #", "run_id": "\#(id($0))""# } ?? ""
        try await answer(#"[{"attempt_id": "\#(id(attempt))", "device_id": "\#(id(1))"\#(runID), \#(more)}]"#)
    }

    /// Records what APNs said.
    func answer(_ outcomes: String) async throws {
        try await sql("select cuecard.record_outcomes('2026-06-01 08:00Z', $1::jsonb)", outcomes)
    }
}
