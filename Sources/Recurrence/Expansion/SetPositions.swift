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
        var remaining = 0
        var index = next(0, of: count)
        while let place = index {
            remaining += 1
            index = next(place + 1, of: count)
        }
        return remaining
    }

    /// How many of the first `index` of `count` instances remain.
    func rank(_ index: Int, of count: Int) -> Int {
        if positions.isEmpty { return index }
        var remaining = 0
        var place = next(0, of: count)
        while let here = place, here < index {
            remaining += 1
            place = next(here + 1, of: count)
        }
        return remaining
    }

    /// The index of the remaining instance with `ordinal` remaining ones before it, of `count` instances.
    func index(_ ordinal: Int, of count: Int) -> Int? {
        if positions.isEmpty { return ordinal < count ? ordinal : nil }
        var place = next(0, of: count)
        for _ in 0..<ordinal {
            guard let here = place else { return nil }
            place = next(here + 1, of: count)
        }
        return place
    }
}
