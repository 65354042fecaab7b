extension OccurrenceSet {
    /// The occurrences of a window, `from` included and `to` not, ascending; at most so many, the first ones.
    ///
    /// By what the clock shows: a bound that a change of the clock skips lies at the change.
    ///
    /// The cost depends on the occurrences found, not on the distance from the start. Throws a ``RecurrenceError`` when
    /// an occurrence would need years outside the rule's calendar, or when COUNT cannot be counted within its limit.
    public func occurrences(
        from: LocalDateTime, to: LocalDateTime, limit: Int
    ) throws(RecurrenceError) -> [Occurrence] {
        var found: [Occurrence] = []
        var walk = Occurrences(of: self, from: bound(at: from), before: bound(at: to))
        while found.count < limit, let occurrence = try walk.next(of: self) { found.append(occurrence) }
        return found
    }

    /// The first occurrence at or after a local time; nil when there is none, to the end of the year 9999.
    ///
    /// The cost does not depend on the distance from the start. Throws as ``occurrences(from:to:limit:)`` does.
    public func next(onOrAfter local: LocalDateTime) throws(RecurrenceError) -> Occurrence? {
        var walk = Occurrences(of: self, from: bound(at: local), before: .max)
        return try walk.next(of: self)
    }

    /// Whether a local time is an occurrence; a skipped time is the one that it resolves to.
    ///
    /// Throws as ``occurrences(from:to:limit:)`` does.
    public func contains(_ local: LocalDateTime) throws(RecurrenceError) -> Bool {
        let key = key(of: local)
        var walk = Occurrences(of: self, from: key, before: key + 1)
        return try walk.next(of: self) != nil
    }

    /// What a local time is compared by: the instant where there is a zone.
    private func key(of local: LocalDateTime) -> Int64 {
        let local = local.withinCalendar
        return zone?.instant(of: local) ?? local.secondsSinceEpoch
    }

    /// The least key of an occurrence at this local time or later.
    private func bound(at local: LocalDateTime) -> Int64 {
        let local = local.withinCalendar
        return zone?.firstInstant(showing: local) ?? local.secondsSinceEpoch
    }

    func isException(_ occurrence: Occurrence) -> Bool { exceptions.containsSorted(occurrence.key) }

    func isExceptionDay(_ occurrence: Occurrence) -> Bool {
        !exceptionDays.isEmpty && exceptionDays.containsSorted(occurrence.local.dayNumber)
    }

    /// The first local time of the rule that may fall after an occurrence's day.
    func firstLocal(afterDayOf occurrence: Occurrence) -> LocalDateTime {
        let next = LocalDateTime(secondsSinceEpoch: Int64((occurrence.local.dayNumber + 1) * secondsPerDay))
        guard let zone else { return next }
        return min(next, zone.earliestLocal(notBefore: zone.instant(of: next)))
    }
}

extension LocalDateTime {
    /// Cut to the years 1 to 9999.
    fileprivate var withinCalendar: LocalDateTime {
        let first = Int64(Gregorian.days.lowerBound * secondsPerDay)
        let last = Int64((Gregorian.days.upperBound + 1) * secondsPerDay)
        return LocalDateTime(secondsSinceEpoch: min(max(secondsSinceEpoch, first), last))
    }
}

extension Array where Element: Comparable {
    /// The first index whose element is not below a value; the array ascends.
    func firstIndex(notBelow value: Element) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }

    func containsSorted(_ value: Element) -> Bool {
        if isEmpty { return false }
        let index = firstIndex(notBelow: value)
        return index < count && self[index] == value
    }
}
