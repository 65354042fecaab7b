public import Foundation

/// What one device needs at one moment, and when to look again.
public struct DevicePlan: Sendable, Equatable {
    /// Whose plan it is.
    public var device: DeviceID
    /// Of the device when it was read; the plan is void for any other.
    public var revision: Int64
    /// In the order in which they hold: settlements first.
    public var steps: [Step]
    /// Later than the moment of the plan; nil: nothing to look for until something changes.
    public var nextDueAt: Date?

    /// A plan by its parts.
    public init(device: DeviceID, revision: Int64, steps: [Step], nextDueAt: Date?) {
        self.device = device
        self.revision = revision
        self.steps = steps
        self.nextDueAt = nextDueAt
    }
}
