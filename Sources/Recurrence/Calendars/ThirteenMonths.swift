/// The Ethiopic and the Coptic calendar: twelve months of 30 days and a thirteenth of 5, or 6 every fourth year.
struct ThirteenMonths {
    static let ethiopic = ThirteenMonths(epoch: 2_796 - 719_163)
    static let coptic = ThirteenMonths(epoch: 103_605 - 719_163)

    /// The first day of year 1.
    let epoch: Int

    func firstDay(ofYear year: Int) -> Int { epoch + 365 * (year - 1) + floorDivide(year, 4) }

    func year(ofDay day: Int) -> Int { floorDivide(4 * (day - epoch) + 1463, 1461) }

    func monthIndex(ofDay day: Int) -> Int {
        let year = year(ofDay: day)
        return year * 13 + (day - firstDay(ofYear: year)) / 30
    }

    func month(at index: Int) -> CalendarMonth {
        let year = floorDivide(index, 13)
        let position = index - year * 13
        return CalendarMonth(
            firstDay: firstDay(ofYear: year) + 30 * position,
            length: position < 12 ? 30 : firstDay(ofYear: year + 1) - firstDay(ofYear: year) - 360,
            number: position + 1, isLeap: false)
    }
}
