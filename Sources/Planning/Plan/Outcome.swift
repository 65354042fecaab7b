public import Foundation
public import LiveActivity

/// What became of one intent's push, and what follows.
public struct Outcome: Sendable, Equatable {
    public var intent: Intent
    public var outcome: PushOutcome
    public var consequence: Consequence

    /// Judges an outcome at the decision time `now`.
    public init(_ intent: Intent, _ outcome: PushOutcome, at now: Date) {
        self.intent = intent
        self.outcome = outcome
        let event = intent.push?.event ?? .wake
        consequence = Consequence(
            of: outcome,
            for: Consequence.Attempt(
                event: event, seed: intent.run?.uuid ?? intent.device.uuid, failures: intent.failures,
                usefulUntil: intent.usefulUntil), at: now)
    }
}
