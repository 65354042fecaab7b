internal import Recurrence

/// A length as a calendar means it: months and days by the calendar, seconds exact (RFC 5545 3.3.6).
public struct NominalDuration: Sendable, Hashable, Codable {
    /// Calendar months.
    public var months: Int
    /// Calendar days.
    public var days: Int
    /// Exact seconds.
    public var seconds: Int64

    /// A length by its parts.
    public init(months: Int = 0, days: Int = 0, seconds: Int64 = 0) {
        self.months = months
        self.days = days
        self.seconds = seconds
    }

    /// At least as long as this can last, in seconds: a month counts as 31 days, a day as 25 hours.
    var longest: Int64 { (Int64(months) * 31 + Int64(days)) * 90_000 + seconds }

    /// The Unix second at which something that starts at `local` in `zone` ends.
    func end(of local: LocalDateTime, startingAt instant: Int64, in zone: Zone) -> Int64 {
        guard months != 0 || days != 0 else { return instant + seconds }
        return zone.instant(of: local.adding(months: months, days: days)) + seconds
    }

    /// The midnight that ends an all-day event which begins on `day`: it lasts whole days, one at least (RFC 5545 3.6.1).
    func lastMidnight(from day: LocalDateTime) -> LocalDateTime {
        let end = day.adding(months: months, days: days + Int((seconds + 86_399) / 86_400))
        return max(end, day.adding(months: 0, days: 1))
    }
}

extension LocalDateTime {
    /// So many months and days later; a day that the month lacks becomes its last one.
    func adding(months: Int, days: Int) -> LocalDateTime {
        let month = year * 12 + (self.month - 1) + months
        let (newYear, newMonth) = (month / 12, month % 12 + 1)
        let first = LocalDateTime(year: newYear, month: newMonth, day: 1)
        let next = LocalDateTime(year: newYear + newMonth / 12, month: newMonth % 12 + 1, day: 1)
        let length = Int((next.secondsSinceEpoch - first.secondsSinceEpoch) / 86_400)
        let moved = LocalDateTime(
            year: newYear, month: newMonth, day: min(day, length), hour: hour, minute: minute, second: second)
        return LocalDateTime(secondsSinceEpoch: moved.secondsSinceEpoch + Int64(days) * 86_400)
    }
}
