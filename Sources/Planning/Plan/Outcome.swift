public import Foundation
public import LiveActivity

/// What became of one intent's push, and what follows.
public struct Outcome: Sendable, Equatable {
    /// What was to be done.
    public var intent: Intent
    /// What came of it.
    public var outcome: PushOutcome
    /// What follows from that.
    public var consequence: Consequence
    /// Of a wake that Expo took: where it tells the rest later.
    public var receipt: String?

    /// Judges an outcome at the decision time `now`.
    public init(_ intent: Intent, _ outcome: PushOutcome, at now: Date) {
        self.intent = intent
        self.outcome = outcome
        let event = intent.push?.event ?? .wake
        consequence = Consequence(
            of: outcome,
            for: Consequence.Attempt(
                event: event, seed: intent.run?.uuid ?? intent.device.uuid, failures: intent.failures,
                usefulUntil: intent.usefulUntil, mayTryOtherEnvironment: intent.mayTryOtherEnvironment), at: now)
    }
}
