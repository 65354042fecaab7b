/// A walk through the instances of a rule, or the single start where there is none, resolved in the zone and in order.
///
/// Local order is the order of instants but for a gap: skipped times fall among the times that follow it.
struct Instances {
    private let set: OccurrenceSet
    private let isWindow: Bool
    /// The next local time at which the rule is asked, and the last one.
    private var local: Int
    private var last: Int
    private var isCountKnown: Bool
    /// Instances found ahead of their turn, the latest first; only around a gap.
    private var waiting: [Occurrence] = []

    init(of set: OccurrenceSet, from: Int64, before end: Int64) {
        self.set = set
        isWindow = end < .max
        isCountKnown = set.count == nil
        let horizon = Int64(Gregorian.days.upperBound * secondsPerDay + secondsPerDay - 1)
        let latest = isWindow ? set.zone?.latestLocal(notAfter: end - 1).secondsSinceEpoch ?? end - 1 : horizon
        local = Int(set.zone?.earliestLocal(notBefore: from).secondsSinceEpoch ?? from)
        last = Int(min(latest, set.lastLocal, horizon))
    }

    mutating func next() throws(RecurrenceError) -> Occurrence? {
        if let occurrence = waiting.popLast() { return occurrence }
        while let found = try nextLocal(through: last) {
            let occurrence = resolved(found)
            if occurrence.local.secondsSinceEpoch != found { return try sortedAroundGap(occurrence) }
            if occurrence.key <= set.lastKey { return occurrence }
        }
        return nil
    }

    private mutating func sortedAroundGap(_ first: Occurrence) throws(RecurrenceError) -> Occurrence? {
        waiting = [first]
        var latest = first.local
        while let found = try nextLocal(through: min(last, Int(latest.secondsSinceEpoch))) {
            let occurrence = resolved(found)
            latest = max(latest, occurrence.local)
            waiting.append(occurrence)
        }
        waiting.removeAll { $0.key > set.lastKey }
        waiting.sort { $0.key > $1.key }
        return waiting.isEmpty ? try next() : waiting.removeLast()
    }

    /// The rule's next local time, as far as COUNT allows.
    private mutating func nextLocal(through bound: Int) throws(RecurrenceError) -> Int? {
        guard let expansion = set.expansion else { return nextStart(through: bound) }
        guard local <= bound, let found = try expansion.next(onOrAfter: local, through: bound) else { return nil }
        if !isCountKnown, let count = set.count {
            let lastOfCount = try expansion.instance(count - 1, through: isWindow ? last : found)
            isCountKnown = isWindow || lastOfCount != nil
            if let lastOfCount { last = min(last, lastOfCount) }
            if found > last { return nil }
        }
        local = found + 1
        return found
    }

    private mutating func nextStart(through bound: Int) -> Int? {
        let start = Int(set.start.secondsSinceEpoch)
        guard local <= start, start <= bound else { return nil }
        local = start + 1
        return start
    }

    private func resolved(_ local: Int) -> Occurrence {
        let local = LocalDateTime(secondsSinceEpoch: Int64(local))
        guard let zone = set.zone else { return Occurrence(local: local, instant: nil) }
        let (instant, shown) = zone.resolve(local)
        return Occurrence(local: shown, instant: instant)
    }
}
