/// Reads `NAME=value` parts from left to right, each at most once.
struct RuleParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    /// The part at hand.
    var part = RulePart.freq
    var parts = RecurrenceRule.Parts()
    /// Bit n is set when the part with raw value n was read.
    private var seen: UInt32 = 0
    /// Values that only some calendars have; RSCALE may come later than they.
    private var leapMonth: Range<Int>?
    private var highMonth: Range<Int>?
    private var highYearDay: Range<Int>?

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func parse() throws(RecurrenceError) -> RecurrenceRule.Parts {
        guard bytes.count <= RecurrenceRule.maximumLength else {
            throw RecurrenceError(.limit, "the rule is longer than \(RecurrenceRule.maximumLength) bytes")
        }
        if matches("RRULE:", at: 0..<min(6, bytes.count)) { position = 6 }
        repeat {
            try readName()
            try readValue()
        } while consume(UInt8(ascii: ";"))
        if position < bytes.count { throw unexpected() }
        if !has(.freq) { throw RecurrenceError(.syntax, "FREQ: every rule must have it") }
        try checkCalendar()
        return parts
    }

    private func has(_ part: RulePart) -> Bool { seen & 1 << UInt32(part.rawValue) != 0 }

    private mutating func readName() throws(RecurrenceError) {
        let name = token { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        guard !name.isEmpty else {
            throw RecurrenceError(.syntax, "a part is missing\(place(name.lowerBound))")
        }
        var found: RulePart?
        for raw in RulePart.rawValues {
            guard let candidate = RulePart(rawValue: raw), matches(candidate.name, at: name) else { continue }
            found = candidate
            break
        }
        guard let found else {
            throw RecurrenceError(.syntax, "\(quoted(name)) is not a part of a rule\(place(name.lowerBound))")
        }
        part = found
        guard consume(UInt8(ascii: "=")) else {
            throw RecurrenceError(.syntax, "\(part.name): \"=\" is missing\(place(position))")
        }
        if has(part) { throw RecurrenceError(.syntax, "\(part.name): it stands twice\(place(name.lowerBound))") }
        seen |= 1 << UInt32(part.rawValue)
    }

    private mutating func readValue() throws(RecurrenceError) {
        switch part {
        case .freq: parts.frequency = try frequency()
        case .interval: parts.interval = try number(in: 1...RecurrenceRule.maximumNumber, "a number of periods")
        case .count: try setEnd(.count(number(in: 1...RecurrenceRule.maximumNumber, "a number of instances")))
        case .until: try setEnd(until())
        case .weekStart: parts.weekStart = try weekStart()
        case .rscale: parts.scale = try scale()
        case .skip: parts.skip = try skip()
        case .bySecond: parts.seconds = try leapSecondsFolded(bits(in: 0...60, "a second from 0 to 60"))
        case .byMinute: parts.minutes = try bits(in: 0...59, "a minute from 0 to 59")
        case .byHour: parts.hours = try bits(in: 0...23, "an hour from 0 to 23")
        case .byMonth: try readMonths()
        case .byMonthDay: parts.monthDays = try signedSet(upTo: 31, "a day of the month, 1 to 31 or -31 to -1")
        case .byWeekNumber: parts.weekNumbers = try signedSet(upTo: 53, "a week of the year, 1 to 53 or -53 to -1")
        case .byDay: try readWeekdays()
        case .byYearDay: try readYearDays()
        case .bySetPosition: parts.positions = try signedList(upTo: 366, "a position, 1 to 366 or -366 to -1")
        }
    }

    private mutating func setEnd(_ end: RecurrenceRule.End) throws(RecurrenceError) {
        guard parts.end == .never else {
            throw RecurrenceError(.combination, "COUNT, UNTIL: a rule may have one of them, not both")
        }
        parts.end = end
    }

    private mutating func readYearDays() throws(RecurrenceError) {
        let start = position
        parts.yearDays = try signedList(upTo: 385, "a day of the year, 1 to 366 or -366 to -1")
        if let low = parts.yearDays.first, let high = parts.yearDays.last, max(-low, high) > 366 {
            highYearDay = start..<position
        }
    }

    private mutating func readMonths() throws(RecurrenceError) {
        repeat {
            let item = self.item()
            var digits = item
            let isLeap = !item.isEmpty && bytes[item.upperBound - 1] & 0xDF == UInt8(ascii: "L")
            if isLeap { digits = item.lowerBound..<item.upperBound - 1 }
            guard let month = unsigned(digits), (1...13).contains(month) else { throw notA("a month", item) }
            if isLeap { leapMonth = leapMonth ?? item }
            if month > 12 { highMonth = highMonth ?? item }
            if isLeap { parts.leapMonths |= 1 << UInt64(month) } else { parts.months |= 1 << UInt64(month) }
        } while consume(UInt8(ascii: ","))
    }

    /// What only some calendars have: leap months, a thirteenth month, years longer than 366 days; and SKIP, which needs RSCALE.
    private func checkCalendar() throws(RecurrenceError) {
        if has(.skip), !has(.rscale) { throw RecurrenceError(.combination, "SKIP: it needs RSCALE (RFC 7529 4.1)") }
        let scale = parts.scale
        if let leapMonth, !scale.hasLeapMonths {
            throw RecurrenceError(
                .value, "BYMONTH: \(quoted(leapMonth)) needs a calendar with leap months\(place(leapMonth.lowerBound))")
        }
        if let highMonth, scale.lastMonthNumber < 13 {
            throw RecurrenceError(
                .value, "BYMONTH: \(quoted(highMonth)) is not a month from 1 to 12\(place(highMonth.lowerBound))")
        }
        if let highYearDay, !scale.hasLeapMonths {
            throw RecurrenceError(
                .value,
                "BYYEARDAY: \(quoted(highYearDay)) is not a day of the year, 1 to 366 or -366 to -1\(place(highYearDay.lowerBound))"
            )
        }
    }
}
