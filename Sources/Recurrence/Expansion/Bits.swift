/// A word as a set of small numbers.
extension UInt64 {
    func has(_ number: Int) -> Bool { self >> UInt64(number) & 1 != 0 }

    /// The members from a number on; the number may be anything.
    func from(_ number: Int) -> UInt64 {
        number <= 0 ? self : number > 63 ? 0 : self & (.max << UInt64(number))
    }

    /// The members below a number; the number may be anything.
    func below(_ number: Int) -> UInt64 {
        number <= 0 ? 0 : number > 63 ? self : self & ~(.max << UInt64(number))
    }

    /// The smallest member; 64 for the empty set.
    var first: Int { trailingZeroBitCount }

    /// The member with `index` members below it.
    func member(_ index: Int) -> Int {
        var rest = self
        for _ in 0..<index { rest &= rest - 1 }
        return rest.trailingZeroBitCount
    }

    /// Numbers `first` to `last`, where 0 ≤ first and last ≤ 63; empty when last < first.
    static func span(_ first: Int, _ last: Int) -> UInt64 {
        last < first ? 0 : UInt64.max.from(first).below(last + 1)
    }

    /// The weekdays of a set (bit 0 is Monday) as a pattern over 64 days, the first of which is the weekday given.
    static func weekdayPattern(_ weekdays: UInt64, from weekday: Int) -> UInt64 {
        let turned = (weekdays >> UInt64(weekday) | weekdays << UInt64(7 - weekday)) & 0x7F
        return turned &* 0x8102_0408_1020_4081
    }
}
