/// A recurrence rule: the value of an RRULE property (RFC 5545 3.3.10), with RSCALE and SKIP (RFC 7529).
///
/// It is what the text says and no more: what the text leaves out comes from the start, in ``OccurrenceSet``.
public struct RecurrenceRule: Sendable, Hashable {
    /// FREQ: the period that the rule repeats.
    public enum Frequency: UInt8, Sendable, Hashable, Comparable, CaseIterable {
        case secondly, minutely, hourly, daily, weekly, monthly, yearly

        /// Orders from the finest to the coarsest.
        public static func < (left: Frequency, right: Frequency) -> Bool { left.rawValue < right.rawValue }
    }

    /// RSCALE: the calendar that counts the years and months.
    public enum Scale: UInt8, Sendable, Hashable, CaseIterable {
        case gregorian, chinese, dangi, hebrew, ethiopic, coptic, islamicCivil
    }

    /// SKIP: what becomes of a day or a leap month that a year or month does not have.
    public enum Skip: UInt8, Sendable, Hashable {
        case omit, backward, forward
    }

    /// A weekday of BYDAY with a number: the second Tuesday is (2, 1), the last Sunday (-1, 6).
    public struct NthWeekday: Sendable, Hashable {
        /// From the beginning when positive, from the end when negative; never 0, at most 53 either way.
        public let ordinal: Int
        /// Monday is 0, Sunday 6.
        public let weekday: Int
    }

    /// Where the rule ends; both ends count themselves in.
    public enum End: Sendable, Hashable {
        case never
        /// COUNT: after so many instances of the rule, before exceptions are taken away.
        case count(Int)
        /// UNTIL as a date: the whole of that local day.
        case date(LocalDateTime)
        /// UNTIL as a local time, for a start without zone.
        case local(LocalDateTime)
        /// UNTIL in UTC, in Unix seconds, for a start with a zone.
        case utc(Int64)
    }

    /// Members of a set that are counted from the beginning (bit n) and from the end (bit n of `fromEnd`).
    struct SignedSet: Hashable, Sendable {
        var fromStart: UInt64 = 0
        var fromEnd: UInt64 = 0
        var isEmpty: Bool { fromStart | fromEnd == 0 }
    }

    /// FREQ.
    public var frequency: Frequency { parts.frequency }
    /// INTERVAL: every so many periods; 1 unless the rule says otherwise.
    public var interval: Int { parts.interval }
    /// COUNT or UNTIL.
    public var end: End { parts.end }
    /// RSCALE; Gregorian unless the rule says otherwise.
    public var scale: Scale { parts.scale }

    let parts: Parts

    /// The parts as the text has them; an empty set is a part that is missing.
    struct Parts: Hashable, Sendable {
        var frequency = Frequency.yearly
        var interval = 1
        var end = End.never
        var scale = Scale.gregorian
        var skip = Skip.omit
        /// Monday is 0.
        var weekStart = 0
        /// Bit n is second, minute or hour n.
        var seconds: UInt64 = 0
        var minutes: UInt64 = 0
        var hours: UInt64 = 0
        /// Bit n is month n.
        var months: UInt64 = 0
        var leapMonths: UInt64 = 0
        var monthDays = SignedSet()
        var weekNumbers = SignedSet()
        /// Bit 0 is Monday.
        var weekdays: UInt64 = 0
        var nthWeekdays: [NthWeekday] = []
        var yearDays: [Int] = []
        var positions: [Int] = []
    }
}
