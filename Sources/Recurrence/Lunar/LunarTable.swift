/// A lunisolar calendar as published: every month of the lunar years 1900 to 2100, with its first day.
///
/// A lunar year has the number of the Gregorian year in which its first month begins. What lies outside the table is an
/// error, never a guess.
final class LunarTable: Sendable {
    static let chinese = LunarTable("CHINESE", years: chineseYears)
    static let dangi = LunarTable("DANGI", years: koreanYears)
    static let firstYear = 1900

    private let name: String
    /// The first day of each month, and of the month after the last one.
    private let firstDays: [Int32]
    /// Each month's number, times two, plus one for a leap month.
    private let labels: [UInt8]
    /// The index of each year's first month, and of the year after the last one.
    private let firstMonths: [Int32]
    /// The lunar year of each month, less `firstYear`.
    private let yearOffsets: [UInt8]

    /// Unpacks the generated table, one word a year.
    ///
    /// Bits 0 to 12 say which months have 30 days rather than 29, bits 13 to 16 after which month the leap month
    /// comes (0 for none), bits 17 and up how many days after January 1 the year begins.
    private init(_ name: String, years: [UInt32]) {
        var firstDays: [Int32] = []
        var labels: [UInt8] = []
        var firstMonths: [Int32] = []
        var yearOffsets: [UInt8] = []
        var day = 0
        for (offset, word) in years.enumerated() {
            day = Gregorian.day(year: Self.firstYear + offset, month: 1, day: 1) + Int(word >> 17)
            let leap = Int(word >> 13 & 15)
            firstMonths.append(Int32(labels.count))
            for position in 0..<(leap > 0 ? 13 : 12) {
                let isLeap = leap > 0 && position == leap
                let number = leap > 0 && position >= leap ? position : position + 1
                firstDays.append(Int32(day))
                labels.append(UInt8(number * 2 + (isLeap ? 1 : 0)))
                yearOffsets.append(UInt8(offset))
                day += 29 + Int(word >> UInt32(position) & 1)
            }
        }
        firstDays.append(Int32(day))
        firstMonths.append(Int32(labels.count))
        self.name = name
        self.firstDays = firstDays
        self.labels = labels
        self.firstMonths = firstMonths
        self.yearOffsets = yearOffsets
    }

    var lastYear: Int { Self.firstYear + firstMonths.count - 2 }
    var lastMonth: Int { labels.count - 1 }
    var lastDay: Int { Int(firstDays[labels.count]) - 1 }

    func monthIndex(ofDay day: Int) throws(RecurrenceError) -> Int {
        let first = Int(firstDays[0])
        guard day >= first, day <= lastDay else { throw outside }
        // A month has 29.53 days on average.
        var index = min((day - first) * 100 / 2953, lastMonth)
        while firstDays[index] > day { index -= 1 }
        while firstDays[index + 1] <= day { index += 1 }
        return index
    }

    func month(at index: Int) throws(RecurrenceError) -> CalendarMonth {
        guard labels.indices.contains(index) else { throw outside }
        return CalendarMonth(
            firstDay: Int(firstDays[index]), length: Int(firstDays[index + 1] - firstDays[index]),
            number: Int(labels[index] >> 1), isLeap: labels[index] & 1 == 1)
    }

    func firstDay(ofMonthAt index: Int) throws(RecurrenceError) -> Int {
        guard firstDays.indices.contains(index) else { throw outside }
        return Int(firstDays[index])
    }

    func year(ofMonth index: Int) -> Int { Self.firstYear + Int(yearOffsets[index]) }

    func firstMonth(ofYear year: Int) throws(RecurrenceError) -> Int {
        guard firstMonths.indices.contains(year - Self.firstYear) else { throw outside }
        return Int(firstMonths[year - Self.firstYear])
    }

    func firstDay(ofYear year: Int) throws(RecurrenceError) -> Int {
        Int(firstDays[try firstMonth(ofYear: year)])
    }

    private var outside: RecurrenceError {
        RecurrenceError(
            .range, "RSCALE: the \(name) calendar is known for its years \(Self.firstYear) to \(lastYear) only")
    }
}
