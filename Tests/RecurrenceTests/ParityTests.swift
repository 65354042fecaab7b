import Foundation
import Testing

@testable import cuecard

/// The library against the independent client under `Parity/`, and clients that must be found out.
@Suite struct ParityTests {
    static let client = "node '\(URL(filePath: #filePath).deletingLastPathComponent().path)/Parity/client.mjs'"

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theIndependentClientAgrees(seed: UInt64) throws {
        let (status, text) = try run(Parity(client: Self.client, rules: 100, windows: 4, seed: seed))
        #expect(status == 0, "\(text)")
        #expect(text.hasSuffix("seed \(seed): no difference\n"))
    }

    @Test func aWrongClientIsShownWithTheSmallestCase() throws {
        // A client that takes the last of February for the first of March.
        let wrong = "\(Self.client) | sed 's/-02-29/-03-01/g'"
        let (status, text) = try run(Parity(client: wrong, rules: 60, windows: 4, seed: 1))
        #expect(status == 1)
        let lines = text.split(separator: "\n")
        try #require(lines.count == 5, "\(text)")
        #expect(lines[0].hasSuffix("the smallest case that does:"))
        let smallest = try JSONDecoder().decode(ExpandCase.self, from: Data(lines[1].utf8))
        // Nothing that the difference does not need: one rule part beside FREQ at most, a window of one day.
        #expect(smallest.rrule?.split(separator: ";").count ?? 0 <= 2, "\(text)")
        #expect(smallest.exdates == [] && smallest.rdates == [] && smallest.tzid == nil, "\(text)")
        #expect(lines[2].contains("-02-29") && lines[3].contains("-03-01"), "\(text)")
        #expect(lines[4] == "seed 1")
    }

    @Test(arguments: [
        ("false", "the client ended with status 1 before it answered case rule-0-1"),
        ("sh -c 'kill -9 $$'", "the client died of signal 9 before it answered case rule-0-1"),
        ("sleep 30", "the client hangs"),
        ("yes", "the client answers case rule-0-1 with nonsense: y"),
        ("cat", "the client answers case rule-0-1 with nonsense"),
        ("\(client) | head -n 5", "the client ended with status 0 before it answered case rule-1-3"),
    ])
    func aBrokenClientIsNamedAsSuch(command: String, message: String) throws {
        let (status, text) = try run(Parity(client: command, rules: 4, windows: 3, seed: 7, patience: .seconds(5)))
        #expect(status == 1)
        #expect(text.hasPrefix(message), "\(text)")
        #expect(text.hasSuffix("seed 7\n"))
    }

    @Test func argumentsAreRead() {
        let parity = Parity(arguments: ["--client", "node c.js", "--rules", "3", "--windows", "2", "--seed", "9"])
        #expect(parity?.client == "node c.js" && parity?.rules == 3 && parity?.windows == 2 && parity?.seed == 9)
        #expect(Parity(arguments: []) == nil)
        #expect(Parity(arguments: ["--client"]) == nil)
        #expect(Parity(arguments: ["--client", "c", "--rules", "none"]) == nil)
        #expect(Parity(arguments: ["--client", "c", "--colour", "red"]) == nil)
    }

    private func run(_ parity: Parity) throws -> (status: Int32, text: String) {
        let pipe = Pipe()
        let status = parity.run(output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        return (status, String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
}
