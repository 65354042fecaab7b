/// One concrete start of an event.
public struct Occurrence: Sendable, Hashable {
    /// What the wall clock shows: after resolution where there is a zone, so that a skipped 02:30 is 03:30.
    public let local: LocalDateTime
    /// Unix seconds; nil when the event floats or lasts all day.
    public let instant: Int64?

    /// An occurrence at a local time, and at an instant where there is a zone.
    public init(local: LocalDateTime, instant: Int64?) {
        self.local = local
        self.instant = instant
    }

    /// What occurrences of one set are ordered and compared by.
    var key: Int64 { instant ?? local.secondsSinceEpoch }
}

/// A value of RDATE or EXDATE: a date with a time, or a date alone.
public enum RecurrenceDate: Sendable, Hashable {
    case dateTime(LocalDateTime)
    /// The day of the value; its time is not looked at.
    case date(LocalDateTime)

    /// Reads `2026-01-02T03:04:05` or `2026-01-02`; nil for anything else.
    public init?(_ text: some StringProtocol) {
        guard let (value, hasTime) = LocalDateTime.parse(text) else { return nil }
        self = hasTime ? .dateTime(value) : .date(value)
    }

    var value: LocalDateTime {
        switch self {
        case .dateTime(let value), .date(let value): value
        }
    }
}
