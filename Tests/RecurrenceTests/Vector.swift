import Foundation
import Recurrence
import Testing

/// One line of a vector file: a rule, a window, and what it must give. `Vectors/README.md` tells the format.
struct Vector: Decodable {
    let id: String
    let dtstart: String
    let tzid: String?
    let rrule: String
    let rdates: [String]
    let exdates: [String]
    let from: String
    let to: String
    let expect: [String]?
    let expect_utc: [Int64]?
    let expect_error: Bool?

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")

    static func all(_ file: String) throws -> [Vector] {
        try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Vector.self, from: Data($0.utf8))
        }
    }

    var isAllDay: Bool { !dtstart.contains("T") }

    func set() throws -> OccurrenceSet {
        try OccurrenceSet(
            start: #require(LocalDateTime(dtstart)), isAllDay: isAllDay, zone: tzid.map { try Zone.named($0) },
            rule: RecurrenceRule(parsing: rrule), additions: rdates.map { try #require(RecurrenceDate($0)) },
            exceptions: exdates.map { try #require(RecurrenceDate($0)) })
    }

    func occurrences() throws -> [Occurrence] {
        let (from, to) = (try #require(LocalDateTime(from)), try #require(LocalDateTime(to)))
        return from < to ? try set().occurrences(from: from, to: to, limit: 1_000_000) : []
    }

    func text(_ occurrence: Occurrence) -> String {
        isAllDay ? occurrence.local.dateDescription : occurrence.local.description
    }
}
