/// The Hebrew calendar, its months numbered from Tishri; Adar I of a leap year is the leap month `5L` (RFC 7529 4.2).
enum Hebrew {
    private static let epoch = -1_373_427 - 719_163

    static func firstMonth(ofYear year: Int) -> Int { floorDivide(235 * year - 234, 19) }

    static func firstDay(ofYear year: Int) -> Int {
        let before = elapsedDays(year - 1)
        let this = elapsedDays(year)
        let after = elapsedDays(year + 1)
        // No year may have 356 or 382 days; its new year is put off instead.
        let delay = after - this == 356 ? 2 : this - before == 382 ? 1 : 0
        return epoch + this + delay
    }

    static func year(ofDay day: Int) -> Int {
        // A mean year has 35975351/98496 days.
        var year = floorDivide((day - epoch) * 98_496, 35_975_351) + 1
        while firstDay(ofYear: year) > day { year -= 1 }
        while firstDay(ofYear: year + 1) <= day { year += 1 }
        return year
    }

    static func monthIndex(ofDay day: Int) -> Int {
        let year = year(ofDay: day)
        let dayOfYear = day - firstDay(ofYear: year)
        let layout = Layout(year)
        var position = min(dayOfYear / 29, layout.count - 1)
        while layout.start(position) > dayOfYear { position -= 1 }
        return firstMonth(ofYear: year) + position
    }

    static func month(at index: Int) -> CalendarMonth {
        var year = floorDivide(19 * index + 234, 235)
        while firstMonth(ofYear: year + 1) <= index { year += 1 }
        while firstMonth(ofYear: year) > index { year -= 1 }
        let position = index - firstMonth(ofYear: year)
        let layout = Layout(year)
        return CalendarMonth(
            firstDay: firstDay(ofYear: year) + layout.start(position),
            length: layout.start(position + 1) - layout.start(position),
            number: layout.isLeap && position >= 5 ? position : position + 1, isLeap: layout.isLeap && position == 5)
    }

    /// Days before the mean new moon's new year, moved off Sunday, Wednesday and Friday.
    private static func elapsedDays(_ year: Int) -> Int {
        let months = firstMonth(ofYear: year)
        let days = 29 * months + floorDivide(12_084 + 13_753 * months, 25_920)
        return floorRemainder(3 * (days + 1), 7) < 3 ? days + 1 : days
    }

    /// Where the months of a year begin: its length decides Heshvan and Kislev.
    private struct Layout {
        let isLeap: Bool
        let length: Int
        var count: Int { isLeap ? 13 : 12 }

        init(_ year: Int) {
            length = firstDay(ofYear: year + 1) - firstDay(ofYear: year)
            isLeap = length > 360
        }

        func start(_ position: Int) -> Int {
            guard position < count else { return length }
            let regular = isLeap && position > 5 ? position - 1 : position
            let long = length % 10 == 5 && regular > 1 ? 1 : 0
            let short = length % 10 == 3 && regular > 2 ? 1 : 0
            return 29 * regular + (regular + 1) / 2 + long - short + (isLeap && position > 5 ? 30 : 0)
        }
    }
}
