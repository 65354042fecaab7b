/// Days of one month as bits: bit n is day n of the month, bit 0 the day before it, bit length + 1 the day after it.
extension DayParts {
    /// What MONTHLY picks.
    func monthly(_ month: CalendarMonth) -> UInt64 {
        guard allows(month) else { return 0 }
        guard !monthDays.isEmpty else { return weekdayBits(month) & .span(1, month.length) }
        let bits = monthDayBits(month, skip)
        return hasWeekdays ? bits & weekdayBits(month) : bits
    }

    /// BYMONTHDAY, with SKIP for the days that this month does not have.
    func monthDayBits(_ month: CalendarMonth, _ skip: RecurrenceRule.Skip) -> UInt64 {
        let length = month.length
        var bits = monthDays.fromStart & .span(1, length)
        var fromEnd = monthDays.fromEnd
        while fromEnd != 0 {
            let day = length + 1 - fromEnd.first
            if day >= 1 { bits |= 1 << UInt64(day) }
            fromEnd &= fromEnd - 1
        }
        guard skip != .omit else { return bits }
        if monthDays.fromStart.from(length + 1) != 0 { bits |= 1 << UInt64(skip == .forward ? length + 1 : length) }
        if monthDays.fromEnd.from(length + 1) != 0 { bits |= skip == .forward ? 1 << 1 : 1 << 0 }
        return bits
    }

    /// BYDAY; an ordinal counts in this month.
    func weekdayBits(_ month: CalendarMonth) -> UInt64 {
        let weekday = Gregorian.weekday(ofDay: month.firstDay - 1)
        var bits = weekdays == 0 ? 0 : UInt64.weekdayPattern(weekdays, from: weekday)
        for nth in nthWeekdays {
            let first = (nth.weekday - weekday + 6) % 7 + 1
            let last = month.length - (month.length - first) % 7
            let day = nth.ordinal > 0 ? first + 7 * (nth.ordinal - 1) : last + 7 * (nth.ordinal + 1)
            if day >= 1, day <= month.length { bits |= 1 << UInt64(day) }
        }
        return bits
    }

    /// The days of a month that every part holds, where all of them only limit: SKIP finds nothing to move.
    func limited(_ month: CalendarMonth, byYearDay: Bool = true) throws(RecurrenceError) -> UInt64 {
        guard allows(month) else { return 0 }
        var bits = UInt64.span(1, month.length)
        if !monthDays.isEmpty { bits &= monthDayBits(month, .omit) }
        if hasWeekdays, countsInMonth || nthWeekdays.isEmpty { bits &= weekdayBits(month) }
        if !yearDays.isEmpty, byYearDay { bits &= try yearDayBits(month) }
        return bits
    }

    /// BYYEARDAY.
    private func yearDayBits(_ month: CalendarMonth) throws(RecurrenceError) -> UInt64 {
        let year = try scale.year(ofDay: month.firstDay)
        let first = try scale.firstDay(ofYear: year)
        let end = try scale.firstDay(ofYear: year + 1)
        var bits: UInt64 = 0
        for number in yearDays {
            let day = (number > 0 ? first + number - 1 : end + number) - month.firstDay + 1
            if day >= 1, day <= month.length { bits |= 1 << UInt64(day) }
        }
        return bits
    }

    /// The first chosen day from a day on, up to and with the last one; nil when there is none.
    func nextLimited(onOrAfter day: Int, through last: Int) throws(RecurrenceError) -> Int? {
        if isEmpty { return day }
        if isWeekdaysOnly {
            return day + UInt64.weekdayPattern(weekdays, from: Gregorian.weekday(ofDay: day)).first
        }
        var index = try scale.monthIndex(ofDay: day)
        while try scale.firstDay(ofMonthAt: index) <= last {
            let month = try scale.month(at: index)
            let bits = try limited(month).from(day - month.firstDay + 1)
            if bits != 0 { return month.firstDay - 1 + bits.first }
            index += 1
        }
        return nil
    }
}
