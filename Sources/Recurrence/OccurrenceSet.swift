/// All occurrences of an event: its rule or its single start, with additions (RDATE), without exceptions (EXDATE).
///
/// Instances are found in local time and then resolved in the zone (``Zone/instant(of:)``); occurrences are a set of
/// instants, ascending. COUNT counts the rule's instances before exceptions are taken away; additions use none up.
/// DTSTART is an occurrence when it matches the rule, or when there is no rule. Years 1 to 9999 exist.
public struct OccurrenceSet: Sendable {
    /// The most additions, and the most exceptions, that a set may have.
    public static let maximumDates = 20_000

    /// DTSTART.
    public let start: LocalDateTime
    /// Whether occurrences are whole days, local times at midnight without instants.
    public let isAllDay: Bool
    /// The zone of the local times; nil when they float or are whole days.
    public let zone: Zone?

    let expansion: Expansion?
    /// COUNT, or nil.
    let count: Int?
    /// The last local time and the last key that UNTIL allows.
    let lastLocal: Int64
    let lastKey: Int64
    /// Keys of RDATE and EXDATE, ascending; days of a date-only EXDATE.
    let additions: [Int64]
    let exceptions: [Int64]
    let exceptionDays: [Int]

    /// An event's occurrences.
    ///
    /// A date-only addition takes the start's time; a date-only exception removes all instances of its local day; an
    /// all-day event reads the day of either. A date-only UNTIL includes the whole of that local day.
    ///
    /// Throws a ``RecurrenceError`` when UNTIL's form does not fit the start (RFC 5545 3.3.10: a date for an all-day
    /// start, UTC with a zone, local without one), when a rule finer than a day meets an all-day start, when the start
    /// lies outside the rule's calendar, and over the limit of dates.
    public init(
        start: LocalDateTime, isAllDay: Bool, zone: Zone?, rule: RecurrenceRule?, additions: [RecurrenceDate] = [],
        exceptions: [RecurrenceDate] = []
    ) throws(RecurrenceError) {
        guard additions.count <= Self.maximumDates, exceptions.count <= Self.maximumDates else {
            throw RecurrenceError(.limit, "an event may have at most \(Self.maximumDates) added or excepted dates")
        }
        guard Gregorian.days.contains(start.dayNumber) else {
            throw RecurrenceError(.range, "the start lies outside the years 1 to 9999")
        }
        self.start = isAllDay ? start.midnight : start
        self.isAllDay = isAllDay
        self.zone = isAllDay ? nil : zone

        if let rule {
            if isAllDay, rule.frequency < .daily {
                throw RecurrenceError(.combination, "FREQ: a rule finer than a day needs a start with a time")
            }
            expansion = try Expansion(
                rule.parts, start: Int(self.start.secondsSinceEpoch), isAllDay: isAllDay)
            (count, lastLocal, lastKey) = try Self.end(of: rule, isAllDay: isAllDay, zone: self.zone)
        } else {
            expansion = nil
            (count, lastLocal, lastKey) = (nil, .max, .max)
        }

        let (day, zone) = (self.start, self.zone)
        self.additions =
            additions.isEmpty
            ? []
            : additions.map { addition in
                let local =
                    switch addition {
                    case .dateTime(let value): isAllDay ? value.midnight : value
                    case .date(let value):
                        LocalDateTime(secondsSinceEpoch: value.midnight.secondsSinceEpoch + Int64(day.secondOfDay))
                    }
                return zone?.instant(of: local) ?? local.secondsSinceEpoch
            }.sorted()
        var keys: [Int64] = []
        var days: [Int] = []
        for exception in exceptions {
            switch exception {
            case .dateTime(let value) where !isAllDay: keys.append(zone?.instant(of: value) ?? value.secondsSinceEpoch)
            default: days.append(exception.value.dayNumber)
            }
        }
        self.exceptions = keys.sorted()
        exceptionDays = days.sorted()
    }

    /// COUNT, and the last local time and the last key that UNTIL allows.
    private static func end(
        of rule: RecurrenceRule, isAllDay: Bool, zone: Zone?
    ) throws(RecurrenceError) -> (Int?, Int64, Int64) {
        switch rule.end {
        case .never:
            return (nil, .max, .max)
        case .count(let count):
            return (count, .max, .max)
        case .date(let date):
            return (nil, date.secondsSinceEpoch + Int64(secondsPerDay) - 1, .max)
        case .local(let local) where !isAllDay && zone == nil:
            return (nil, local.secondsSinceEpoch, .max)
        case .utc(let instant):
            guard !isAllDay, let zone else { break }
            return (nil, zone.latestLocal(notAfter: instant).secondsSinceEpoch, instant)
        case .local:
            break
        }
        let wanted =
            isAllDay ? "a date, as DTSTART is" : zone == nil ? "local, as DTSTART is" : "in UTC, as DTSTART has a zone"
        throw RecurrenceError(.combination, "UNTIL: it must be \(wanted)")
    }
}

extension LocalDateTime {
    /// The same date at midnight.
    public var midnight: LocalDateTime { LocalDateTime(secondsSinceEpoch: secondsSinceEpoch - Int64(secondOfDay)) }
}
