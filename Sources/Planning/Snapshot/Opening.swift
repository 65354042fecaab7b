public import Foundation

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
