public import Foundation
public import LiveActivity

/// One request as it came, and what was done about it.
///
/// The headers hold the provider token and the path holds the push token; ``description`` shows neither.
public struct ReceivedRequest: Sendable, Identifiable, CustomStringConvertible {
    /// What APNs decided.
    public enum Verdict: Sendable, Equatable {
        case accepted
        case rejected(Rejection)
        /// Not judged: a fault struck before, or the connection had been told to go away.
        case unread
    }

    /// What went back to the client.
    public enum Answer: Sendable, Equatable {
        case status(Int)
        case none
        case reset(code: UInt32)
        case closed
    }

    /// Counts from 1 in the order of arrival.
    public let id: Int
    /// By the wall clock.
    public let receivedAt: Date
    /// By the phones' clock.
    public let phoneTime: Date
    /// Which listener it came to.
    public let environment: APNsEnvironment
    /// Counts the connections from 1.
    public let connection: Int
    /// The HTTP/2 stream.
    public let stream: Int32
    /// With the pseudo-headers, in the order received.
    public let headers: [HeaderField]
    /// The bytes of the body.
    public let body: [UInt8]
    /// The body as JSON; nil where it is none.
    public let payload: JSON?
    /// What the push does, as its payload or its type says.
    public let kind: PushKind
    /// The push token, a secret, in lower case.
    ///
    /// Nil where the path has none.
    public let token: String?
    /// What APNs decided.
    public internal(set) var verdict: Verdict
    /// What went back to the client.
    public internal(set) var answer: Answer
    /// The push was accepted and went on to the phone, whatever the client was told.
    public internal(set) var isProcessed: Bool
    /// What the phone did with it.
    ///
    /// Nil where it never went there. A stored push's fate follows when the phone is back.
    public internal(set) var fate: PushFate?
    /// What Apple's payload rules object to.
    public internal(set) var violations: [PayloadViolation]

    /// The first value of a header field; nil where it is absent.
    public func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// One line without secrets.
    public var description: String {
        let what = "#\(id) \(environment) \(kind) to \(token.map { "\($0.prefix(6))…" } ?? "no token")"
        return "\(what), connection \(connection) stream \(stream): \(verdict), \(answer)"
    }
}

/// What a phone did with a push that APNs accepted.
public enum PushFate: Sendable, Equatable {
    /// A card was started, updated or ended, or the app was woken.
    case delivered
    /// The phone is offline and APNs keeps the push.
    case stored
    /// Nothing came of it; the reason is what a device log would say.
    case dropped(DropReason)
}

/// Why a phone or APNs silently dropped an accepted push.
public enum DropReason: String, Sendable, Hashable, CaseIterable {
    /// The payload breaks a rule; see ``ReceivedRequest/violations``.
    case invalidPayload
    /// The token belongs to nobody, and the simulator was told to accept that.
    case noPhone
    /// The event does not fit the token: a start to an update token, or an update to a start token.
    case wrongTokenKind
    /// The app has no attributes type of that name, or the token belongs to another one.
    case wrongAttributesType
    /// `attributes` do not decode into the app's struct.
    case undecodableAttributes
    /// `content-state` does not decode into the app's struct.
    case undecodableContentState
    /// Older than the newest content.
    case oldTimestamp
    /// More than 8 hours ahead.
    case futureTimestamp
    /// `stale-date` had passed: the card is stale from birth and never shown.
    case staleAtBirth
    /// More starts than the system allows in a short time.
    case startBudget
    /// The app has as many cards as the system allows.
    case tooManyCards
    /// The activity has ended, was dismissed or is gone.
    case activityOver
    /// Live Activities are switched off, or this system cannot start them by push.
    case notAllowed
    /// The phone was offline and the push could not wait, or waited too long.
    case expired
    /// A newer push took its place while the phone was offline.
    case displaced
    /// The system held back a background push: too many of them, or the app was forced to quit.
    case wakeHeldBack
}
