public import Foundation

/// What became of one push; the three ways never blur.
public enum PushOutcome: Sendable, Equatable {
    /// APNs answered 200: it took the push. It does not mean that a card is on a screen.
    case accepted
    /// APNs answered with an error: it did not process the push.
    case rejected(Rejection)
    /// No whole answer came.
    case failed(Failure)

    /// An error answer of APNs.
    public struct Rejection: Sendable, Equatable {
        /// The HTTP status, 300 to 599.
        public var status: Int
        /// Apple's word, such as `BadDeviceToken`; an unknown one is kept as it came, an unreadable body gives "".
        public var reason: String
        /// With a 410: since when APNs knows that the token is no longer valid.
        ///
        /// Nil where the answer has no time.
        public var since: Date?
        /// The `Retry-After` header in seconds, where it came.
        public var retryAfter: Int?

        /// An error answer by its parts.
        public init(status: Int, reason: String, since: Date? = nil, retryAfter: Int? = nil) {
            self.status = status
            self.reason = reason
            self.since = since
            self.retryAfter = retryAfter
        }
    }

    /// Why no answer came, and whether APNs may have processed the push all the same.
    public enum Failure: Sendable, Equatable {
        /// Proven not to be processed: never written, a refused stream, or a GOAWAY below its stream. Safe to repeat.
        case notProcessed(String)
        /// It may have been processed. A start is never repeated on this ground.
        case unknown(String)
    }
}
