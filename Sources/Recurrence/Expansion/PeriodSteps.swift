/// WEEKLY, MONTHLY and YEARLY: every so many weeks, months or years, of each the chosen days, of each the chosen times.
///
/// Times here are local, in seconds since 1970-01-01T00:00:00 on the same wall clock.
struct PeriodSteps: Sendable {
    let frequency: RecurrenceRule.Frequency
    let interval: Int
    let start: Int
    /// The start's period, and the last one that the calendar knows.
    let origin: Int
    let lastPeriod: Int
    let days: DayParts
    let times: TimesOfDay
    let positions: SetPositions
    /// Whether SKIP may put a day outside its own period.
    let mayStray: Bool

    init(_ rule: RecurrenceRule.Parts, start: Int, isAllDay: Bool) throws(RecurrenceError) {
        let day = floorDivide(start, secondsPerDay)
        let second = start - day * secondsPerDay
        frequency = rule.frequency
        interval = rule.interval
        self.start = start
        days = try DayParts(rule, startDay: day)
        times =
            isAllDay
            ? .zero
            : TimesOfDay(
                hours: rule.hours.orAll(1 << UInt64(second / 3600)),
                minutes: rule.minutes.orAll(1 << UInt64(second / 60 % 60)),
                seconds: rule.seconds.orAll(1 << UInt64(second % 60)))
        positions = SetPositions(positions: rule.positions)
        let backward = !days.monthDays.isEmpty && days.monthDays.fromEnd != 0 || (days.yearDays.first ?? 1) < 0
        mayStray = frequency != .weekly && (rule.skip == .forward || rule.skip == .backward && backward)
        switch frequency {
        case .yearly: lastPeriod = days.scale.lastYear
        case .monthly: lastPeriod = days.scale.lastMonth
        default: lastPeriod = .max
        }
        origin = try Self.period(ofDay: day, frequency, days)
    }

    /// The first instance at or after a time, up to and with the last one; nil when there is none.
    func next(onOrAfter time: Int, through last: Int) throws(RecurrenceError) -> Int? {
        let time = max(time, start)
        guard time <= last else { return nil }
        let reached = try Self.period(ofDay: floorDivide(time, secondsPerDay), frequency, days)
        var period = origin + (max(reached, origin) - origin) / interval * interval
        if mayStray, period > origin { period -= interval }
        var best: Int?
        for _ in 0..<longestSearch {
            guard try begins(period, notAfter: best ?? last) else { break }
            if let found = try first(in: period, onOrAfter: time), found < best ?? .max {
                best = found
                if !mayStray { break }
            }
            period += interval
        }
        return best.flatMap { $0 <= last ? $0 : nil }
    }

    /// Whether a period may have instances up to a time; an error when only years outside the calendar's table could tell.
    func begins(_ period: Int, notAfter last: Int) throws(RecurrenceError) -> Bool {
        guard period <= lastPeriod else {
            if last / secondsPerDay > days.scale.lastDay { _ = try days.scale.monthIndex(ofDay: last / secondsPerDay) }
            return false
        }
        let first = try firstDay(of: period) - (mayStray ? 1 : 0)
        return first * secondsPerDay <= last
    }

    /// After so many periods the Gregorian calendar has shown a rule all it has: it repeats after 400 years.
    private var longestSearch: Int {
        guard days.scale == .gregorian else { return .max }
        switch frequency {
        case .yearly: return 402
        case .monthly: return 4802
        default: return 20_873
        }
    }

    static func period(
        ofDay day: Int, _ frequency: RecurrenceRule.Frequency, _ days: DayParts
    ) throws(RecurrenceError) -> Int {
        switch frequency {
        case .yearly: days.weekNumbers.isEmpty ? try days.scale.year(ofDay: day) : try days.weekYear(ofDay: day)
        case .monthly: try days.scale.monthIndex(ofDay: day)
        default: floorDivide(day + 3 - days.weekStart, 7)
        }
    }

    private func firstDay(of period: Int) throws(RecurrenceError) -> Int {
        switch frequency {
        case .yearly:
            days.weekNumbers.isEmpty ? try days.scale.firstDay(ofYear: period) : try days.firstDay(ofWeekYear: period)
        case .monthly: try days.scale.firstDay(ofMonthAt: period)
        default: 7 * period - 3 + days.weekStart
        }
    }

    func chosenDays(of period: Int) throws(RecurrenceError) -> DaySet {
        switch frequency {
        case .yearly:
            return try days.yearly(period)
        case .monthly:
            let month = try days.scale.month(at: period)
            return DaySet(base: month.firstDay - 1, bits: days.monthly(month))
        default:
            return try DaySet(
                base: 7 * period - 3 + days.weekStart, bits: weekly(from: 7 * period - 3 + days.weekStart))
        }
    }

    /// The days of the week that begins on a day, as bits.
    private func weekly(from first: Int) throws(RecurrenceError) -> UInt64 {
        var bits = UInt64.weekdayPattern(days.weekdays, from: days.weekStart) & 0x7F
        guard days.hasMonths else { return bits }
        for offset in 0..<7 where bits.has(offset) {
            let month = try days.scale.month(at: days.scale.monthIndex(ofDay: first + offset))
            if !days.allows(month) { bits &= ~(1 << UInt64(offset)) }
        }
        return bits
    }

    private func first(in period: Int, onOrAfter time: Int) throws(RecurrenceError) -> Int? {
        let chosen = try chosenDays(of: period)
        if positions.positions.isEmpty { return first(of: chosen, onOrAfter: time) }
        let count = chosen.count * times.count
        guard let index = positions.next(rank(of: time, in: chosen), of: count) else { return nil }
        return self.time(index, of: chosen)
    }

    private func first(of chosen: DaySet, onOrAfter time: Int) -> Int? {
        let day = floorDivide(time, secondsPerDay)
        guard let next = chosen.first(onOrAfter: day) else { return nil }
        if next > day { return next * secondsPerDay + times.time(0) }
        if let second = times.first(onOrAfter: time - day * secondsPerDay) { return day * secondsPerDay + second }
        return chosen.first(onOrAfter: day + 1).map { $0 * secondsPerDay + times.time(0) }
    }

    /// How many of a period's instances lie before a time, before BYSETPOS.
    func rank(of time: Int, in chosen: DaySet) -> Int {
        let day = floorDivide(time, secondsPerDay)
        let rank = chosen.rank(of: day) * times.count
        return chosen.contains(day) ? rank + times.rank(of: time - day * secondsPerDay) : rank
    }

    /// The instance of a period with `index` before it, before BYSETPOS.
    func time(_ index: Int, of chosen: DaySet) -> Int {
        chosen.day(index / times.count) * secondsPerDay + times.time(index % times.count)
    }
}
