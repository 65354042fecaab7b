/// The parts of a rule that choose days, completed from the start.
///
/// RFC 5545 3.3.10 lets a part expand (E) what the period has, or limit (L) it; a dash is a combination that is refused:
///
/// ```
///               SECONDLY MINUTELY HOURLY  DAILY  WEEKLY  MONTHLY  YEARLY
///   BYMONTH        L        L       L       L      L        L        E
///   BYWEEKNO       -        -       -       -      -        -        E
///   BYYEARDAY      L        L       L       -      -        -        E
///   BYMONTHDAY     L        L       L       L      -        E        E
///   BYDAY          L        L       L       L      E      note 1   note 2
///   BYHOUR         L        L       L       E      E        E        E
///   BYMINUTE       L        L       E       E      E        E        E
///   BYSECOND       L        E       E       E      E        E        E
///   BYSETPOS       L        L       L       L      L        L        L
///
///   note 1: L beside BYMONTHDAY, else the weekdays of the month
///   note 2: L beside BYYEARDAY or BYMONTHDAY, else the weekdays of the week beside BYWEEKNO,
///           of the month beside BYMONTH, of the year otherwise
/// ```
///
/// Seen as sets, all that is the same: a day is chosen when every part that is present holds it. What remains is which
/// part comes from the start when it is missing, and of what an ordinal counts: the two switches below.
struct DayParts: Sendable {
    let scale: RecurrenceRule.Scale
    let skip: RecurrenceRule.Skip
    private(set) var months: UInt64
    private(set) var leapMonths: UInt64
    private(set) var monthDays: RecurrenceRule.SignedSet
    private(set) var weekdays: UInt64
    let nthWeekdays: [RecurrenceRule.NthWeekday]
    /// Whether an ordinal of BYDAY counts in the month; otherwise in the year.
    let countsInMonth: Bool
    let yearDays: [Int]
    let weekNumbers: RecurrenceRule.SignedSet
    let weekStart: Int

    init(_ rule: RecurrenceRule.Parts, startDay: Int) throws(RecurrenceError) {
        scale = rule.scale
        skip = rule.skip
        months = rule.months
        leapMonths = rule.leapMonths
        monthDays = rule.monthDays
        weekdays = rule.weekdays
        nthWeekdays = rule.nthWeekdays
        countsInMonth = rule.frequency == .monthly || rule.months | rule.leapMonths != 0
        yearDays = rule.yearDays
        weekNumbers = rule.weekNumbers
        weekStart = rule.weekStart

        let hasWeekdays = weekdays != 0 || !nthWeekdays.isEmpty
        switch rule.frequency {
        case .secondly, .minutely, .hourly, .daily:
            break
        case .weekly:
            if !hasWeekdays { weekdays = 1 << UInt64(Gregorian.weekday(ofDay: startDay)) }
        case .monthly:
            if !hasWeekdays, monthDays.isEmpty { try takeMonthDay(of: startDay) }
        case .yearly:
            if !weekNumbers.isEmpty {
                let isOpen = !hasWeekdays && monthDays.isEmpty && yearDays.isEmpty
                if isOpen { weekdays = 1 << UInt64(Gregorian.weekday(ofDay: startDay)) }
            } else if yearDays.isEmpty {
                if !hasWeekdays, monthDays.isEmpty { try takeMonthDay(of: startDay) }
                if !hasMonths, !monthDays.isEmpty { try takeMonth(of: startDay) }
            }
        }
    }

    var hasMonths: Bool { months | leapMonths != 0 }
    var hasWeekdays: Bool { weekdays != 0 || !nthWeekdays.isEmpty }
    /// Whether every day is chosen.
    var isEmpty: Bool { !hasMonths && monthDays.isEmpty && !hasWeekdays && yearDays.isEmpty }
    /// Whether the weekday alone decides.
    var isWeekdaysOnly: Bool { weekdays != 0 && !hasMonths && monthDays.isEmpty && yearDays.isEmpty }

    func allows(_ month: CalendarMonth) -> Bool {
        !hasMonths || (month.isLeap ? leapMonths : months).has(month.number)
    }

    private mutating func takeMonthDay(of day: Int) throws(RecurrenceError) {
        let month = try scale.month(at: scale.monthIndex(ofDay: day))
        monthDays.fromStart = 1 << UInt64(day - month.firstDay + 1)
    }

    private mutating func takeMonth(of day: Int) throws(RecurrenceError) {
        let month = try scale.month(at: scale.monthIndex(ofDay: day))
        if month.isLeap { leapMonths = 1 << UInt64(month.number) } else { months = 1 << UInt64(month.number) }
    }
}
