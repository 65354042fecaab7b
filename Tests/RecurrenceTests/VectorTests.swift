import Foundation
import Testing

@testable import cuecard

/// Every published vector through `cuecard expand`; `Vectors/README.md` tells the format.
@Suite struct VectorTests {
    /// What a vector says beside its case.
    private struct Expectation: Decodable {
        let expect: [String]?
        let utc: [Int64]?
        let isError: Bool?

        enum CodingKeys: String, CodingKey {
            case expect
            case utc = "expect_utc"
            case isError = "expect_error"
        }
    }

    private struct Answer: Decodable {
        let id: String
        let occurrences: [String]?
        let utc: [Int64]?
        let error: [String: String]?
    }

    @Test(arguments: [("recurrence.jsonl", 948), ("recurrence-random.jsonl", 988), ("lunar-yearly.jsonl", 261)])
    func everyLineAgrees(file: String, count: Int) throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
        let lines = try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n")
        #expect(lines.count == count)
        for line in lines {
            let expectation = try JSONDecoder().decode(Expectation.self, from: Data(line.utf8))
            var text = ""
            expand(line: Data(line.utf8)).answer.write(to: &text)
            let answer = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
            #expect(line.contains("\"id\": \"\(answer.id)\"") || line.contains("\"id\":\"\(answer.id)\""))
            #expect((answer.error != nil) == (expectation.isError == true), "\(line)")
            #expect(answer.occurrences == expectation.expect, "\(line)")
            #expect(answer.utc == expectation.utc, "\(line)")
        }
        print("\(file): \(lines.count) lines agree with expand")
    }
}
