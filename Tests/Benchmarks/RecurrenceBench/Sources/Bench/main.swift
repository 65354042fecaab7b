import Foundation
import Recurrence

// Prints one line a workload and engine: name, years, engine, microseconds a query. Parsing is part of a query.

func measure(_ query: () throws -> Int) rethrows -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    var rounds = 1
    while times.count < 5 {
        var sum = 0
        let elapsed = try clock.measure { for _ in 0..<rounds { sum &+= try query() } }
        precondition(sum != 0, "every query finds something")
        if elapsed < .milliseconds(20), rounds < 1 << 22 {
            rounds *= 2
        } else {
            times.append(elapsed / .microseconds(1) / Double(rounds))
        }
    }
    return times.sorted()[2]
}

func report(_ workload: Workload, _ engine: String, _ time: Double) {
    print("\(workload.name)\t\(workload.years)\t\(engine)\t\(time)")
}

func ours(_ workload: Workload) throws -> Double {
    guard let start = LocalDateTime(workload.start), let now = LocalDateTime(Workload.now) else { return .nan }
    let end = LocalDateTime(secondsSinceEpoch: now.secondsSinceEpoch + 86_400)
    return try measure {
        let rule = try RecurrenceRule(parsing: workload.rule)
        let zone = try workload.zone.map { try Zone.named($0) }
        let set = try OccurrenceSet(start: start, isAllDay: false, zone: zone, rule: rule)
        if workload.isWindow { return try set.occurrences(from: now, to: end, limit: 1000).count }
        return Int(try set.next(onOrAfter: now)?.local.secondsSinceEpoch ?? 0)
    }
}

if CommandLine.arguments.contains("--list") {
    for workload in Workload.all { print(workload.line) }
} else {
    for workload in Workload.all { report(workload, "cuecard", try ours(workload)) }
    if CommandLine.arguments.contains("--foundation") {
        for workload in Workload.all { report(workload, "Foundation", try foundation(workload)) }
    }
}
