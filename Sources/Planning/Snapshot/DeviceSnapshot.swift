public import Foundation

/// Everything that planning one device takes, read at one moment.
public struct DeviceSnapshot: Sendable {
    /// A silent push that went out in the last 60 minutes.
    public struct Wake: Sendable, Equatable {
        public var at: Date
        public var cause: WakeCause

        public init(at: Date, cause: WakeCause) {
            self.at = at
            self.cause = cause
        }
    }

    public var device: Device
    /// Nil: there is no row for the device's bundle.
    public var app: AppPolicy?
    /// What the user's calendars hold, whatever the device wants to see of it.
    public var events: [Event]
    public var runs: [Run]
    public var wakes: [Wake]

    public init(device: Device, app: AppPolicy?, events: [Event], runs: [Run] = [], wakes: [Wake] = []) {
        self.device = device
        self.app = app
        self.events = events
        self.runs = runs
        self.wakes = wakes
    }
}
