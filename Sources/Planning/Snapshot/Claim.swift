public import Foundation
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

/// What a pass begins with.
public struct Opening: Sendable, Equatable, Codable {
    /// A wake that Expo took a while ago, and where it tells what became of it.
    public struct Receipt: Sendable, Equatable, Codable {
        /// The wake's attempt.
        public var attempt: UUID
        /// Expo's id for it.
        public var receipt: String

        /// A receipt by its parts.
        public init(attempt: UUID, receipt: String) {
            self.attempt = attempt
            self.receipt = receipt
        }
    }

    /// The lanes that have due devices and no key here.
    public var keyless: [KeylessLane]
    /// The lanes that have due devices and wait until the pause of a refused key is over.
    public var paused: [PausedLane]
    /// What Expo is to be asked about, once each.
    public var receipts: [Receipt]

    /// An opening by its parts.
    public init(keyless: [KeylessLane] = [], paused: [PausedLane] = [], receipts: [Receipt] = []) {
        self.keyless = keyless
        self.paused = paused
        self.receipts = receipts
    }
}

/// Due devices whose key was refused a while ago.
public struct PausedLane: Sendable, Equatable, Codable {
    /// The service that its devices belong to.
    public var environment: APNsEnvironment
    /// The app's bundle identifier.
    public var bundleID: String
    /// What APNs said.
    public var reason: String
    /// When the pause is over, in Unix seconds of the decision clock.
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
