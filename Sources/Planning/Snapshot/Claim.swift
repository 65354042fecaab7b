public import LiveActivity

/// A due device that a tick has taken, at the revision at which it took it.
public struct Claim: Sendable, Hashable {
    /// The device.
    public var device: DeviceID
    /// Its revision when it was taken.
    public var revision: Int64

    /// A claim by its parts.
    public init(device: DeviceID, revision: Int64) {
        self.device = device
        self.revision = revision
    }
}

/// Due devices that nobody here has a key for.
public struct KeylessLane: Sendable, Equatable, Codable {
    /// The service that its devices belong to.
    public var environment: APNsEnvironment
    /// The app's bundle identifier.
    public var bundleID: String
    /// Counted up to 1000.
    public var devices: Int

    /// A lane by its parts.
    public init(environment: APNsEnvironment, bundleID: String, devices: Int) {
        self.environment = environment
        self.bundleID = bundleID
        self.devices = devices
    }

    enum CodingKeys: String, CodingKey {
        case environment
        case bundleID = "bundle_id"
        case devices
    }
}
