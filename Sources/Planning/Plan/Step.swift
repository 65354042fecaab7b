public import Foundation
public import LiveActivity
public import Recurrence

/// What a silent push is sent for.
public enum WakeCause: String, Sendable, Codable {
    /// A card must go and its update token never came.
    case takeDown = "take_down"
    /// A card must change and its update token never came.
    case update
}

/// One thing to do for a device, and why.
public struct Step: Sendable, Equatable {
    /// What to do.
    public enum Action: Sendable, Equatable {
        case start(Start)
        case update(Update)
        case end(End)
        /// A silent push about these runs.
        case wake([RunID], WakeCause)
        /// Nothing can be sent: the wanted content waits for the run's update token.
        case hold(RunID)
        /// No push: the run's row alone changes.
        case settle(RunID, Settlement)
        /// No push: the run belongs to another occurrence of its event, since the event was moved a little.
        case rekey(RunID, LocalDateTime, generation: Int)
        /// No card here, for the step's reason.
        case skip(detail: String?)
    }

    /// What to do.
    public var action: Action
    /// Nil where the step is about the device.
    public var event: EventID?
    /// Nil where the step is about the device, or about every occurrence of an event.
    public var occurrence: LocalDateTime?
    /// Why.
    public var reason: Reason

    /// A step by its parts.
    public init(_ action: Action, event: EventID? = nil, occurrence: LocalDateTime? = nil, _ reason: Reason) {
        self.action = action
        self.event = event
        self.occurrence = occurrence
        self.reason = reason
    }

    init(_ action: Action, _ key: OccurrenceKey, _ reason: Reason) {
        self.init(action, event: key.event, occurrence: key.occurrence, reason)
    }
}

/// A start: everything but the id of its run, which a new one gets when it is recorded.
public struct Start: Sendable, Equatable {
    /// A start that is tried again keeps its run, and so its collapse id.
    public var run: RunID?
    /// Which card of its occurrence, counted from 1.
    public var generation: Int
    /// What the card shows; its run's id is filled in later.
    public var context: CardContext
    /// Unix seconds, later than those of the last push to this card.
    public var timestamp: Int64
    /// When the content is out of date.
    public var staleAt: Date
    /// Until when APNs may keep it for a phone that is offline.
    public var expiresAt: Date
    /// When the card is to be taken down.
    public var closesAt: Date

    /// A start by its parts.
    public init(
        run: RunID?, generation: Int, context: CardContext, timestamp: Int64, staleAt: Date, expiresAt: Date,
        closesAt: Date
    ) {
        self.run = run
        self.generation = generation
        self.context = context
        self.timestamp = timestamp
        self.staleAt = staleAt
        self.expiresAt = expiresAt
        self.closesAt = closesAt
    }
}

/// An update of a running card.
public struct Update: Sendable, Equatable {
    /// The card.
    public var run: RunID
    /// Where it goes.
    public var token: PushToken
    /// What the card shows.
    public var context: CardContext
    /// The same, rendered.
    public var card: Card
    /// Unix seconds, later than those of the last push to this card.
    public var timestamp: Int64
    /// When the content is out of date.
    public var staleAt: Date
    /// When the card is to be taken down.
    public var closesAt: Date
    /// Seen at once and worth the device's budget: a change of phase.
    public var isUrgent: Bool

    /// An update by its parts.
    public init(
        run: RunID, token: PushToken, context: CardContext, card: Card, timestamp: Int64, staleAt: Date,
        closesAt: Date, isUrgent: Bool
    ) {
        self.run = run
        self.token = token
        self.context = context
        self.card = card
        self.timestamp = timestamp
        self.staleAt = staleAt
        self.closesAt = closesAt
        self.isUrgent = isUrgent
    }
}

/// The end of a card.
public struct End: Sendable, Equatable {
    /// The card.
    public var run: RunID
    /// Where it goes.
    public var token: PushToken
    /// The last content; `null` where none was sent from here.
    public var content: JSON
    /// Unix seconds, later than those of the last push to this card.
    public var timestamp: Int64
    /// When it leaves the Lock Screen; not after the timestamp: at once.
    public var dismissAt: Date
    /// Until when APNs keeps it for a phone that is offline.
    public var expiresAt: Date

    /// An end by its parts.
    public init(run: RunID, token: PushToken, content: JSON, timestamp: Int64, dismissAt: Date, expiresAt: Date) {
        self.run = run
        self.token = token
        self.content = content
        self.timestamp = timestamp
        self.dismissAt = dismissAt
        self.expiresAt = expiresAt
    }
}

/// What a run's row becomes without a push.
public struct Settlement: Sendable, Equatable {
    /// The state that the run is in from now on.
    public var state: Run.State
    /// Whether the card is known to have left the phone.
    public var isGone: Bool
    /// Stamps a card that the app started; nil leaves the time as it is.
    public var startedAt: Date?
    /// Nil leaves the time as it is.
    public var closesAt: Date?

    /// A settlement by its parts.
    public init(_ state: Run.State, isGone: Bool = false, startedAt: Date? = nil, closesAt: Date? = nil) {
        self.state = state
        self.isGone = isGone
        self.startedAt = startedAt
        self.closesAt = closesAt
    }
}
