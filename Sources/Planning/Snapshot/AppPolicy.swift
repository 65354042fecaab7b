public import Foundation
public import LiveActivity

/// One row of `cuecard.app`: what an app's cards look like and when they show.
///
/// Times are in seconds.
public struct AppPolicy: Sendable {
    /// When a card is taken down.
    public enum Closing: String, Sendable, Codable {
        case end
        case start
    }

    /// The app's bundle identifier.
    public var bundleID: String
    /// The compiled templates, or why they cannot be used.
    public var template: Result<CardTemplate, TemplateError>
    /// How long before its start a card appears; an event's own lead goes before it.
    public var lead: TimeInterval
    /// How long before its end a card says `ending`.
    public var endingLead: TimeInterval
    /// When a card is taken down.
    public var closes: Closing
    /// How long an ended card stays on the Lock Screen.
    public var linger: TimeInterval
    /// How long content counts as fresh.
    public var staleAfter: TimeInterval
    /// Seconds after local midnight at which an all-day event starts; nil: such events have no card.
    public var allDayAt: TimeInterval?
    /// The most cards at once.
    public var maxCards: Int
    /// The most starts in any 60 minutes.
    public var maxStartsPerHour: Int

    /// A policy by its parts; what is left out has the table's default.
    public init(
        bundleID: String, template: Result<CardTemplate, TemplateError>, lead: TimeInterval = 3600,
        endingLead: TimeInterval = 900, closes: Closing = .end, linger: TimeInterval = 0,
        staleAfter: TimeInterval = 7200, allDayAt: TimeInterval? = nil, maxCards: Int = 1, maxStartsPerHour: Int = 4
    ) {
        self.bundleID = bundleID
        self.template = template
        self.lead = lead
        self.endingLead = endingLead
        self.closes = closes
        self.linger = linger
        self.staleAfter = staleAfter
        self.allDayAt = allDayAt
        self.maxCards = maxCards
        self.maxStartsPerHour = maxStartsPerHour
    }
}
