import Foundation
import Recurrence

/// One input of libFuzzer: a rule, tried from a few starts, or, where it begins with a brace, a whole line of `expand`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let data = Data(UnsafeBufferPointer(start: bytes, count: count))
    if data.first == UInt8(ascii: "{") {
        var text = ""
        expand(line: data).answer.write(to: &text)
        precondition(text.hasSuffix("}\n"))
    } else {
        tryRule(String(decoding: data, as: UTF8.self))
    }
    return 0
}

private func tryRule(_ text: String) {
    do {
        let rule = try RecurrenceRule(parsing: text)
        try tryStart(
            LocalDateTime(year: 2024, month: 2, day: 29, hour: 2, minute: 30), isAllDay: false, zone: nil, rule)
        try tryStart(
            LocalDateTime(year: 2024, month: 3, day: 10, hour: 2, minute: 30), isAllDay: false,
            zone: .named("America/New_York"), rule)
        try tryStart(LocalDateTime(year: 1984, month: 12, day: 1), isAllDay: true, zone: nil, rule)
    } catch {
        precondition(error is RecurrenceError)
    }
}

/// The answers to the three questions must fit together.
private func tryStart(_ start: LocalDateTime, isAllDay: Bool, zone: Zone?, _ rule: RecurrenceRule) throws {
    let set = try OccurrenceSet(start: start, isAllDay: isAllDay, zone: zone, rule: rule)
    let end = LocalDateTime(secondsSinceEpoch: start.secondsSinceEpoch + 40 * 86_400)
    let found = try set.occurrences(from: start, to: end, limit: 50)
    if let first = found.first {
        let (next, isContained) = (try set.next(onOrAfter: start), try set.contains(first.local))
        precondition(next == first && isContained)
    }
    for (one, next) in zip(found, found.dropFirst()) {
        precondition((one.instant ?? one.local.secondsSinceEpoch) < (next.instant ?? next.local.secondsSinceEpoch))
    }
    _ = try set.next(onOrAfter: LocalDateTime(secondsSinceEpoch: start.secondsSinceEpoch + 86_400 * 20_000))
}
