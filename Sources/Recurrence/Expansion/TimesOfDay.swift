/// The times that BYHOUR, BYMINUTE and BYSECOND give a day, or a shorter unit, as every combination of three sets.
struct TimesOfDay: Sendable {
    let hours: UInt64
    let minutes: UInt64
    let seconds: UInt64
    let count: Int

    init(hours: UInt64, minutes: UInt64, seconds: UInt64) {
        self.hours = hours
        self.minutes = minutes
        self.seconds = seconds
        count = hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
    }

    /// The one time at midnight, or at the beginning of the unit.
    static let zero = TimesOfDay(hours: 1, minutes: 1, seconds: 1)

    /// The first time not before a second of the day.
    func first(onOrAfter second: Int) -> Int? {
        let hour = second / 3600
        guard hour < 24 else { return nil }
        if hours.has(hour) {
            let minute = second / 60 % 60
            if minutes.has(minute) {
                let rest = seconds.from(second % 60)
                if rest != 0 { return second - second % 60 + rest.first }
            }
            let rest = minutes.from(minute + 1)
            if rest != 0 { return hour * 3600 + rest.first * 60 + seconds.first }
        }
        let rest = hours.from(hour + 1)
        return rest == 0 ? nil : rest.first * 3600 + minutes.first * 60 + seconds.first
    }

    /// How many times lie before a second of the day.
    func rank(of second: Int) -> Int {
        guard second > 0 else { return 0 }
        let hour = second / 3600
        guard hour < 24 else { return count }
        let minute = second / 60 % 60
        var rank = hours.below(hour).nonzeroBitCount * minutes.nonzeroBitCount
        guard hours.has(hour) else { return rank * seconds.nonzeroBitCount }
        rank += minutes.below(minute).nonzeroBitCount
        rank *= seconds.nonzeroBitCount
        return minutes.has(minute) ? rank + seconds.below(second % 60).nonzeroBitCount : rank
    }

    /// The time with `index` times before it.
    func time(_ index: Int) -> Int {
        let perMinute = seconds.nonzeroBitCount
        let perHour = minutes.nonzeroBitCount * perMinute
        return hours.member(index / perHour) * 3600 + minutes.member(index / perMinute % minutes.nonzeroBitCount) * 60
            + seconds.member(index % perMinute)
    }
}
