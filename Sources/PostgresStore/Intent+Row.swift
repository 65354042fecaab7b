internal import Foundation
internal import LiveActivity
internal import Planning
internal import Recurrence

extension Intent {
    /// The step as `record_intent` reads it.
    func row(at now: Date) -> JSON {
        var row: [String: JSON] = ["device_id": .string(device.description), "revision": .int(revision)]
        row["run_id"] = run.map { .string($0.description) }
        row["attempt_id"] = attempt.map { .string($0.lowercased) }
        row["event_id"] = step.event.map { .string($0.description) }
        row["occurrence"] = step.occurrence.map { .string($0.description) }
        row["reason"] = .string(step.reason.rawValue)
        switch step.action {
        case .start(let start):
            row["action"] = "start"
            row["generation"] = .int(Int64(start.generation))
            row["started_at"] = .string(now.rfc3339)
            row["start_expires_at"] = .string(start.expiresAt.rfc3339)
            row["closes_at"] = .string(start.closesAt.rfc3339)
            row["stale_at"] = .string(start.staleAt.rfc3339)
            row["last_timestamp"] = .int(start.timestamp)
            row["content"] = content
            row["content_key"] = contentKey.map(JSON.string)
            row["phase"] = phase.map { .string($0.rawValue) }
        case .update(let update):
            row["action"] = "update"
            row["last_timestamp"] = .int(update.timestamp)
            row["closes_at"] = .string(update.closesAt.rfc3339)
        case .end(let end):
            row["action"] = "end"
            row["last_timestamp"] = .int(end.timestamp)
        case .wake(_, let cause):
            row["action"] = "wake"
            row["cause"] = .string(cause.rawValue)
        case .settle(_, let settlement):
            row["action"] = "settle"
            row["state"] = .string(settlement.state.rawValue)
            row["gone"] = .bool(settlement.isGone)
            row["started_at"] = settlement.startedAt.map { .string($0.rfc3339) }
            row["closes_at"] = settlement.closesAt.map { .string($0.rfc3339) }
        case .rekey(_, let occurrence, let generation):
            row["action"] = "rekey"
            row["occurrence"] = .string(occurrence.description)
            row["generation"] = .int(Int64(generation))
        case .hold, .skip:
            break
        }
        return .object(row)
    }
}

extension Outcome {
    /// The outcome as `record_outcomes` reads it.
    var row: JSON {
        var row: [String: JSON] = ["device_id": .string(intent.device.description)]
        row["attempt_id"] = intent.attempt.map { .string($0.lowercased) }
        row["run_id"] = intent.run.map { .string($0.description) }
        row["receipt_id"] = receipt.map(JSON.string)
        row["last_timestamp"] = intent.step.timestamp.map(JSON.int)
        switch outcome {
        case .accepted:
            row["outcome"] = "accepted"
            row["status"] = 200
            // Now the phone has been told; a start's content was recorded before it was sent.
            if case .update(let update) = intent.step.action {
                row["content"] = intent.content
                row["content_key"] = intent.contentKey.map(JSON.string)
                row["phase"] = intent.phase.map { .string($0.rawValue) }
                row["stale_at"] = .string(update.staleAt.rfc3339)
            }
        case .rejected(let rejection):
            row["outcome"] = "rejected"
            row["status"] = .int(Int64(rejection.status))
            row["reason"] = .string(rejection.reason)
        case .failed(.notProcessed(let cause)):
            row["outcome"] = "unprocessed"
            row["reason"] = .string(cause)
        case .failed(.unknown(let cause)):
            row["outcome"] = "unknown"
            row["reason"] = .string(cause)
        }
        add(consequence, to: &row)
        return .object(row)
    }

    private func add(_ consequence: Consequence, to row: inout [String: JSON]) {
        row["from_states"] = .array(consequence.fromStates.map { .string($0.rawValue) })
        row["to_state"] = consequence.toState.map { .string($0.rawValue) }
        row["run_reason"] = consequence.reason.map { .string($0.rawValue) }
        row["gone"] = .bool(consequence.isGone)
        row["dead_since"] = consequence.deadSince.map { .string($0.rfc3339) }
        row["retry_at"] = consequence.retryAt.map { .string($0.rfc3339) }
        if consequence.isTokenSpent, let (column, token) = intent.spentToken { row[column] = .string(token) }
        if let until = consequence.pauseTokenUntil, let wake = intent.expoWake {
            row["paused_expo_token"] = .string(wake.token)
            row["expo_paused_until"] = .string(until.rfc3339)
        }
        if let push = intent.push {
            row["environment"] = .string(push.environment.rawValue)
            row["bundle_id"] = .string(push.bundleID)
            if push.event == .start { row["start_token"] = .string(push.token.hex) }
            if consequence.triesOtherEnvironment { row["try_other"] = true }
            row["lane_fault"] = .bool(consequence.isLaneFault)
            row["spare_tokens_until"] = consequence.spareTokensUntil.map { .string($0.rfc3339) }
            row["pause_until"] = consequence.pauseLaneUntil.map { .string($0.rfc3339) }
        }
    }
}

extension Intent {
    /// The token that a push was sent to, and what `record_outcomes` calls it once it is of no more use.
    fileprivate var spentToken: (column: String, token: String)? {
        guard let push else { return expoWake.map { ("dead_expo_token", $0.token) } }
        return switch push.event {
        case .start: ("dead_start_token", push.token.hex)
        case .update, .end: ("spent_update_token", push.token.hex)
        case .wake: ("dead_wake_token", push.token.hex)
        }
    }
}

extension Step {
    /// Of the push to a run; nil for everything else.
    fileprivate var timestamp: Int64? {
        switch action {
        case .start(let start): start.timestamp
        case .update(let update): update.timestamp
        case .end(let end): end.timestamp
        case .wake, .hold, .settle, .rekey, .skip: nil
        }
    }
}
