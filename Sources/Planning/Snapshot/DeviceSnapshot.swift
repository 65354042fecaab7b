public import Foundation

/// Everything that planning one device takes, read at one moment.
public struct DeviceSnapshot: Sendable {
    /// A silent push that went out in the last 60 minutes.
    public struct Wake: Sendable, Equatable {
        /// When it was decided.
        public var at: Date
        /// What it was for.
        public var cause: WakeCause
        /// APNs is known not to have taken it, so that it counts against no budget.
        public var isLost: Bool

        /// A wake by its parts.
        public init(at: Date, cause: WakeCause, isLost: Bool = false) {
            self.at = at
            self.cause = cause
            self.isLost = isLost
        }
    }

    /// The device itself.
    public var device: Device
    /// Nil: there is no row for the device's bundle.
    public var app: AppPolicy?
    /// What the user's calendars hold, whatever the device wants to see of it.
    public var events: [Event]
    /// The device's cards, live and lately settled.
    public var runs: [Run]
    /// The silent pushes of the last 60 minutes.
    public var wakes: [Wake]

    /// A snapshot by its parts.
    public init(device: Device, app: AppPolicy?, events: [Event], runs: [Run] = [], wakes: [Wake] = []) {
        self.device = device
        self.app = app
        self.events = events
        self.runs = runs
        self.wakes = wakes
    }
}
