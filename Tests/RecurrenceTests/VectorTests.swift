import Foundation
import Recurrence
import Testing

@Suite struct VectorTests {
    @Test(arguments: [("recurrence.jsonl", 948), ("recurrence-random.jsonl", 988), ("lunar-yearly.jsonl", 261)])
    func everyLineAgrees(file: String, lines: Int) throws {
        let vectors = try Vector.all(file)
        #expect(vectors.count == lines)
        for vector in vectors {
            if vector.expect_error == true {
                #expect(throws: RecurrenceError.self, "\(vector.id) \(vector.rrule)") { try vector.occurrences() }
                continue
            }
            do {
                let occurrences = try vector.occurrences()
                #expect(occurrences.map(vector.text) == vector.expect, "\(vector.id) \(vector.dtstart) \(vector.tzid ?? "") \(vector.rrule)")
                if let instants = vector.expect_utc {
                    #expect(occurrences.map(\.instant) == instants, "\(vector.id) \(vector.rrule)")
                }
            } catch {
                Issue.record(error, "\(vector.id) \(vector.rrule)")
            }
        }
    }
}
