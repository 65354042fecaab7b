extension PeriodSteps {
    /// The most instances that are counted one by one, where SKIP may put a day into another period.
    static let maximumInstances = 500_000

    /// The instance with `index` instances before it, counted from the start; nil when it lies after the last time.
    ///
    /// Arithmetic alone where every period has as many instances; else period by period, and where SKIP may put a day
    /// into another period instance by instance, since two of them may then be one, and an error after
    /// ``maximumInstances`` of them.
    func instance(_ index: Int, through last: Int) throws(RecurrenceError) -> Int? {
        if mayStray { return try strayingInstance(index, through: last) }
        var rest = index + (try passed())
        var period = origin
        if let perPeriod = instancesPerPeriod {
            guard perPeriod > 0 else { return nil }
            let steps = rest / perPeriod
            guard steps <= (try farthestPeriod(last) - origin) / interval else { return nil }
            period += steps * interval
            rest %= perPeriod
        }
        while period <= lastPeriod, try begins(period, notAfter: last) {
            let chosen = try chosenDays(of: period)
            let count = chosen.count * times.count
            if let place = positions.index(rest, of: count) { return time(place, of: chosen) }
            rest -= positions.count(of: count)
            period += interval
        }
        return nil
    }

    /// How many instances of the start's period lie before the start.
    private func passed() throws(RecurrenceError) -> Int {
        let chosen = try chosenDays(of: origin)
        return positions.rank(rank(of: start, in: chosen), of: chosen.count * times.count)
    }

    private func farthestPeriod(_ last: Int) throws(RecurrenceError) -> Int {
        let day = floorDivide(last, secondsPerDay)
        guard day <= days.scale.lastDay else { return lastPeriod }
        // A week-year may begin before its year.
        return try days.weekNumbers.isEmpty || frequency != .yearly
            ? Self.period(ofDay: day, frequency, days) : days.scale.year(ofDay: day) + 1
    }

    private func strayingInstance(_ index: Int, through last: Int) throws(RecurrenceError) -> Int? {
        var rest = index
        var time = start
        while floorDivide(time, secondsPerDay) <= days.scale.lastDay {
            guard index - rest < Self.maximumInstances else {
                throw RecurrenceError(
                    .limit,
                    "COUNT: more than \(Self.maximumInstances) instances would have to be counted one by one up to here"
                )
            }
            let bound = min(
                last, days.scale.lastDay == .max ? last : days.scale.lastDay * secondsPerDay + secondsPerDay - 1)
            guard let found = try next(onOrAfter: time, through: bound) else { return nil }
            if rest == 0 { return found }
            rest -= 1
            time = found + 1
        }
        return nil
    }

    /// How many instances every period has; nil where that varies or is not known without looking.
    private var instancesPerPeriod: Int? {
        guard let days = daysPerPeriod else { return nil }
        let fewest = days.lowerBound * times.count
        if days.count == 1 { return positions.count(of: fewest) }
        // A choice of places that every period has, all counted from the same end.
        guard let low = positions.positions.first, let high = positions.positions.last, low > 0 || high < 0,
            max(abs(low), abs(high)) <= fewest
        else { return nil }
        return positions.positions.count
    }

    /// The fewest and the most days that a period has; nil where this does not tell.
    private var daysPerPeriod: ClosedRange<Int>? {
        switch frequency {
        case .weekly: days.hasMonths ? nil : one(days.weekdays.nonzeroBitCount)
        case .monthly: daysPerMonth
        default: daysPerYear
        }
    }

    private func one(_ count: Int) -> ClosedRange<Int> { count...count }

    private var daysPerMonth: ClosedRange<Int>? {
        guard !days.hasMonths, days.scale.lastMonthNumber == 12 else { return nil }
        // Days that every month has, from one end.
        let shortest = days.scale == .gregorian ? 28 : 29
        let monthDays = days.monthDays
        if days.hasWeekdays {
            guard monthDays.isEmpty else { return nil }
            let all = 4 * days.weekdays.nonzeroBitCount
            if days.nthWeekdays.isEmpty { return days.weekdays == 0x7F ? nil : all...all * 5 / 4 }
            return days.weekdays == 0 && areAlike(upTo: 4) ? one(days.nthWeekdays.count) : nil
        }
        if monthDays.fromStart == 0, monthDays.fromEnd.from(shortest + 1) == 0 {
            return one(monthDays.fromEnd.nonzeroBitCount)
        }
        guard monthDays.fromEnd == 0 else { return nil }
        // One longer day that is moved back to the month's last day is a day of its own again.
        let isClamped = days.skip == .backward && monthDays.fromStart.from(shortest).nonzeroBitCount <= 1
        return isClamped || monthDays.fromStart.from(shortest + 1) == 0 ? one(monthDays.fromStart.nonzeroBitCount) : nil
    }

    private var daysPerYear: ClosedRange<Int>? {
        guard days.scale == .gregorian, days.weekNumbers.isEmpty, days.yearDays.isEmpty else { return nil }
        if days.hasWeekdays {
            guard days.weekdays == 0, days.monthDays.isEmpty else { return nil }
            if !days.hasMonths { return areAlike(upTo: 52) ? one(days.nthWeekdays.count) : nil }
            return areAlike(upTo: 4) ? one(days.nthWeekdays.count * days.months.nonzeroBitCount) : nil
        }
        guard days.monthDays.fromEnd == 0 || days.monthDays.fromStart == 0 else { return nil }
        let wanted = days.monthDays.fromStart | days.monthDays.fromEnd
        if days.skip == .backward, days.months.nonzeroBitCount == 1, wanted.nonzeroBitCount == 1 { return one(1) }
        var count = 0
        for month in 1...12 where days.months.has(month) {
            if month == 2, wanted.has(29) { return nil }
            count += wanted.below(Gregorian.length(ofMonth: month, year: 1) + 1).nonzeroBitCount
        }
        return days.skip == .omit ? one(count) : nil
    }

    /// Whether all ordinals count from the same end, up to a number that every period has.
    private func areAlike(upTo limit: Int) -> Bool {
        days.nthWeekdays.allSatisfy { $0.ordinal > 0 && $0.ordinal <= limit }
            || days.nthWeekdays.allSatisfy { $0.ordinal < 0 && $0.ordinal >= -limit }
    }
}
