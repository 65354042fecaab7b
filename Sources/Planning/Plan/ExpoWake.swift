public import Foundation
public import LiveActivity

/// A silent push that goes through Expo's service.
public struct ExpoWake: Sendable, Equatable {
    /// What Expo said of it.
    public struct Answer: Sendable {
        /// What became of it.
        public var outcome: PushOutcome
        /// Where Expo tells the rest later; nil: it did not take it.
        public var receipt: String?

        /// An answer by its parts.
        public init(_ outcome: PushOutcome, receipt: String? = nil) {
            self.outcome = outcome
            self.receipt = receipt
        }
    }

    /// The attempt's id.
    public var id: UUID
    /// The app's Expo push token.
    public var token: String
    /// What the app finds in the push's data, beside the silent flag.
    public var data: [String: String]
}
