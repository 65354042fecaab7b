import Recurrence

@testable import cuecard

/// An event with any rule that the RFCs allow, however odd, for properties that hold for all of them.
struct RandomEvent: CustomStringConvertible {
    let start: LocalDateTime
    let isAllDay: Bool
    let zone: String?
    /// The rule without COUNT and UNTIL.
    let rule: String

    var description: String { "\(start) \(isAllDay ? "all day" : zone ?? "floating") \(rule)" }

    func set(_ end: String = "") throws -> OccurrenceSet {
        try OccurrenceSet(
            start: start, isAllDay: isAllDay, zone: zone.map { try Zone.named($0) },
            rule: RecurrenceRule(parsing: rule + end))
    }

    init(_ random: inout SplitMix) {
        let frequency = random.pick([
            "YEARLY", "YEARLY", "YEARLY", "MONTHLY", "MONTHLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY",
            "SECONDLY",
        ])
        let isFine = frequency == "HOURLY" || frequency == "MINUTELY" || frequency == "SECONDLY"
        isAllDay = !isFine && random.chance(4)
        zone =
            isAllDay || random.chance(2)
            ? nil : random.pick(["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia"])
        let days = ["2024-02-29", "2023-12-31", "2024-01-31", "2024-03-10", "2024-11-03", "2024-03-31", "2011-12-29"]
        let day =
            random.chance(2)
            ? random.pick(days)
            : LocalDateTime(year: random.number(1950...2040), month: 1, day: random.number(1...366)).dateDescription
        let time = random.pick(["00:00:00", "01:30:00", "02:30:00", "09:00:00", "23:59:59"])
        start = LocalDateTime(isAllDay ? day : "\(day)T\(time)") ?? LocalDateTime(year: 2000, month: 1, day: 1)
        rule = Self.rule(frequency, isAllDay: isAllDay, &random)
    }

    private static func rule(_ frequency: String, isAllDay: Bool, _ random: inout SplitMix) -> String {
        func list(_ choices: [Int]) -> String {
            (0...random.number(0...2)).map { _ in String(random.pick(choices)) }.joined(separator: ",")
        }
        var parts = ["FREQ=\(frequency)"]
        let isYearly = frequency == "YEARLY"
        let isFine = ["HOURLY", "MINUTELY", "SECONDLY"].contains(frequency)
        var scale = ""
        if random.chance(3) {
            scale = random.pick(["GREGORIAN", "CHINESE", "DANGI", "HEBREW", "COPTIC", "ISLAMIC-CIVIL"])
            parts.append("RSCALE=\(scale)")
            if random.chance(2) { parts.append("SKIP=\(random.pick(["OMIT", "BACKWARD", "FORWARD"]))") }
        }
        if random.chance(2) {
            parts.append(
                "INTERVAL=\(random.pick(isFine ? [2, 3, 5, 7, 24, 25, 90, 1440, 86_401] : [2, 3, 4, 5, 7, 12, 18]))")
        }
        if random.chance(4) { parts.append("WKST=\(random.pick(["SU", "SA", "TH"]))") }
        let plain = parts.count
        if random.chance(3) {
            let leap = ["CHINESE", "DANGI", "HEBREW"].contains(scale) && random.chance(2) ? "L" : ""
            parts.append("BYMONTH=\(random.number(1...12))\(leap),\(random.number(1...12))")
        }
        let hasWeeks = isYearly && random.chance(6)
        if hasWeeks { parts.append("BYWEEKNO=\(list([1, 2, 20, 52, 53, -1, -53]))") }
        if isYearly || isFine, random.chance(6) { parts.append("BYYEARDAY=\(list([1, 59, 60, 200, 366, -1, -366]))") }
        if frequency != "WEEKLY", random.chance(3) {
            parts.append("BYMONTHDAY=\(list([1, 13, 28, 29, 30, 31, -1, -30, -31]))")
        }
        if random.chance(3) {
            let isNumbered = (isYearly && !hasWeeks) || frequency == "MONTHLY"
            let weekdays = (0...random.number(0...2)).map { _ in
                (isNumbered && random.chance(2) ? String(random.pick([1, 2, 4, 5, -1, -5])) : "")
                    + random.pick(["MO", "TU", "WE", "TH", "FR", "SA", "SU"])
            }
            parts.append("BYDAY=\(weekdays.joined(separator: ","))")
        }
        if !isAllDay, random.chance(6) { parts.append("BYHOUR=\(list([0, 2, 9, 23]))") }
        if !isAllDay, random.chance(6) { parts.append("BYMINUTE=\(list([0, 30, 59]))") }
        if !isAllDay, random.chance(8) { parts.append("BYSECOND=\(list([0, 30, 59, 60]))") }
        if parts.count > plain, random.chance(4) { parts.append("BYSETPOS=\(list([1, 2, 3, -1, -2]))") }
        return parts.joined(separator: ";")
    }
}
