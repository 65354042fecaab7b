/// The tabular Islamic calendar, civil epoch: months of 30 and 29 days in turn, 11 leap years in 30.
enum IslamicCivil {
    private static let epoch = 227_015 - 719_163

    static func firstDay(ofYear year: Int) -> Int { epoch + 354 * (year - 1) + floorDivide(11 * year + 3, 30) }

    static func year(ofDay day: Int) -> Int { floorDivide(30 * (day - epoch) + 10_646, 10_631) }

    static func monthIndex(ofDay day: Int) -> Int {
        let year = year(ofDay: day)
        let dayOfYear = day - firstDay(ofYear: year)
        return year * 12 + min(11, 2 * dayOfYear / 59)
    }

    static func month(at index: Int) -> CalendarMonth {
        let year = floorDivide(index, 12)
        let position = index - year * 12
        let first = firstDay(ofYear: year) + 29 * position + (position + 1) / 2
        let next =
            position < 11
            ? firstDay(ofYear: year) + 29 * (position + 1) + (position + 2) / 2 : firstDay(ofYear: year + 1)
        return CalendarMonth(firstDay: first, length: next - first, number: position + 1, isLeap: false)
    }
}
