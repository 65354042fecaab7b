/// A walk through the occurrences of a window: the rule's instances, resolved, merged with RDATE, without EXDATE.
///
/// The set is handed in with each question, so that a walk copies nothing of it.
struct Occurrences {
    private let from: Int64
    private let end: Int64
    private var instances: Instances
    /// The rule's next occurrence, found but not yet told.
    private var head: Occurrence?
    private var nextAddition: Int
    private var latest = Int64.min

    /// The occurrences whose key is at least `from` and below `end`; `Int64.max` is no end.
    init(of set: OccurrenceSet, from: Int64, before end: Int64) {
        self.from = from
        self.end = end
        instances = Instances(of: set, from: from, before: end)
        nextAddition = set.additions.firstIndex(notBelow: from)
    }

    mutating func next(of set: OccurrenceSet) throws(RecurrenceError) -> Occurrence? {
        while let occurrence = try merged(set), occurrence.key < end {
            let isRepeated = occurrence.key == latest
            latest = occurrence.key
            if set.isExceptionDay(occurrence) {
                // A rule of every second must not be walked through a day that is excepted as a whole.
                instances.skip(to: set.firstLocal(afterDayOf: occurrence))
            } else if occurrence.key >= from, !isRepeated, !set.isException(occurrence) {
                return occurrence
            }
        }
        return nil
    }

    private mutating func merged(_ set: OccurrenceSet) throws(RecurrenceError) -> Occurrence? {
        if head == nil { head = try instances.next(of: set) }
        guard nextAddition < set.additions.count else {
            defer { head = nil }
            return head
        }
        let addition = set.additions[nextAddition]
        if let instance = head, instance.key <= addition {
            head = nil
            return instance
        }
        nextAddition += 1
        guard let zone = set.zone else {
            return Occurrence(local: LocalDateTime(secondsSinceEpoch: addition), instant: nil)
        }
        return Occurrence(local: zone.local(at: addition), instant: addition)
    }
}
