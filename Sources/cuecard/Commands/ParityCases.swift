import Foundation
import Recurrence

/// Random cases, shaped as people make rules and aimed at the edges of the calendar and of the clock.
struct CaseGenerator {
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(state: seed) }

    /// The windows of one rule, each a case.
    mutating func cases(rule number: Int, windows: Int) -> [ExpandCase] {
        let event = event()
        let exceptions = exceptions(of: event)
        return (1...windows).map { window in
            var one = event
            one.id = "rule-\(number)-\(window)"
            one.exdates = exceptions
            (one.from, one.to) = self.window(of: event)
            return one
        }
    }

    // MARK: Event

    private static let zones = [
        "America/New_York", "America/Sao_Paulo", "America/Los_Angeles", "Europe/Berlin", "Europe/London", "Asia/Seoul",
        "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland", "UTC",
    ]
    /// Around the changes of the clock in these zones, and around the ends of months and years.
    private static let days = [
        "2024-03-09", "2024-03-10", "2024-11-02", "2024-11-03", "2024-03-30", "2024-03-31", "2024-10-26", "2024-10-27",
        "2018-11-04", "2018-02-17", "2024-10-06", "2024-04-07", "2024-02-29", "2000-02-29", "2023-12-31", "2024-01-01",
        "2024-01-31", "2023-05-30", "2023-05-31", "2024-08-29", "1988-05-08", "1999-12-31",
    ]
    private static let times = [
        "00:00:00", "00:30:00", "01:00:00", "01:30:00", "01:59:00", "02:00:00", "02:15:00", "02:30:00", "03:00:00",
        "09:00:00", "12:00:00", "18:45:30", "23:30:00", "23:59:59",
    ]

    private mutating func event() -> ExpandCase {
        let isLunar = random.chance(5)
        let isAllDay = isLunar || random.chance(4)
        var day = random.pick(Self.days)
        if random.chance(2) || isLunar {
            day =
                LocalDateTime(
                    year: random.number(isLunar ? 1950...2030 : 1985...2030), month: 1, day: random.number(1...366)
                )
                .dateDescription
        }
        let start = isAllDay ? day : "\(day)T\(random.pick(Self.times))"
        var event = ExpandCase(id: "", dtstart: start, rdates: [], exdates: [], from: "", to: "")
        event.tzid = isAllDay || random.chance(4) ? nil : random.pick(Self.zones)
        var parts = isLunar ? lunarRule() : rule()
        parts += end(of: event)
        event.rrule = parts.joined(separator: ";")
        if random.chance(6) { event.rdates = [shifted(event.dtstart, days: random.number(1...400))] }
        return event
    }

    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    private mutating func rule() -> [String] {
        let weekday = random.pick(Self.weekdays)
        let some = Self.weekdays.filter { _ in random.chance(2) }.joined(separator: ",")
        let month = random.number(1...12)
        let shapes: [[String]] = [
            ["FREQ=DAILY"],
            ["FREQ=DAILY", "BYDAY=MO,TU,WE,TH,FR"],
            ["FREQ=WEEKLY"],
            ["FREQ=WEEKLY", "BYDAY=\(some.isEmpty ? weekday : some)"],
            ["FREQ=WEEKLY", "BYDAY=\(some.isEmpty ? weekday : some)", "WKST=\(weekday)"],
            ["FREQ=MONTHLY"],
            ["FREQ=MONTHLY", "BYMONTHDAY=-1"],
            ["FREQ=MONTHLY", "BYMONTHDAY=\(random.number(1...31)),\(random.pick([1, 15, 30, 31, -1, -2]))"],
            ["RSCALE=GREGORIAN", "FREQ=MONTHLY", "SKIP=\(skip())", "BYMONTHDAY=\(random.number(28...31))"],
            ["FREQ=MONTHLY", "BYDAY=\(random.pick([1, 2, 3, 4, 5, -1, -2]))\(weekday)"],
            ["FREQ=MONTHLY", "BYDAY=\(weekday)"],
            ["FREQ=MONTHLY", "BYDAY=MO,TU,WE,TH,FR", "BYSETPOS=\(random.pick([1, 2, -1, -2]))"],
            ["FREQ=MONTHLY", "BYMONTHDAY=13", "BYDAY=FR"],
            ["FREQ=YEARLY"],
            ["FREQ=YEARLY", "BYMONTH=\(month)", "BYMONTHDAY=\(random.number(1...31))"],
            [
                "FREQ=YEARLY", "BYMONTH=\(month),\(random.number(1...12))",
                "BYDAY=\(random.pick([1, 2, 4, 5, -1]))\(weekday)",
            ],
            ["FREQ=YEARLY", "BYMONTH=2", "BYMONTHDAY=29"],
            ["RSCALE=GREGORIAN", "FREQ=YEARLY", "SKIP=\(skip())", "BYMONTH=2", "BYMONTHDAY=29"],
            ["FREQ=YEARLY", "BYYEARDAY=\(random.pick([1, 60, 100, 366, -1, -366]))"],
            ["FREQ=YEARLY", "BYWEEKNO=\(random.pick([1, 20, 53, -1]))", "BYDAY=\(weekday)"],
            ["FREQ=DAILY", "BYHOUR=\(random.pick([1, 2, 3])),\(random.number(8...20))"],
        ]
        return random.pick(shapes) + interval()
    }

    private mutating func lunarRule() -> [String] {
        let scale = random.chance(2) ? "DANGI" : "CHINESE"
        let month = random.number(1...12)
        let shapes: [[String]] = [
            ["FREQ=YEARLY"],
            ["FREQ=YEARLY", "BYMONTH=\(month)", "BYMONTHDAY=\(random.pick([1, 8, 15, 29, 30]))"],
            ["FREQ=YEARLY", "BYMONTH=\(month)", "BYMONTHDAY=-1"],
            ["FREQ=YEARLY", "BYMONTH=\(random.number(2...10))L", "BYMONTHDAY=\(random.pick([1, 15, 30]))"],
            ["FREQ=MONTHLY", "BYMONTHDAY=\(random.pick([1, 15, 30]))"],
        ]
        return ["RSCALE=\(scale)"] + random.pick(shapes) + (random.chance(3) ? [] : ["SKIP=\(skip())"]) + interval()
    }

    private mutating func skip() -> String { random.pick(["OMIT", "BACKWARD", "FORWARD"]) }

    private mutating func interval() -> [String] {
        random.chance(2) ? [] : ["INTERVAL=\(random.pick([2, 3, 4, 5, 6, 7, 12, 13]))"]
    }

    private mutating func end(of event: ExpandCase) -> [String] {
        switch random.number(0...3) {
        case 0: return ["COUNT=\(random.pick([1, 2, 5, 10, 50, 300, 2000]))"]
        case 1:
            let last = shifted(event.dtstart, days: random.pick([0, 1, 30, 365, 3650, 15_000]))
            let digits = last.filter { $0 != "-" && $0 != ":" }
            return ["UNTIL=\(digits)\(event.tzid == nil ? "" : "Z")"]
        default: return []
        }
    }

    // MARK: Windows and exceptions

    /// Mostly close to the start, to a change of the clock or to a year's end, sometimes decades away.
    private mutating func window(of event: ExpandCase) -> (String, String) {
        var from = shifted(event.dtstart, days: random.pick([0, -10, 1, 100, 1000, 3652, 7305, 14_610, 21_915]))
        if random.chance(3) {
            let day = random.pick(Self.days).dropFirst(4)
            let text = "\(from.prefix(4))\(day)\(from.dropFirst(10))"
            if LocalDateTime(text) != nil { from = text }
        }
        if !event.isAllDay, random.chance(2) { from = "\(from.prefix(11))\(random.pick(Self.times))" }
        // The lunar tables end in January 2101.
        let latest = "2098"
        if from.prefix(4) > latest { from = "\(latest)\(from.dropFirst(4).replacing("-02-29", with: "-02-28"))" }
        return (from, shifted(from, days: random.pick([1, 2, 7, 31, 100, 400, 700])))
    }

    /// Some of the event's first occurrences.
    private mutating func exceptions(of event: ExpandCase) -> [String] {
        guard random.chance(2) else { return [] }
        var first = event
        (first.from, first.to) = (event.dtstart, shifted(event.dtstart, days: 800))
        guard case .occurrences(_, let found, _, _) = first.answer() else { return [] }
        return found.prefix(40).filter { _ in random.chance(10) }.map {
            event.isAllDay || random.chance(10) ? $0.local.dateDescription : $0.local.description
        }
    }

    /// A local time so many days on, in the same form.
    private func shifted(_ text: String, days: Int) -> String {
        guard let time = LocalDateTime(text) else { return text }
        let later = LocalDateTime(secondsSinceEpoch: time.secondsSinceEpoch + Int64(days) * 86_400)
        return text.contains("T") ? later.description : later.dateDescription
    }
}
