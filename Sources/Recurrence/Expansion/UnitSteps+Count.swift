extension UnitSteps {
    /// The most units that are counted one by one: what cannot be counted in closed form, up to about a second for the dearest rules.
    static let maximumSteps = 2_000_000

    /// The instance with `index` instances before it, counted from the start; nil when it lies after the last time.
    ///
    /// Arithmetic alone when nothing or only the weekday limits a unit; by months when the interval divides a day; else
    /// unit by unit, and an error after ``maximumSteps`` of them.
    func instance(_ index: Int, through last: Int) throws(RecurrenceError) -> Int? {
        let perUnit = positions.count(of: times.count)
        guard perUnit > 0 else { return nil }
        if isUnlimited { return instance(index + passed, every: 1, perUnit, through: last) }
        if length == secondsPerDay, days.isWeekdaysOnly { return weekdayInstance(index, perUnit, through: last) }
        if unitsPerDay % interval == 0 { return try dividingInstance(index, perUnit, through: last) }
        return try steppedInstance(index, perUnit, through: last)
    }

    /// How many instances of the start's unit lie before the start.
    private var passed: Int {
        positions.rank(times.rank(of: start - origin * length), of: times.count)
    }

    private func time(_ unit: Int, _ ordinal: Int) -> Int? {
        positions.index(ordinal, of: times.count).map { unit * length + times.time($0) }
    }

    private func instance(_ index: Int, every step: Int, _ perUnit: Int, through last: Int) -> Int? {
        let steps = index / perUnit
        guard steps <= (floorDivide(last, length) - origin) / interval else { return nil }
        return time(origin + steps * interval, index % perUnit)
    }

    /// After seven steps the weekdays come round again.
    private func weekdayInstance(_ index: Int, _ perUnit: Int, through last: Int) -> Int? {
        func isChosen(_ step: Int) -> Bool { days.weekdays.has(Gregorian.weekday(ofDay: origin + step * interval)) }
        var chosen = 0
        for step in 0..<7 where isChosen(step) { chosen += 1 }
        guard chosen > 0 else { return nil }
        let index = isChosen(0) ? index + passed : index
        var rest = index % (chosen * perUnit)
        var step = index / (chosen * perUnit) * 7
        guard step <= (floorDivide(last, length) - origin) / interval else { return nil }
        while true {
            if isChosen(step % 7) {
                if rest < perUnit { return time(origin + step * interval, rest) }
                rest -= perUnit
            }
            step += 1
        }
    }

    /// Where the interval divides a day, every chosen day has the same instances.
    private func dividingInstance(_ index: Int, _ perUnit: Int, through last: Int) throws(RecurrenceError) -> Int? {
        let startDay = floorDivide(start, secondsPerDay)
        let startPlace = origin - startDay * unitsPerDay
        let phase = floorRemainder(origin, interval)
        var perDay = 0
        var passedOnStartDay = 0
        var place = nextPlace(phase)
        while let here = place {
            perDay += perUnit
            if here <= startPlace { passedOnStartDay += here < startPlace ? perUnit : passed }
            place = nextPlace(here + interval)
        }
        guard perDay > 0 else { return nil }
        let isStartDayChosen = try days.nextLimited(onOrAfter: startDay, through: startDay) == startDay
        var rest = isStartDayChosen ? index + passedOnStartDay : index
        guard let day = try chosenDay(rest / perDay, from: startDay, through: last) else { return nil }
        rest %= perDay
        place = nextPlace(phase)
        for _ in 0..<rest / perUnit { place = place.flatMap { nextPlace($0 + interval) } }
        return place.flatMap { time(day * unitsPerDay + $0, rest % perUnit) }
    }

    /// The first allowed unit of a day from one on, in steps of the interval.
    private func nextPlace(_ place: Int) -> Int? {
        var place = place
        while place < unitsPerDay {
            guard let next = places.first(onOrAfter: place * length) else { return nil }
            if next == place * length { return place }
            place += (next / length - place + interval - 1) / interval * interval
        }
        return nil
    }

    /// The day with `index` chosen days before it, counted from a day; month by month.
    private func chosenDay(_ index: Int, from day: Int, through last: Int) throws(RecurrenceError) -> Int? {
        if days.isEmpty { return day + index }
        let scale = days.scale
        var rest = index
        var monthIndex = try scale.monthIndex(ofDay: day)
        while monthIndex <= scale.lastMonth {
            let month = try scale.month(at: monthIndex)
            guard month.firstDay * secondsPerDay <= last else { return nil }
            let bits = try days.limited(month).from(day - month.firstDay + 1)
            if rest < bits.nonzeroBitCount { return month.firstDay - 1 + bits.member(rest) }
            rest -= bits.nonzeroBitCount
            monthIndex += 1
        }
        return nil
    }

    private func steppedInstance(_ index: Int, _ perUnit: Int, through last: Int) throws(RecurrenceError) -> Int? {
        var rest = index
        var unit = origin
        for _ in 0..<Self.maximumSteps {
            guard let found = try nextUnit(onOrAfter: unit, through: last) else { return nil }
            if found == origin { rest += passed }
            if rest < perUnit { return time(found, rest) }
            rest -= perUnit
            unit = found + interval
        }
        throw RecurrenceError(
            .limit, "COUNT: more than \(Self.maximumSteps) periods would have to be counted one by one up to here")
    }
}
