import Recurrence
import Testing

@testable import cuecard

/// What holds for every rule, on random ones; a failure names the event, and the seed is fixed.
@Suite struct OccurrencePropertyTests {
    private let seed: UInt64 = 42

    /// Runs a property for so many events; in a calendar with an end, windows stay before it.
    private func forAll(_ count: Int, _ property: (RandomEvent, inout SplitMix) throws -> Void) rethrows {
        var random = SplitMix(state: seed)
        for _ in 0..<count { try property(RandomEvent(&random), &random) }
    }

    private func time(_ base: LocalDateTime, days: Int, seconds: Int = 0) -> LocalDateTime {
        LocalDateTime(secondsSinceEpoch: base.secondsSinceEpoch + Int64(days * 86_400 + seconds))
    }

    private func span(_ event: RandomEvent) -> Int {
        event.rule.contains("SECONDLY")
            ? 1 : event.rule.contains("MINUTELY") ? 20 : event.rule.contains("HOURLY") ? 200 : 3000
    }

    @Test func occurrencesIncreaseAndAWindowIsAFilter() throws {
        var compared = 0
        try forAll(1500) { event, random in
            let set = try event.set()
            let (from, to) = (time(event.start, days: -3), time(event.start, days: span(event)))
            let all = try set.occurrences(from: from, to: to, limit: 3000)
            for (one, next) in zip(all, all.dropFirst()) {
                #expect(
                    (one.instant ?? one.local.secondsSinceEpoch) < (next.instant ?? next.local.secondsSinceEpoch),
                    "\(event)")
            }
            guard all.count > 2, all.count < 3000 else { return }
            let first = all[random.number(0...all.count - 2)].local
            let end = all[random.number(0...all.count - 1)].local
            guard first < end, event.zone == nil else { return }
            let clipped = try set.occurrences(from: first, to: end, limit: 3000)
            #expect(clipped == all.filter { $0.local >= first && $0.local < end }, "\(event)")
            compared += 1
        }
        #expect(compared > 200)
    }

    @Test func nextIsTheFirstOfAWindowAndIsContained() throws {
        try forAll(1500) { event, random in
            let set = try event.set()
            let from = time(
                event.start, days: random.number(-3...span(event)),
                seconds: event.isAllDay ? 0 : random.number(0...86_399))
            let to = time(from, days: span(event))
            let first = try set.occurrences(from: from, to: to, limit: 1).first
            guard let first else { return }
            #expect(try set.next(onOrAfter: from) == first, "\(event) from \(from)")
            #expect(try set.contains(first.local), "\(event) \(first)")
        }
    }

    /// COUNT found by arithmetic is COUNT found by counting.
    @Test func countCutsTheSameRuleWithoutCount() throws {
        var compared = 0
        try forAll(2500) { event, random in
            // Skipped times can be out of order or fall together, while COUNT counts in local order.
            guard event.zone == nil else { return }
            let (from, to) = (time(event.start, days: -3), time(event.start, days: span(event) * 2))
            let all = try event.set().occurrences(from: from, to: to, limit: 500)
            guard all.count > 1 else { return }
            let count = random.number(1...all.count - 1)
            let counted = try event.set(";COUNT=\(count)")
            #expect(
                try counted.occurrences(from: from, to: to, limit: 1000) == Array(all.prefix(count)),
                "\(event) COUNT=\(count)")
            #expect(try counted.next(onOrAfter: all[count - 1].local) == all[count - 1], "\(event) COUNT=\(count)")
            #expect(try counted.next(onOrAfter: all[count].local) == nil, "\(event) COUNT=\(count)")
            compared += 1
        }
        #expect(compared > 700)
    }

    @Test func untilCutsTheSameRuleWithoutUntil() throws {
        try forAll(800) { event, random in
            guard event.zone != nil else { return }
            let (from, to) = (time(event.start, days: -3), time(event.start, days: span(event)))
            let all = try event.set().occurrences(from: from, to: to, limit: 300)
            guard let last = all.isEmpty ? nil : all[random.number(0...all.count - 1)], let instant = last.instant
            else { return }
            let utc = LocalDateTime(secondsSinceEpoch: instant).description.filter { $0 != "-" && $0 != ":" }
            let until = try event.set(";UNTIL=\(utc)Z").occurrences(from: from, to: to, limit: 300)
            #expect(until == all.filter { ($0.instant ?? 0) <= instant }, "\(event) UNTIL=\(utc)Z")
        }
    }
}
