/// The names that a rule's parts have in text.
enum RulePart: UInt8 {
    case freq, interval, byDay, until, count, byMonth, byMonthDay, weekStart, bySetPosition
    case rscale, skip, byHour, byMinute, bySecond, byYearDay, byWeekNumber

    static let rawValues: Range<UInt8> = 0..<16

    var name: StaticString {
        switch self {
        case .freq: "FREQ"
        case .interval: "INTERVAL"
        case .byDay: "BYDAY"
        case .until: "UNTIL"
        case .count: "COUNT"
        case .byMonth: "BYMONTH"
        case .byMonthDay: "BYMONTHDAY"
        case .weekStart: "WKST"
        case .bySetPosition: "BYSETPOS"
        case .rscale: "RSCALE"
        case .skip: "SKIP"
        case .byHour: "BYHOUR"
        case .byMinute: "BYMINUTE"
        case .bySecond: "BYSECOND"
        case .byYearDay: "BYYEARDAY"
        case .byWeekNumber: "BYWEEKNO"
        }
    }
}
