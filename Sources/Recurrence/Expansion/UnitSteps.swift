/// DAILY, HOURLY, MINUTELY and SECONDLY: every so many units of fixed length, limited, then expanded within the unit.
///
/// Times here are local, in seconds since 1970-01-01T00:00:00 on the same wall clock.
struct UnitSteps: Sendable {
    /// The unit's length in seconds; it divides a day.
    let length: Int
    let interval: Int
    let start: Int
    /// The start's unit, counted from 1970.
    let origin: Int
    let days: DayParts
    /// Limits: the units of a day, each by its first second.
    let places: TimesOfDay
    /// Expansions: the times within a unit.
    let times: TimesOfDay
    let positions: SetPositions

    init(_ rule: RecurrenceRule.Parts, start: Int, isAllDay: Bool) throws(RecurrenceError) {
        let second = floorRemainder(start, secondsPerDay)
        let hours: UInt64 = isAllDay ? 1 : rule.hours
        let minutes: UInt64 = isAllDay ? 1 : rule.minutes
        let seconds: UInt64 = isAllDay ? 1 : rule.seconds
        let startMinute: UInt64 = 1 << UInt64(second / 60 % 60)
        let startSecond: UInt64 = 1 << UInt64(second % 60)
        let everyHour = UInt64.span(0, 23)
        let everyMinute = UInt64.span(0, 59)
        switch rule.frequency {
        case .hourly:
            length = 3600
            places = TimesOfDay(hours: hours.orAll(everyHour), minutes: 1, seconds: 1)
            times = TimesOfDay(hours: 1, minutes: minutes.orAll(startMinute), seconds: seconds.orAll(startSecond))
        case .minutely:
            length = 60
            places = TimesOfDay(hours: hours.orAll(everyHour), minutes: minutes.orAll(everyMinute), seconds: 1)
            times = TimesOfDay(hours: 1, minutes: 1, seconds: seconds.orAll(startSecond))
        case .secondly:
            length = 1
            places = TimesOfDay(
                hours: hours.orAll(everyHour), minutes: minutes.orAll(everyMinute), seconds: seconds.orAll(everyMinute))
            times = .zero
        default:
            length = secondsPerDay
            places = .zero
            times = TimesOfDay(
                hours: hours.orAll(1 << UInt64(second / 3600)), minutes: minutes.orAll(startMinute),
                seconds: seconds.orAll(startSecond))
        }
        interval = rule.interval
        self.start = start
        origin = floorDivide(start, length)
        days = try DayParts(rule, startDay: floorDivide(start, secondsPerDay))
        positions = SetPositions(positions: rule.positions)
    }

    /// The first instance at or after a time, up to and with the last one; nil when there is none.
    func next(onOrAfter time: Int, through last: Int) throws(RecurrenceError) -> Int? {
        let time = max(time, start)
        var unit = aligned(onOrAfter: floorDivide(time, length))
        while let found = try nextUnit(onOrAfter: unit, through: last) {
            let first = found * length
            if let index = positions.next(times.rank(of: time - first), of: times.count) {
                let instance = first + times.time(index)
                return instance <= last ? instance : nil
            }
            if positions.next(0, of: times.count) == nil { return nil }
            unit = found + interval
        }
        return nil
    }

    var unitsPerDay: Int { secondsPerDay / length }
    /// Whether every unit of the interval is chosen.
    var isUnlimited: Bool { days.isEmpty && places.count == unitsPerDay }

    func aligned(onOrAfter unit: Int) -> Int {
        unit <= origin ? origin : origin + (unit - origin + interval - 1) / interval * interval
    }

    /// The first unit that the interval meets and the limits allow, from a unit of the interval on.
    func nextUnit(onOrAfter unit: Int, through last: Int) throws(RecurrenceError) -> Int? {
        var unit = unit
        var tries = 0
        let isUnlimited = self.isUnlimited
        while unit * length <= last {
            if isUnlimited { return unit }
            let day = floorDivide(unit, unitsPerDay)
            guard let allowed = try days.nextLimited(onOrAfter: day, through: floorDivide(last, secondsPerDay)) else {
                return nil
            }
            let second = (unit - day * unitsPerDay) * length
            if allowed > day {
                unit = aligned(onOrAfter: allowed * unitsPerDay)
            } else if let place = places.first(onOrAfter: second) {
                if place == second { return unit }
                unit = aligned(onOrAfter: day * unitsPerDay + place / length)
            } else {
                unit = aligned(onOrAfter: (day + 1) * unitsPerDay)
            }
            tries += 1
            if tries == 1000, !meetsPlaces { return nil }
        }
        return nil
    }

    /// Whether the interval ever meets a unit of the day that the limits allow.
    ///
    /// An interval of 24 hours from 09:00 never meets BYHOUR=5: what it meets differs by the greatest common divisor.
    private var meetsPlaces: Bool {
        var divisor = unitsPerDay
        var rest = interval
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        var second = places.first(onOrAfter: 0)
        while let here = second {
            if (here / length - origin) % divisor == 0 { return true }
            second = places.first(onOrAfter: here + 1)
        }
        return false
    }
}

extension UInt64 {
    /// The set itself, or another one for the empty set.
    func orAll(_ other: UInt64) -> UInt64 { self == 0 ? other : self }
}
