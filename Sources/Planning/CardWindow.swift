public import Foundation
public import LiveActivity

/// One concrete occurrence on one device: when its card may be on screen, and what it shows.
public struct CardWindow: Sendable, Equatable {
    /// Which occurrence.
    public var key: OccurrenceKey
    /// When it starts.
    public var start: Date
    /// When it ends; not before its start.
    public var end: Date
    /// Start minus lead.
    public var opens: Date
    /// When the phase `ending` begins; not before the start.
    public var ending: Date
    /// The end or the start, as the app wants.
    public var closes: Date
    /// As the event or its override says.
    public var title: String
    /// Nil: none was given.
    public var location: String?
    /// The event's own data for the card.
    public var details: JSON

    /// Whether a card may be on screen.
    public func isOpen(at now: Date) -> Bool { opens <= now && now < closes }

    /// Where the occurrence stands.
    public func phase(at now: Date) -> Phase {
        if now >= closes { return .over }
        if now < start { return .upcoming }
        return now < ending ? .active : .ending
    }

    /// The moments at which the card changes by itself.
    var boundaries: [Date] { [opens, start, ending, closes] }

    /// What the app's templates are filled with.
    func context(run: RunID, locale: String, at now: Date) -> CardContext {
        CardContext(
            runID: run.uuid, eventID: key.event.uuid, title: title, location: location, details: details,
            start: start, end: end, phase: phase(at: now),
            minutes: max(0, Int((start.timeIntervalSince(now) / 60).rounded(.up))), locale: locale)
    }

    /// Upcoming before active, the nearest start first, then the event's id.
    static func ranks(_ left: CardWindow, before right: CardWindow, at now: Date) -> Bool {
        func rank(_ window: CardWindow) -> (Int, TimeInterval) {
            (window.start > now ? 0 : 1, abs(window.start.timeIntervalSince(now)))
        }
        let (l, r) = (rank(left), rank(right))
        if l != r { return l < r }
        if left.key.event != right.key.event { return left.key.event < right.key.event }
        return left.key.occurrence < right.key.occurrence
    }
}
