/// Up to 512 days in a row, each in the set or not: what a rule picks from a year, a month or a week.
struct DaySet {
    /// The day of the first bit.
    let base: Int
    private var words: SIMD8<UInt64> = .zero
    /// How many words hold bits.
    private var used = 0

    /// An empty set.
    init(base: Int) { self.base = base }

    /// 64 days or fewer.
    init(base: Int, bits: UInt64) {
        self.base = base
        words[0] = bits
        used = 1
    }

    var isEmpty: Bool {
        for index in 0..<used where words[index] != 0 { return false }
        return true
    }

    var count: Int {
        var count = 0
        for index in 0..<used { count += words[index].nonzeroBitCount }
        return count
    }

    func contains(_ day: Int) -> Bool {
        let offset = day - base
        return offset >= 0 && offset < used * 64 && words[offset / 64].has(offset % 64)
    }

    mutating func insert(_ day: Int) { insert(1, at: day) }

    mutating func remove(_ day: Int) {
        words[(day - base) / 64] &= ~(1 << UInt64((day - base) % 64))
    }

    /// Adds the days of a pattern, the first bit of which is the day given.
    mutating func insert(_ bits: UInt64, at day: Int) {
        let offset = day - base
        let word = offset / 64
        let shift = UInt64(offset % 64)
        words[word] |= bits << shift
        used = max(used, word + 1)
        guard shift > 0, bits >> (64 - shift) != 0 else { return }
        words[word + 1] |= bits >> (64 - shift)
        used = max(used, word + 2)
    }

    func first(onOrAfter day: Int) -> Int? {
        let offset = max(0, day - base)
        for index in (offset / 64)..<max(offset / 64, used) {
            let bits = index == offset / 64 ? words[index].from(offset % 64) : words[index]
            if bits != 0 { return base + index * 64 + bits.first }
        }
        return nil
    }

    /// How many days of the set lie before a day.
    func rank(of day: Int) -> Int {
        let offset = day - base
        var rank = 0
        for index in 0..<used { rank += words[index].below(offset - index * 64).nonzeroBitCount }
        return rank
    }

    /// The day with `index` days of the set before it; the set must have as many.
    func day(_ index: Int) -> Int {
        var rest = index
        var word = 0
        while word < used - 1, rest >= words[word].nonzeroBitCount {
            rest -= words[word].nonzeroBitCount
            word += 1
        }
        return base + word * 64 + words[word].member(rest)
    }
}
