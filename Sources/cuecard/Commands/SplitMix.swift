/// A small generator that gives the same numbers for the same seed everywhere.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[number(0...choices.count - 1)] }

    /// True once in so many times.
    mutating func chance(_ times: Int) -> Bool { number(1...times) == 1 }
}
