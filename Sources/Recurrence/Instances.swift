/// A walk through the instances of a rule, or the single start where there is none, resolved in the zone and in order.
///
/// The set is handed in with each question, so that a walk copies nothing of it.
/// Local order is the order of instants but for a gap: skipped times fall among the times that follow it.
struct Instances {
    private let isWindow: Bool
    /// The next local time at which the rule is asked, and the last one.
    private var local: Int
    private var last: Int
    /// How far it is known that COUNT has been respected in `last`.
    private var countedThrough: Int
    /// Instances found ahead of their turn, the latest first; only around a gap.
    private var waiting: [Occurrence] = []

    init(of set: OccurrenceSet, from: Int64, before end: Int64) {
        isWindow = end < .max
        countedThrough = set.count == nil ? .max : .min
        let horizon = Int64(Gregorian.days.upperBound * secondsPerDay + secondsPerDay - 1)
        let latest = isWindow ? set.zone?.latestLocal(notAfter: end - 1).secondsSinceEpoch ?? end - 1 : horizon
        local = Int(set.zone?.earliestLocal(notBefore: from).secondsSinceEpoch ?? from)
        last = Int(min(latest, set.lastLocal, horizon))
    }

    mutating func next(of set: OccurrenceSet) throws(RecurrenceError) -> Occurrence? {
        if let occurrence = waiting.popLast() { return occurrence }
        while let found = try nextLocal(of: set, through: last) {
            let occurrence = resolved(found, in: set.zone)
            if occurrence.local.secondsSinceEpoch != found { return try sortedAroundGap(occurrence, of: set) }
            if occurrence.key <= set.lastKey { return occurrence }
        }
        return nil
    }

    /// Goes on from a local time, if that is ahead.
    mutating func skip(to local: LocalDateTime) { self.local = max(self.local, Int(local.secondsSinceEpoch)) }

    private mutating func sortedAroundGap(_ first: Occurrence, of set: OccurrenceSet) throws(RecurrenceError)
        -> Occurrence?
    {
        waiting = [first]
        var latest = first.local
        while let found = try nextLocal(of: set, through: min(last, Int(latest.secondsSinceEpoch))) {
            let occurrence = resolved(found, in: set.zone)
            latest = max(latest, occurrence.local)
            waiting.append(occurrence)
        }
        waiting.removeAll { $0.key > set.lastKey }
        waiting.sort { $0.key > $1.key }
        return waiting.isEmpty ? try next(of: set) : waiting.removeLast()
    }

    /// The rule's next local time, as far as COUNT allows.
    private mutating func nextLocal(of set: OccurrenceSet, through bound: Int) throws(RecurrenceError) -> Int? {
        guard let expansion = set.expansion else { return nextStart(of: set, through: bound) }
        guard local <= bound, let found = try expansion.next(onOrAfter: local, through: bound) else { return nil }
        if found > countedThrough, let count = set.count {
            // Without a window an eighth more, so that a long row of exceptions does not count again for each.
            let ahead = (found - Int(set.start.secondsSinceEpoch)) / 8 + secondsPerDay
            countedThrough = isWindow ? last : min(last, found + ahead)
            if let lastOfCount = try expansion.instance(count - 1, through: countedThrough) {
                (last, countedThrough) = (min(last, lastOfCount), .max)
            }
            if found > last { return nil }
        }
        local = found + 1
        return found
    }

    private mutating func nextStart(of set: OccurrenceSet, through bound: Int) -> Int? {
        let start = Int(set.start.secondsSinceEpoch)
        guard local <= start, start <= bound else { return nil }
        local = start + 1
        return start
    }

    private func resolved(_ local: Int, in zone: Zone?) -> Occurrence {
        let local = LocalDateTime(secondsSinceEpoch: Int64(local))
        guard let zone else { return Occurrence(local: local, instant: nil) }
        let (instant, shown) = zone.resolve(local)
        return Occurrence(local: shown, instant: instant)
    }
}
