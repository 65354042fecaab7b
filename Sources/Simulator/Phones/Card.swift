public import Foundation
public import LiveActivity

/// One Live Activity on a phone.
public struct Card: Sendable, Identifiable {
    /// Where the activity is in its life, as ActivityKit has it.
    public enum State: String, Sendable, Hashable {
        case active
        /// Its stale date has passed.
        case stale
        /// Over, but still on the Lock Screen until ``Card/removal``.
        case ended
        /// The person swiped it away.
        case dismissed
        /// Taken off the Lock Screen.
        case gone
    }

    /// Who started it.
    public enum Origin: Sendable, Hashable {
        /// A push; the run id from its attributes, nil where they have none.
        case push(runID: String?)
        /// The app in the foreground; which event and which of its occurrences, in the server's words.
        case app(eventID: String, occurrence: String)
    }

    /// The activity id that ActivityKit gives.
    public let id: String
    /// The phone that shows it.
    public let phoneID: String
    /// Who started it.
    public let origin: Origin
    /// The name of its attributes type.
    public let attributesType: String
    /// Its fixed part.
    public let attributes: JSON
    /// When it appeared.
    public let startedAt: Date
    /// The timestamp of its start, in Unix seconds: when it was sent, however late it came.
    public let sentAt: Int64
    /// Its changing part, the newest applied.
    public internal(set) var contentState: JSON
    /// The timestamp of the newest content, in Unix seconds.
    public internal(set) var timestamp: Int64
    /// When it turns stale; nil means never.
    public internal(set) var staleAt: Date?
    /// For the order on the screen; the highest first.
    public internal(set) var relevance: Double
    /// Where it is in its life.
    public internal(set) var state = State.active
    /// When it ended, by whatever cause.
    public internal(set) var endedAt: Date?
    /// When an ended card leaves the Lock Screen.
    public internal(set) var removal: Date?
    /// The token that updates and ends it, a secret.
    ///
    /// Nil until the system gave one.
    public internal(set) var updateToken: String?
    /// The run as the server names it; for a card of the app's own it comes with the server's answer.
    public internal(set) var runID: String?
    /// Updates applied.
    public internal(set) var updates = 0
    /// Alerts that lit the screen, the start's included.
    public internal(set) var alerts = 0
    /// It ran on past its close.
    public internal(set) var isLeftOver = false
    /// The app told the server that the card is over.
    var isOverReported = false

    /// It takes updates.
    public var isRunning: Bool { state == .active || state == .stale }

    /// A person can see it on the Lock Screen.
    public var isOnScreen: Bool { isRunning || state == .ended }
}

/// Where the attributes and the content state of an app say what a card is about.
public struct CardKeys: Sendable, Hashable {
    /// How dates are written in the content state.
    public enum DateFormat: Sendable, Hashable {
        /// Seconds since 2001, what a Swift `Date` decodes.
        case swift
        /// Seconds since 1970.
        case unix
    }

    /// In the attributes: the server's id of the run.
    public var runID = "runId"
    /// In the attributes: the event.
    public var eventID = "eventId"
    /// In the content state: what tells occurrences of one event apart.
    public var occurrence = "startsAt"
    /// In the content state: the time at which the card must be over.
    public var close = "endsAt"
    /// How ``close`` is written.
    public var dates = DateFormat.swift

    /// The keys of Cuecard's default templates.
    public init() {}

    /// The occurrence a card is about; nil where the card does not say.
    func occurrence(of card: Card) -> String? {
        guard let event = card.attributes[eventID]?.string else { return nil }
        return "\(event) \(card.contentState[occurrence].map { "\($0)" } ?? "")"
    }

    /// When a card must be over; nil where it does not say.
    func close(of card: Card) -> Date? {
        guard let seconds = card.contentState[close]?.number else { return nil }
        return dates == .swift
            ? Date(timeIntervalSinceReferenceDate: seconds) : Date(timeIntervalSince1970: seconds)
    }
}
