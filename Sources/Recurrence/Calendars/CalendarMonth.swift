/// One month of some calendar: where it lies and what it is called.
struct CalendarMonth {
    let firstDay: Int
    let length: Int
    /// The number that BYMONTH names; a leap month has that of the regular month before it.
    let number: Int
    let isLeap: Bool
}

/// The calendars in which a rule may count its years and months: RSCALE of RFC 7529.
///
/// A calendar is an unbroken row of months, each with an index; the years are ranges of it.
extension RecurrenceRule.Scale {
    func monthIndex(ofDay day: Int) throws(RecurrenceError) -> Int {
        switch self {
        case .gregorian: Gregorian.monthIndex(ofDay: day)
        case .chinese: try LunarTable.chinese.monthIndex(ofDay: day)
        case .dangi: try LunarTable.dangi.monthIndex(ofDay: day)
        case .hebrew: Hebrew.monthIndex(ofDay: day)
        case .ethiopic: ThirteenMonths.ethiopic.monthIndex(ofDay: day)
        case .coptic: ThirteenMonths.coptic.monthIndex(ofDay: day)
        case .islamicCivil: IslamicCivil.monthIndex(ofDay: day)
        }
    }

    func month(at index: Int) throws(RecurrenceError) -> CalendarMonth {
        switch self {
        case .gregorian: Gregorian.month(at: index)
        case .chinese: try LunarTable.chinese.month(at: index)
        case .dangi: try LunarTable.dangi.month(at: index)
        case .hebrew: Hebrew.month(at: index)
        case .ethiopic: ThirteenMonths.ethiopic.month(at: index)
        case .coptic: ThirteenMonths.coptic.month(at: index)
        case .islamicCivil: IslamicCivil.month(at: index)
        }
    }

    func year(ofDay day: Int) throws(RecurrenceError) -> Int {
        switch self {
        case .gregorian: Gregorian.date(ofDay: day).year
        case .chinese: try LunarTable.chinese.year(ofMonth: LunarTable.chinese.monthIndex(ofDay: day))
        case .dangi: try LunarTable.dangi.year(ofMonth: LunarTable.dangi.monthIndex(ofDay: day))
        case .hebrew: Hebrew.year(ofDay: day)
        case .ethiopic: ThirteenMonths.ethiopic.year(ofDay: day)
        case .coptic: ThirteenMonths.coptic.year(ofDay: day)
        case .islamicCivil: IslamicCivil.year(ofDay: day)
        }
    }

    /// The index of the year's first month; the year ends where the next one begins.
    func firstMonth(ofYear year: Int) throws(RecurrenceError) -> Int {
        switch self {
        case .gregorian: year * 12
        case .chinese: try LunarTable.chinese.firstMonth(ofYear: year)
        case .dangi: try LunarTable.dangi.firstMonth(ofYear: year)
        case .hebrew: Hebrew.firstMonth(ofYear: year)
        case .ethiopic, .coptic: year * 13
        case .islamicCivil: year * 12
        }
    }

    func firstDay(ofYear year: Int) throws(RecurrenceError) -> Int {
        switch self {
        case .gregorian: Gregorian.day(year: year, month: 1, day: 1)
        case .chinese: try LunarTable.chinese.firstDay(ofYear: year)
        case .dangi: try LunarTable.dangi.firstDay(ofYear: year)
        case .hebrew: Hebrew.firstDay(ofYear: year)
        case .ethiopic: ThirteenMonths.ethiopic.firstDay(ofYear: year)
        case .coptic: ThirteenMonths.coptic.firstDay(ofYear: year)
        case .islamicCivil: IslamicCivil.firstDay(ofYear: year)
        }
    }

    /// The day on which the month begins; asked also of the month after the last known one.
    func firstDay(ofMonthAt index: Int) throws(RecurrenceError) -> Int {
        switch self {
        case .chinese: try LunarTable.chinese.firstDay(ofMonthAt: index)
        case .dangi: try LunarTable.dangi.firstDay(ofMonthAt: index)
        default: try month(at: index).firstDay
        }
    }

    /// The highest month number, and whether there are leap months.
    var lastMonthNumber: Int { self == .ethiopic || self == .coptic ? 13 : 12 }
    var hasLeapMonths: Bool { self == .chinese || self == .dangi || self == .hebrew }
}

/// Where a calendar is known: everywhere, but for the tables.
extension RecurrenceRule.Scale {
    var lastYear: Int { lunarTable?.lastYear ?? .max }
    var lastMonth: Int { lunarTable?.lastMonth ?? .max }
    var lastDay: Int { lunarTable?.lastDay ?? .max }

    private var lunarTable: LunarTable? {
        switch self {
        case .chinese: LunarTable.chinese
        case .dangi: LunarTable.dangi
        default: nil
        }
    }
}
