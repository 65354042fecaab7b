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
    /// What Expo is to be asked about, once each.
    public var receipts: [Receipt]

    /// An opening by its parts.
    public init(keyless: [KeylessLane] = [], receipts: [Receipt] = []) {
        self.keyless = keyless
        self.receipts = receipts
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
