import Foundation

/// A time zone as a table of offsets, built once for each name and kept for the life of the process.
///
/// The table comes from Foundation's zone data. It is for use, not for storage: offsets change with releases of the data.
public final class Zone: Sendable {
    /// The name that was asked for, such as `Asia/Seoul`.
    public let identifier: String
    /// Instants from which an offset holds, ascending; the first is the beginning of time.
    private let starts: [Int64]
    /// `offsets[i]` holds from `starts[i]` on, in seconds east of UTC.
    private let offsets: [Int]
    /// Wall-clock times from which `offsets[i]` reads a local time: past the gap, and past both runs of a repeated hour.
    private let walls: [Int64]

    /// The zone with an IANA name; throws a ``RecurrenceError`` that names it when the system does not know it.
    public static func named(_ identifier: String) throws(RecurrenceError) -> Zone {
        if let zone = cache[identifier] { return zone }
        // Foundation reads abbreviations and fixed offsets too; any name that it reads is good here.
        guard let source = TimeZone(identifier: identifier) else {
            throw RecurrenceError(.zone, "the time zone \"\(identifier.prefix(64))\" is not known here")
        }
        let zone = Zone(identifier, transitions: transitions(of: source))
        cache[identifier] = zone
        return zone
    }

    private init(_ identifier: String, transitions: [(start: Int64, offset: Int)]) {
        self.identifier = identifier
        starts = transitions.map(\.start)
        offsets = transitions.map(\.offset)
        walls = transitions.indices.map { index in
            guard index > 0 else { return .min }
            return transitions[index].start + Int64(max(transitions[index - 1].offset, transitions[index].offset))
        }
    }

    /// Unix seconds of a local time.
    ///
    /// As RFC 5545 3.3.5 has it, a time that a change of the clock skips is read with the offset before the gap, so
    /// that 02:30 becomes 03:30; of a time that occurs twice the first is meant.
    public func instant(of local: LocalDateTime) -> Int64 {
        resolve(local).instant
    }

    /// The instant of a local time, and what the clock shows then: not the same time inside a gap.
    func resolve(_ local: LocalDateTime) -> (instant: Int64, local: LocalDateTime) {
        let wall = local.secondsSinceEpoch
        let fold = wall - folded(wall)
        let index = index(of: wall - fold, in: walls)
        let instant = wall - Int64(offsets[index])
        guard index + 1 < starts.count, instant - fold >= starts[index + 1] else { return (instant, local) }
        return (instant, LocalDateTime(secondsSinceEpoch: instant + Int64(offsets[index + 1])))
    }

    /// The first instant at which the clock shows a local time or a later one: of a skipped time, the change itself.
    func firstInstant(showing local: LocalDateTime) -> Int64 {
        let (instant, shown) = resolve(local)
        guard shown != local else { return instant }
        return instant - folded(instant) + starts[index(of: folded(instant), in: starts)]
    }

    /// The wall-clock time at an instant in Unix seconds.
    public func local(at instant: Int64) -> LocalDateTime {
        LocalDateTime(secondsSinceEpoch: instant + Int64(offset(at: instant)))
    }

    /// Seconds east of UTC at an instant in Unix seconds.
    public func offset(at instant: Int64) -> Int {
        offsets[index(of: folded(instant), in: starts)]
    }

    /// The latest wall-clock time that ``instant(of:)`` may put at or before an instant.
    func latestLocal(notAfter instant: Int64) -> LocalDateTime {
        let index = index(of: folded(instant), in: starts)
        let local = instant + Int64(offsets[index])
        guard index > 0 else { return LocalDateTime(secondsSinceEpoch: local) }
        // In the second run of a repeated hour all of its first run is past.
        let endOfFirstRun = instant - folded(instant) + starts[index] + Int64(offsets[index - 1]) - 1
        return LocalDateTime(secondsSinceEpoch: max(local, endOfFirstRun))
    }

    /// The earliest wall-clock time that ``instant(of:)`` may put at or after an instant.
    func earliestLocal(notBefore instant: Int64) -> LocalDateTime {
        let index = index(of: folded(instant), in: starts)
        let local = instant + Int64(offsets[index])
        guard index > 0 else { return LocalDateTime(secondsSinceEpoch: local) }
        // Skipped times are put past the gap, among the times that follow it.
        let gap = Int64(offsets[index] - offsets[index - 1])
        let endOfGap = instant - folded(instant) + starts[index] + Int64(offsets[index])
        return LocalDateTime(secondsSinceEpoch: gap > 0 && local < endOfGap + gap ? local - gap : local)
    }

    /// The last place whose value is not above the key.
    private func index(of key: Int64, in values: [Int64]) -> Int {
        var low = 0
        var high = values.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if values[middle] <= key { low = middle } else { high = middle }
        }
        return low
    }

    /// The table ends in 2500; the Gregorian calendar repeats after 400 years, and so do a zone's rules.
    private func folded(_ time: Int64) -> Int64 {
        guard time >= Self.end else { return time }
        return time - (1 + (time - Self.end) / Self.cycle) * Self.cycle
    }

    private static let cycle: Int64 = 146_097 * 86_400
    private static let end = LocalDateTime(year: 2500, month: 7, day: 1).secondsSinceEpoch
}
