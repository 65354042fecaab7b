public import Foundation
public import LiveActivity

/// A step with what it takes to carry it out: ids, bytes, and what the ledger will say.
public struct Intent: Sendable, Equatable {
    /// Whose it is.
    public var device: DeviceID
    /// Of the device when it was planned; the store takes the intent at no other.
    public var revision: Int64
    /// What is carried out, and why.
    public var step: Step
    /// The run's id; a start that is not a repeat gets a new one.
    public var run: RunID?
    /// The push, whose id is the attempt's; nil: only the ledger changes.
    public var push: Push?
    /// The same for an app that is woken through Expo.
    public var expoWake: ExpoWake?
    /// What the phone will have been told.
    public var content: JSON?
    /// What stands for it.
    public var contentKey: String?
    /// The phase that it shows.
    public var phase: Phase?
    /// Pushes in a row for this run that were not accepted before.
    public var failures = 0
    /// Until when the push is of any use.
    public var usefulUntil: Date
    /// A start that APNs calls misplaced is tried in the other environment.
    public var mayTryOtherEnvironment = false

    /// The id of the attempt; nil where nothing is sent.
    public var attempt: UUID? { push?.id ?? expoWake?.id }
}
