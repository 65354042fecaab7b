public import Foundation
public import LiveActivity
public import Recurrence

/// One card on one device for one occurrence: a row of `cuecard.run`.
public struct Run: Sendable, Equatable {
    /// What is known of the card.
    public enum State: String, Sendable, Codable {
        /// About to be sent; found by a later tick it means that nobody recorded the answer.
        case claimed
        /// APNs took the start, which is not a card on a screen.
        case accepted
        /// The app said that the card exists.
        case confirmed
        /// It must go; an end or a wake is owed.
        case ending
        case ended
        /// The person swiped it away: no more for this occurrence.
        case dismissed
        /// The start is known not to have been processed.
        case failed
        /// No answer came to the start, so there is no second one.
        case unknown

        /// Whether there may be a card on the screen.
        public var isLive: Bool {
            switch self {
            case .claimed, .accepted, .confirmed, .ending, .unknown: true
            case .ended, .dismissed, .failed: false
            }
        }
    }

    /// Its row.
    public var id: RunID
    /// Whose card it is.
    public var userID: String
    /// Its event, which may be gone.
    public var eventID: EventID
    /// The original local start.
    public var occurrence: LocalDateTime
    /// Counts the cards of one (device, occurrence) from 1.
    public var generation: Int
    /// What is known of the card.
    public var state: State
    /// Why it is in its state: the text of a ``Reason``, or of what the app said.
    public var reason: String?
    /// The running activity's token; nil: it never came, or it is spent.
    public var updateToken: PushToken?
    /// What the phone was last told.
    public var content: JSON?
    /// What stands for it.
    public var contentKey: String?
    /// The phase that the content shows.
    public var phase: Phase?
    /// When that content is out of date.
    public var staleAt: Date?
    /// Unix seconds of the last push; the next one is later.
    public var lastTimestamp: Int64?
    /// The last start by the decision clock; nil: the app started it, and no tick has seen it yet.
    public var startedAt: Date?
    /// Until when APNs may keep the start; nil: the app started the card.
    public var startExpiresAt: Date?
    /// When the card was to be taken down, as last planned; nil: no plan has seen it yet.
    public var closesAt: Date?
    /// Nothing is sent for it before.
    public var retryAt: Date?
    /// Pushes in a row that were not accepted.
    public var failures: Int
    /// APNs is known to have taken the start.
    public var isStartTaken: Bool
    /// The app said that the card exists.
    public var isConfirmed: Bool
    /// The app said that the phone has no such card.
    public var isMissing: Bool
    /// The card is known to have left the phone.
    public var isGone: Bool
    /// An end was sent at least once.
    public var isEndSent: Bool
    /// The event's row is there and not deleted, whether or not the device may see it.
    public var eventExists: Bool

    /// A run by its parts.
    public init(
        id: RunID, userID: String, eventID: EventID, occurrence: LocalDateTime, generation: Int, state: State,
        reason: String? = nil, updateToken: PushToken? = nil, content: JSON? = nil, contentKey: String? = nil,
        phase: Phase? = nil, staleAt: Date? = nil, lastTimestamp: Int64? = nil, startedAt: Date? = nil,
        startExpiresAt: Date? = nil, closesAt: Date? = nil, retryAt: Date? = nil, failures: Int = 0,
        isStartTaken: Bool = true,
        isConfirmed: Bool = false, isMissing: Bool = false, isGone: Bool = false, isEndSent: Bool = false,
        eventExists: Bool = true
    ) {
        self.id = id
        self.userID = userID
        self.eventID = eventID
        self.occurrence = occurrence
        self.generation = generation
        self.state = state
        self.reason = reason
        self.updateToken = updateToken
        self.content = content
        self.contentKey = contentKey
        self.phase = phase
        self.staleAt = staleAt
        self.lastTimestamp = lastTimestamp
        self.startedAt = startedAt
        self.startExpiresAt = startExpiresAt
        self.closesAt = closesAt
        self.retryAt = retryAt
        self.failures = failures
        self.isStartTaken = isStartTaken
        self.isConfirmed = isConfirmed
        self.isMissing = isMissing
        self.isGone = isGone
        self.isEndSent = isEndSent
        self.eventExists = eventExists
    }

    /// Which card this is, whatever its generation.
    public var key: OccurrenceKey { OccurrenceKey(event: eventID, occurrence: occurrence) }
}

/// Names one occurrence: its event and its original local start.
public struct OccurrenceKey: Sendable, Hashable {
    /// The event.
    public var event: EventID
    /// The original local start.
    public var occurrence: LocalDateTime

    /// A key by its parts.
    public init(event: EventID, occurrence: LocalDateTime) {
        self.event = event
        self.occurrence = occurrence
    }
}
