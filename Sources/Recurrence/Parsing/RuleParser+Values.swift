/// The kinds of value that parts have.
extension RuleParser {
    mutating func frequency() throws(RecurrenceError) -> RecurrenceRule.Frequency {
        let item = self.item()
        if matches("DAILY", at: item) { return .daily }
        if matches("WEEKLY", at: item) { return .weekly }
        if matches("MONTHLY", at: item) { return .monthly }
        if matches("YEARLY", at: item) { return .yearly }
        if matches("HOURLY", at: item) { return .hourly }
        if matches("MINUTELY", at: item) { return .minutely }
        if matches("SECONDLY", at: item) { return .secondly }
        throw notA("a frequency", item)
    }

    mutating func scale() throws(RecurrenceError) -> RecurrenceRule.Scale {
        let item = self.item()
        if matches("GREGORIAN", at: item) { return .gregorian }
        if matches("DANGI", at: item) { return .dangi }
        if matches("CHINESE", at: item) { return .chinese }
        if matches("HEBREW", at: item) { return .hebrew }
        if matches("ETHIOPIC", at: item) { return .ethiopic }
        if matches("COPTIC", at: item) { return .coptic }
        if matches("ISLAMIC-CIVIL", at: item) { return .islamicCivil }
        throw RecurrenceError(
            .unsupported, "RSCALE: \(quoted(item)) is not a calendar that is known here\(place(item.lowerBound))")
    }

    mutating func skip() throws(RecurrenceError) -> RecurrenceRule.Skip {
        let item = self.item()
        if matches("OMIT", at: item) { return .omit }
        if matches("BACKWARD", at: item) { return .backward }
        if matches("FORWARD", at: item) { return .forward }
        throw notA("OMIT, BACKWARD or FORWARD", item)
    }

    mutating func weekStart() throws(RecurrenceError) -> Int {
        let item = self.item()
        guard item.count == 2, let weekday = weekday(at: item.lowerBound) else { throw notA("a weekday", item) }
        return weekday
    }

    /// `20260102`, `20260102T030405` or `20260102T030405Z`.
    mutating func until() throws(RecurrenceError) -> RecurrenceRule.End {
        let item = self.item()
        let start = item.lowerBound
        guard [8, 15, 16].contains(item.count), let year = bytes.number(at: start, digits: 4),
            let month = bytes.number(at: start + 4, digits: 2), let day = bytes.number(at: start + 6, digits: 2),
            Gregorian.exists(year: year, month: month, day: day)
        else { throw notA("a date or a time such as 20260102T030405Z", item) }
        if item.count == 8 { return .date(LocalDateTime(year: year, month: month, day: day)) }
        guard bytes[start + 8] & 0xDF == UInt8(ascii: "T"), let hour = bytes.number(at: start + 9, digits: 2),
            let minute = bytes.number(at: start + 11, digits: 2), let second = bytes.number(at: start + 13, digits: 2),
            hour < 24, minute < 60, second <= 60,
            item.count == 15 || bytes[start + 15] & 0xDF == UInt8(ascii: "Z")
        else { throw notA("a date or a time such as 20260102T030405Z", item) }
        // RFC 5545 3.3.12: who knows no leap seconds takes second 60 for 59.
        let time = LocalDateTime(
            year: year, month: month, day: day, hour: hour, minute: minute, second: min(second, 59))
        return item.count == 15 ? .local(time) : .utc(time.secondsSinceEpoch)
    }

    func leapSecondsFolded(_ seconds: UInt64) -> UInt64 {
        seconds >> 60 == 0 ? seconds : seconds & ~(1 << 60) | 1 << 59
    }

    mutating func readWeekdays() throws(RecurrenceError) {
        repeat {
            let item = self.item()
            guard item.count >= 2, let weekday = weekday(at: item.upperBound - 2) else { throw notA("a weekday", item) }
            guard item.count > 2 else {
                parts.weekdays |= 1 << UInt64(weekday)
                continue
            }
            guard let ordinal = signed(item.lowerBound..<item.upperBound - 2), (1...53).contains(abs(ordinal)) else {
                throw notA("a weekday with a number from 1 to 53 or -53 to -1", item)
            }
            let nth = RecurrenceRule.NthWeekday(ordinal: ordinal, weekday: weekday)
            if !parts.nthWeekdays.contains(nth) { parts.nthWeekdays.append(nth) }
        } while consume(UInt8(ascii: ","))
    }

    private func weekday(at position: Int) -> Int? {
        switch (bytes[position] & 0xDF, bytes[position + 1] & 0xDF) {
        case (UInt8(ascii: "M"), UInt8(ascii: "O")): 0
        case (UInt8(ascii: "T"), UInt8(ascii: "U")): 1
        case (UInt8(ascii: "W"), UInt8(ascii: "E")): 2
        case (UInt8(ascii: "T"), UInt8(ascii: "H")): 3
        case (UInt8(ascii: "F"), UInt8(ascii: "R")): 4
        case (UInt8(ascii: "S"), UInt8(ascii: "A")): 5
        case (UInt8(ascii: "S"), UInt8(ascii: "U")): 6
        default: nil
        }
    }

    mutating func number(in range: ClosedRange<Int>, _ what: StaticString) throws(RecurrenceError) -> Int {
        let item = self.item()
        guard let number = unsigned(item), range.contains(number) else {
            throw notA("\(what) from \(range.lowerBound) to \(range.upperBound)", item)
        }
        return number
    }

    mutating func bits(in range: ClosedRange<Int>, _ what: StaticString) throws(RecurrenceError) -> UInt64 {
        var bits: UInt64 = 0
        repeat {
            let item = self.item()
            guard let number = unsigned(item), range.contains(number) else { throw notA("\(what)", item) }
            bits |= 1 << UInt64(number)
        } while consume(UInt8(ascii: ","))
        return bits
    }

    mutating func signedSet(
        upTo limit: Int, _ what: StaticString
    ) throws(RecurrenceError) -> RecurrenceRule.SignedSet {
        var set = RecurrenceRule.SignedSet()
        repeat {
            let item = self.item()
            guard let number = signed(item), (1...limit).contains(abs(number)) else { throw notA("\(what)", item) }
            if number > 0 { set.fromStart |= 1 << UInt64(number) } else { set.fromEnd |= 1 << UInt64(-number) }
        } while consume(UInt8(ascii: ","))
        return set
    }

    /// Ascending, each number once.
    mutating func signedList(upTo limit: Int, _ what: StaticString) throws(RecurrenceError) -> [Int] {
        var list: [Int] = []
        repeat {
            let item = self.item()
            guard let number = signed(item), (1...limit).contains(abs(number)) else { throw notA("\(what)", item) }
            let place = list.firstIndex { $0 >= number } ?? list.count
            if place == list.count || list[place] != number { list.insert(number, at: place) }
        } while consume(UInt8(ascii: ","))
        return list
    }
}
