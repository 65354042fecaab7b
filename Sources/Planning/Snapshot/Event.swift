public import Foundation
public import LiveActivity
public import Recurrence

/// One row of `cuecard.event` that a device may see, its rule already read.
public struct Event: Sendable {
    /// Which of a device's switches governs it.
    public enum Kind: String, Sendable, Codable {
        case personal
        case shared
    }

    /// One moved, changed or cancelled occurrence; nil keeps what the event says.
    public struct Override: Sendable {
        /// This occurrence does not take place.
        public var isCancelled: Bool
        /// Its new local start.
        public var startsAt: LocalDateTime?
        /// How long it lasts.
        public var duration: NominalDuration?
        /// What it is called.
        public var title: String?
        /// Where it is.
        public var location: String?
        /// The app's own data for the card.
        public var details: JSON?

        /// An override by its parts.
        public init(
            isCancelled: Bool = false, startsAt: LocalDateTime? = nil, duration: NominalDuration? = nil,
            title: String? = nil, location: String? = nil, details: JSON? = nil
        ) {
            self.isCancelled = isCancelled
            self.startsAt = startsAt
            self.duration = duration
            self.title = title
            self.location = location
            self.details = details
        }
    }

    /// Its row.
    public var id: EventID
    /// The kind of its calendar.
    public var kind: Kind
    /// What it is called.
    public var title: String
    /// Where it is.
    public var location: String?
    /// The app's own data for the card.
    public var details: JSON
    /// Whether it lasts whole days.
    public var isAllDay: Bool
    /// Nil: floating, each device's own zone, as an all-day event always is.
    public var zone: Zone?
    /// How long it lasts.
    public var duration: NominalDuration
    /// In seconds; nil: the app's.
    public var lead: TimeInterval?
    /// By original local start, as the clock shows it: a start that a change of the clock skips is the later one.
    public var overrides: [LocalDateTime: Override]
    /// Occurrences that were taken out, as the clock shows them; a midnight may mean the whole day.
    public var exceptions: Set<LocalDateTime>
    /// Its occurrences, or why it can have no card.
    public var series: Result<OccurrenceSet, EventProblem>

    /// Reads a row's start, zone, rule and dates; what cannot be read becomes the event's problem, and no other's.
    public init(
        id: EventID, kind: Kind, title: String, location: String? = nil, details: JSON = .null,
        startsAt: LocalDateTime, duration: NominalDuration = NominalDuration(), timeZone: String? = nil,
        isAllDay: Bool = false, rrule: String? = nil, rdates: [LocalDateTime] = [], exdates: [LocalDateTime] = [],
        lead: TimeInterval? = nil, overrides: [LocalDateTime: Override] = [:]
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.location = location
        self.details = details
        self.isAllDay = isAllDay
        self.duration = duration
        self.lead = lead
        do {
            zone = try isAllDay ? nil : timeZone.map(Zone.named)
            series = .success(
                try Self.series(startsAt, isAllDay, zone, rrule, additions: rdates, exceptions: exdates))
        } catch {
            zone = nil
            series = .failure(EventProblem(error))
        }
        let zone = zone
        // As the clock shows a local time: one that a change of the clock skips is the later one.
        func shown(_ name: LocalDateTime) -> LocalDateTime {
            isAllDay ? name.midnight : zone.map { $0.local(at: $0.instant(of: name)) } ?? name
        }
        exceptions = Set(exdates.map(shown))
        // Of two names of one occurrence the later one holds, which is the one that the clock shows.
        self.overrides = Dictionary(
            overrides.sorted { $0.key < $1.key }.map { name, change in
                (shown(name), change)
            }, uniquingKeysWith: { $1 })
    }

    /// Whether an exception takes this occurrence out.
    func excludes(_ occurrence: LocalDateTime) -> Bool {
        exceptions.contains(occurrence) || exceptions.contains(occurrence.midnight) && occurrence != occurrence.midnight
    }

    private static func series(
        _ start: LocalDateTime, _ isAllDay: Bool, _ zone: Zone?, _ rrule: String?, additions: [LocalDateTime],
        exceptions: [LocalDateTime]
    ) throws -> OccurrenceSet {
        let rule = try rrule.flatMap { $0.isEmpty ? nil : try RecurrenceRule(parsing: $0) }
        if let rule, rule.frequency < .daily {
            throw EventProblem(
                reason: .ruleFinerThanADay,
                text: "a card needs a rule of DAILY or coarser, this one is \(rule.frequency)")
        }
        // A column of timestamps cannot say "date only": midnight on an event that starts at another time means the day.
        func date(_ local: LocalDateTime) -> RecurrenceDate {
            isAllDay || local == local.midnight && start != start.midnight ? .date(local) : .dateTime(local)
        }
        return try OccurrenceSet(
            start: isAllDay ? start.midnight : start, isAllDay: isAllDay, zone: zone, rule: rule,
            additions: additions.map { isAllDay ? .date($0) : .dateTime($0) }, exceptions: exceptions.map(date))
    }
}

/// Why an event can have no card.
public struct EventProblem: Error, Sendable, Equatable {
    /// The rule that refuses it.
    public var reason: Reason
    /// The fault and its mend, in plain words; nil: no fault, the app or the device wants it so.
    public var text: String?

    /// A problem by its reason.
    public init(reason: Reason, text: String? = nil) {
        self.reason = reason
        self.text = text
    }

    init(_ error: any Error) {
        switch error {
        case let problem as EventProblem: self = problem
        case let error as RecurrenceError where error.code == .zone: self.init(reason: .unknownZone, text: "\(error)")
        default: self.init(reason: .badRule, text: "\(error)")
        }
    }
}
