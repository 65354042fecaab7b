public import Foundation

/// What the templates of an app are filled with: one occurrence for one device at one moment.
public struct CardContext: Sendable, Hashable {
    /// The run, which the app names when it reports its card.
    public var runID: UUID
    /// The event.
    public var eventID: UUID
    /// May be empty; an alert then says "Event" in the device's language.
    public var title: String
    /// Nil drops the keys that show it.
    public var location: String?
    /// The event's own data for the card; `null` where it has none.
    public var details: JSON
    /// The occurrence's start.
    public var start: Date
    /// The occurrence's end.
    public var end: Date
    /// Where the occurrence stands.
    public var phase: Phase
    /// Whole minutes until the start, rounded up; 0 once it has begun.
    public var minutes: Int
    /// The device's language tag, such as `ko-KR`; nil where the device named none.
    public var locale: String?

    /// A context by its parts.
    public init(
        runID: UUID, eventID: UUID, title: String, location: String? = nil, details: JSON = .null, start: Date,
        end: Date, phase: Phase, minutes: Int, locale: String? = nil
    ) {
        self.runID = runID
        self.eventID = eventID
        self.title = title
        self.location = location
        self.details = details
        self.start = start
        self.end = end
        self.phase = phase
        self.minutes = minutes
        self.locale = locale
    }
}
