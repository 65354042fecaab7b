/// BYSETPOS: which of the instances of one period remain, by their place from the beginning or the end.
struct SetPositions: Sendable {
    /// Places, ascending; negative ones are counted from the end.
    ///
    /// Empty when the rule has no BYSETPOS.
    let positions: [Int]

    /// The first remaining index not below `index`, of `count` instances; nil when there is none.
    func next(_ index: Int, of count: Int) -> Int? {
        if positions.isEmpty { return index < count ? index : nil }
        var best = count
        for position in positions {
            let place = position > 0 ? position - 1 : count + position
            if place >= index, place < best { best = place }
        }
        return best < count ? best : nil
    }

    /// How many of `count` instances remain.
    func count(of count: Int) -> Int {
        if positions.isEmpty { return count }
        var places = Places(positions, of: count)
        var remaining = 0
        while places.next() != nil { remaining += 1 }
        return remaining
    }

    /// How many of the first `index` of `count` instances remain.
    func rank(_ index: Int, of count: Int) -> Int {
        if positions.isEmpty { return index }
        var places = Places(positions, of: count)
        var remaining = 0
        while let place = places.next(), place < index { remaining += 1 }
        return remaining
    }

    /// The index of the remaining instance with `ordinal` remaining ones before it, of `count` instances.
    func index(_ ordinal: Int, of count: Int) -> Int? {
        if positions.isEmpty { return ordinal < count ? ordinal : nil }
        var places = Places(positions, of: count)
        for _ in 0..<ordinal where places.next() == nil { return nil }
        return places.next()
    }
}

/// The remaining indices, ascending, each once: those counted from the beginning and those from the end, merged.
private struct Places {
    private let positions: [Int]
    private let count: Int
    private var fromEnd = 0
    private var fromStart: Int

    init(_ positions: [Int], of count: Int) {
        (self.positions, self.count) = (positions, count)
        fromStart = positions.firstIndex { $0 > 0 } ?? positions.count
    }

    mutating func next() -> Int? {
        while fromEnd < positions.count, positions[fromEnd] < 0, count + positions[fromEnd] < 0 { fromEnd += 1 }
        let low = fromEnd < positions.count && positions[fromEnd] < 0 ? count + positions[fromEnd] : .max
        let high = fromStart < positions.count ? positions[fromStart] - 1 : .max
        let place = min(low, high)
        guard place < count else { return nil }
        if low == place { fromEnd += 1 }
        if high == place { fromStart += 1 }
        return place
    }
}
