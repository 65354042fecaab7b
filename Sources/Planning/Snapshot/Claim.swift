public import Foundation

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

    /// The lanes whose due devices get nothing.
    public var unserved: UnservedLanes
    /// What Expo is to be asked about, once each.
    public var receipts: [Receipt]

    /// An opening by its parts.
    public init(unserved: UnservedLanes = UnservedLanes(), receipts: [Receipt] = []) {
        self.unserved = unserved
        self.receipts = receipts
    }
}
