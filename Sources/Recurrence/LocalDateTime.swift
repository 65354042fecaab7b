/// A date and a time of day on a wall clock, in whole seconds, without a zone.
///
/// The calendar is the proleptic Gregorian one. The order is the order of the wall clock.
public struct LocalDateTime: Hashable, Comparable, Sendable {
    /// Seconds from 1970-01-01T00:00:00 on the same wall clock, as if it were UTC.
    public let secondsSinceEpoch: Int64

    /// The wall-clock time so many seconds after 1970-01-01T00:00:00.
    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    /// The wall-clock time with these parts; a part outside its range carries over, so that February 30 is in March.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        let months = year * 12 + month - 1
        let first = Gregorian.day(year: floorDivide(months, 12), month: floorRemainder(months, 12) + 1, day: 1)
        secondsSinceEpoch = Int64((first + day - 1) * secondsPerDay + hour * 3600 + minute * 60 + second)
    }

    /// Orders by the wall clock.
    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }
}

extension LocalDateTime {
    /// The year, 1 BC being 0.
    public var year: Int { Gregorian.date(ofDay: dayNumber).year }
    /// The month, 1 to 12.
    public var month: Int { Gregorian.date(ofDay: dayNumber).month }
    /// The day of the month, from 1.
    public var day: Int { Gregorian.date(ofDay: dayNumber).day }
    /// The hour, 0 to 23.
    public var hour: Int { secondOfDay / 3600 }
    /// The minute, 0 to 59.
    public var minute: Int { secondOfDay / 60 % 60 }
    /// The second, 0 to 59.
    public var second: Int { secondOfDay % 60 }

    /// Days since 1970-01-01.
    var dayNumber: Int { floorDivide(Int(secondsSinceEpoch), secondsPerDay) }
    var secondOfDay: Int { floorRemainder(Int(secondsSinceEpoch), secondsPerDay) }
}

extension LocalDateTime: CustomStringConvertible {
    /// Reads `2026-01-02T03:04:05`, or `2026-01-02` as its midnight; nil for anything else, a date that does not exist included.
    public init?(_ text: some StringProtocol) {
        guard let (value, _) = Self.parse(text) else { return nil }
        self = value
    }

    /// The value, and whether the text had a time.
    static func parse(_ text: some StringProtocol) -> (value: LocalDateTime, hasTime: Bool)? {
        var text = String(text)
        return text.withUTF8 { bytes in
            guard bytes.count == 10 || bytes.count == 19, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
                let year = bytes.number(at: 0, digits: 4), let month = bytes.number(at: 5, digits: 2),
                let day = bytes.number(at: 8, digits: 2), Gregorian.exists(year: year, month: month, day: day)
            else { return nil }
            let date = Gregorian.day(year: year, month: month, day: day) * secondsPerDay
            guard bytes.count == 19 else { return (LocalDateTime(secondsSinceEpoch: Int64(date)), false) }
            guard bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
                let hour = bytes.number(at: 11, digits: 2), let minute = bytes.number(at: 14, digits: 2),
                let second = bytes.number(at: 17, digits: 2), hour < 24, minute < 60, second < 60
            else { return nil }
            return (LocalDateTime(secondsSinceEpoch: Int64(date + hour * 3600 + minute * 60 + second)), true)
        }
    }

    /// The form `2026-01-02T03:04:05`.
    public var description: String { text(withTime: true) }

    /// The date alone, `2026-01-02`.
    public var dateDescription: String { text(withTime: false) }

    private func text(withTime: Bool) -> String {
        let date = Gregorian.date(ofDay: dayNumber)
        guard (0...9999).contains(date.year) else { return "year \(date.year)" }
        return String(unsafeUninitializedCapacity: 19) { buffer in
            buffer.write(date.year, digits: 4, at: 0)
            buffer[4] = UInt8(ascii: "-")
            buffer.write(date.month, digits: 2, at: 5)
            buffer[7] = UInt8(ascii: "-")
            buffer.write(date.day, digits: 2, at: 8)
            guard withTime else { return 10 }
            buffer[10] = UInt8(ascii: "T")
            buffer.write(hour, digits: 2, at: 11)
            buffer[13] = UInt8(ascii: ":")
            buffer.write(minute, digits: 2, at: 14)
            buffer[16] = UInt8(ascii: ":")
            buffer.write(second, digits: 2, at: 17)
            return 19
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number that `digits` decimal digits from `position` on spell; nil where one is missing.
    func number(at position: Int, digits: Int) -> Int? {
        guard position + digits <= count else { return nil }
        var value = 0
        for index in position..<position + digits {
            let digit = Int(self[index]) - 48
            guard (0...9).contains(digit) else { return nil }
            value = value * 10 + digit
        }
        return value
    }
}

extension UnsafeMutableBufferPointer<UInt8> {
    func write(_ value: Int, digits: Int, at position: Int) {
        var rest = value
        for index in stride(from: position + digits - 1, through: position, by: -1) {
            self[index] = UInt8(48 + rest % 10)
            rest /= 10
        }
    }
}
