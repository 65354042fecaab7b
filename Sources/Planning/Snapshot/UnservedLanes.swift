public import Foundation
public import LiveActivity

/// The lanes, environment and app, whose due devices get nothing now.
public struct UnservedLanes: Sendable, Equatable, Codable {
    /// Those that nobody here has a key for.
    public var keyless: [KeylessLane]
    /// Those that wait before they are tried again.
    public var paused: [PausedLane]

    /// Unserved lanes by their parts.
    public init(keyless: [KeylessLane] = [], paused: [PausedLane] = []) {
        self.keyless = keyless
        self.paused = paused
    }
}

/// Due devices that wait: APNs refused their key a while ago, or the last pushes all failed and five a tick try it out.
public struct PausedLane: Sendable, Equatable, Codable {
    /// The service that its devices belong to.
    public var environment: APNsEnvironment
    /// The app's bundle identifier.
    public var bundleID: String
    /// What APNs said, or that the last pushes failed.
    public var reason: String
    /// When it is tried again, in Unix seconds of the decision clock.
    public var until: TimeInterval

    /// A lane by its parts.
    public init(environment: APNsEnvironment, bundleID: String, reason: String, until: TimeInterval) {
        self.environment = environment
        self.bundleID = bundleID
        self.reason = reason
        self.until = until
    }

    enum CodingKeys: String, CodingKey {
        case environment
        case bundleID = "bundle_id"
        case reason
        case until
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
