/// What YEARLY picks from one year, or, where BYWEEKNO counts weeks, from one week-year.
extension DayParts {
    func yearly(_ year: Int) throws(RecurrenceError) -> DaySet {
        var days: DaySet
        if !weekNumbers.isEmpty {
            days = try byWeekNumber(year)
        } else if !yearDays.isEmpty {
            days = try byYearDay(year)
        } else if hasMonths {
            days = try byMonth(year)
        } else {
            return try byWeekday(year)
        }
        if !weekNumbers.isEmpty || !yearDays.isEmpty { try keepLimited(in: &days) }
        if hasWeekdays, !countsInMonth { try keepWeekdays(in: &days, year: year) }
        return days
    }

    // MARK: BYMONTH

    /// The days of BYMONTH's months, of which BYMONTHDAY or else BYDAY chooses.
    private func byMonth(_ year: Int) throws(RecurrenceError) -> DaySet {
        let first = try scale.firstMonth(ofYear: year)
        var days = DaySet(base: try scale.firstDay(ofYear: year) - 1)
        if scale.hasLeapMonths {
            let next = try scale.firstMonth(ofYear: year + 1)
            var missing = leapMonths
            for index in first..<next {
                let month = try scale.month(at: index)
                if month.isLeap { missing &= ~(1 << UInt64(month.number)) }
                if allows(month) { insert(month, into: &days) }
            }
            try insertSkipped(missing, from: first, to: next, into: &days)
        } else {
            var rest = months
            while rest != 0 {
                insert(try scale.month(at: first + rest.first - 1), into: &days)
                rest &= rest - 1
            }
        }
        return days
    }

    private func insert(_ month: CalendarMonth, into days: inout DaySet) {
        var bits = monthDays.isEmpty ? UInt64.span(1, month.length) : monthDayBits(month, skip)
        if hasWeekdays, countsInMonth { bits &= weekdayBits(month) }
        days.insert(bits, at: month.firstDay - 1)
    }

    /// SKIP for leap months that this year does not have: BACKWARD is the regular month of that number, FORWARD the next.
    private func insertSkipped(
        _ missing: UInt64, from first: Int, to next: Int, into days: inout DaySet
    ) throws(RecurrenceError) {
        guard skip != .omit else { return }
        var rest = missing
        while rest != 0 {
            let number = skip == .forward ? rest.first + 1 : rest.first
            rest &= rest - 1
            for index in first...next {
                let month = try scale.month(at: index)
                let isNextYear = index == next
                guard !month.isLeap, isNextYear ? number > 12 : month.number == number else { continue }
                insert(month, into: &days)
                break
            }
        }
    }

    // MARK: BYDAY

    /// The weekdays of the year.
    private func byWeekday(_ year: Int) throws(RecurrenceError) -> DaySet {
        let first = try scale.firstDay(ofYear: year)
        let end = try scale.firstDay(ofYear: year + 1)
        var days = DaySet(base: first)
        if weekdays != 0 { insertWeeks(into: &days, from: first, to: end) }
        for nth in nthWeekdays {
            let weekday = nth.weekday - Gregorian.weekday(ofDay: nth.ordinal > 0 ? first : end)
            let day =
                nth.ordinal > 0
                ? first + floorRemainder(weekday, 7) + 7 * (nth.ordinal - 1)
                : end - 7 + floorRemainder(weekday, 7) + 7 * (nth.ordinal + 1)
            if day >= first, day < end { days.insert(day) }
        }
        return days
    }

    private func insertWeeks(into days: inout DaySet, from first: Int, to end: Int) {
        let pattern = UInt64.weekdayPattern(weekdays, from: Gregorian.weekday(ofDay: first))
        // 63 days are nine weeks, so that the pattern begins anew.
        for day in stride(from: first, to: end, by: 63) {
            days.insert(pattern.below(min(63, end - day)), at: day)
        }
    }

    /// BYDAY as a limit whose ordinals count in the year.
    private func keepWeekdays(in days: inout DaySet, year: Int) throws(RecurrenceError) {
        let chosen = try byWeekday(year)
        var next = days.first(onOrAfter: days.base)
        while let day = next {
            if !weekdays.has(Gregorian.weekday(ofDay: day)), !chosen.contains(day) { days.remove(day) }
            next = days.first(onOrAfter: day + 1)
        }
    }

    // MARK: BYYEARDAY, BYWEEKNO

    /// BYYEARDAY, with SKIP for the days that this year does not have: they have no day of a month either.
    private func byYearDay(_ year: Int) throws(RecurrenceError) -> DaySet {
        let first = try scale.firstDay(ofYear: year)
        let end = try scale.firstDay(ofYear: year + 1)
        let skip = monthDays.isEmpty ? skip : .omit
        var days = DaySet(base: first - 1)
        for number in yearDays {
            let day = number > 0 ? first + number - 1 : end + number
            if day >= first, day < end {
                days.insert(day)
            } else if skip == .forward {
                days.insert(number > 0 ? end : first)
            } else if skip == .backward {
                days.insert(number > 0 ? end - 1 : first - 1)
            }
        }
        return days
    }

    /// BYWEEKNO: whole weeks, which may reach into the years beside this one.
    private func byWeekNumber(_ year: Int) throws(RecurrenceError) -> DaySet {
        let first = try firstDay(ofWeekYear: year)
        let weeks = (try firstDay(ofWeekYear: year + 1) - first) / 7
        var days = DaySet(base: first)
        for week in 1...weeks where weekNumbers.fromStart.has(week) || weekNumbers.fromEnd.has(weeks + 1 - week) {
            days.insert(0x7F, at: first + 7 * (week - 1))
        }
        return days
    }

    /// The first day of week 1, the first week with at least four days in the year.
    func firstDay(ofWeekYear year: Int) throws(RecurrenceError) -> Int {
        let fourth = try scale.firstDay(ofYear: year) + 3
        return fourth - floorRemainder(Gregorian.weekday(ofDay: fourth) - weekStart, 7)
    }

    /// The year whose weeks hold a day.
    func weekYear(ofDay day: Int) throws(RecurrenceError) -> Int {
        let year = try scale.year(ofDay: day)
        if try day < firstDay(ofWeekYear: year) { return year - 1 }
        return try day < firstDay(ofWeekYear: year + 1) ? year : year + 1
    }

    /// Keeps of whole weeks or single days what BYMONTH, BYMONTHDAY, BYYEARDAY and BYDAY hold too.
    private func keepLimited(in days: inout DaySet) throws(RecurrenceError) {
        var month = CalendarMonth(firstDay: .max, length: 0, number: 0, isLeap: false)
        var chosen: UInt64 = 0
        var next = days.first(onOrAfter: days.base)
        while let day = next {
            if day < month.firstDay || day >= month.firstDay + month.length {
                month = try scale.month(at: scale.monthIndex(ofDay: day))
                // Days of the year are limits beside whole weeks; alone they were chosen already, and perhaps moved by SKIP.
                chosen = try limited(month, byYearDay: !weekNumbers.isEmpty)
            }
            if !chosen.has(day - month.firstDay + 1) { days.remove(day) }
            next = days.first(onOrAfter: day + 1)
        }
    }
}
