import Foundation
import Recurrence

/// A line of the parity protocol: an event, and a window in local time without its end.
struct ExpandCase: Codable, Equatable {
    /// The longest line, in bytes.
    static let maximumLength = 4_000_000
    /// The most occurrences that a window may hold.
    static let maximumOccurrences = 100_000

    var id: String
    var dtstart: String
    var tzid: String?
    var rrule: String?
    var rdates: [String]?
    var exdates: [String]?
    var from: String
    var to: String

    var isAllDay: Bool { !dtstart.contains("T") }

    func answer() -> ExpandAnswer {
        do throws(RecurrenceError) {
            let (from, to) = (try time(from, "from"), try time(to, "to"))
            // An empty window holds nothing, whatever the rule.
            guard from < to else { return .occurrences(id: id, [], isAllDay: isAllDay, isZoned: tzid != nil) }
            let found = try set().occurrences(from: from, to: to, limit: Self.maximumOccurrences + 1)
            guard found.count <= Self.maximumOccurrences else {
                throw RecurrenceError(.limit, "the window holds more than \(Self.maximumOccurrences) occurrences")
            }
            return .occurrences(id: id, found, isAllDay: isAllDay, isZoned: tzid != nil)
        } catch {
            return .refused(id: id, code: error.code.rawValue, error.message)
        }
    }

    private func set() throws(RecurrenceError) -> OccurrenceSet {
        let start = try time(dtstart, "dtstart")
        var zone: Zone?
        if let tzid { zone = try Zone.named(tzid) }
        var rule: RecurrenceRule?
        if let rrule, !rrule.isEmpty { rule = try RecurrenceRule(parsing: rrule) }
        // The protocol holds floating times to the letter of RFC 5545 3.3.10; the library reads a stored date kindly.
        if case .date = rule?.end, !isAllDay, tzid == nil {
            throw RecurrenceError(.combination, "UNTIL: it must be a local time, as DTSTART is")
        }
        return try OccurrenceSet(
            start: start, isAllDay: isAllDay, zone: zone, rule: rule, additions: dates(rdates, "rdates"),
            exceptions: dates(exdates, "exdates"))
    }

    private func time(_ text: String, _ name: String) throws(RecurrenceError) -> LocalDateTime {
        guard let time = LocalDateTime(text) else { throw unreadable(text, name) }
        return time
    }

    private func dates(_ texts: [String]?, _ name: String) throws(RecurrenceError) -> [RecurrenceDate] {
        var dates: [RecurrenceDate] = []
        for text in texts ?? [] {
            guard let date = RecurrenceDate(text) else { throw unreadable(text, name) }
            dates.append(date)
        }
        return dates
    }

    private func unreadable(_ text: String, _ name: String) -> RecurrenceError {
        RecurrenceError(
            .value, "\(name): \"\(text.prefix(40))\" is not a local time such as 2026-01-02T03:04:05 or a date")
    }
}

/// The line that answers a case.
enum ExpandAnswer {
    case occurrences(id: String, [Occurrence], isAllDay: Bool, isZoned: Bool)
    case refused(id: String?, code: String, String)

    /// Whether there is an answer, and with how many occurrences.
    var isAnswered: Bool { if case .occurrences = self { true } else { false } }
    var count: Int { if case .occurrences(_, let found, _, _) = self { found.count } else { 0 } }

    /// Appends the answer and the end of the line.
    func write(to text: inout String) {
        switch self {
        case .occurrences(let id, let occurrences, let isAllDay, let isZoned):
            text += "{\"id\":\(jsonString(id)),\"occurrences\":["
            for (index, occurrence) in occurrences.enumerated() {
                text += index == 0 ? "\"" : ",\""
                text += isAllDay ? occurrence.local.dateDescription : occurrence.local.description
                text += "\""
            }
            text += "]"
            if isZoned, !isAllDay {
                text += ",\"utc\":["
                text += occurrences.compactMap(\.instant).map(String.init).joined(separator: ",")
                text += "]"
            }
            text += "}\n"
        case .refused(let id, let code, let message):
            text += "{\"id\":\(id.map(jsonString) ?? "null"),\"error\":{\"code\":\(jsonString(code)),"
            text += "\"message\":\(jsonString(message))}}\n"
        }
    }
}

/// A string as JSON writes it; of its own, since this file stands alone for the fuzzer.
func jsonString(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": quoted += "\\\""
        case "\\": quoted += "\\\\"
        case "\n": quoted += "\\n"
        case _ where scalar.value < 0x20:
            let hex = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
