import Foundation
import Testing

@testable import cuecard

/// The library against the independent client under `Parity/`, and clients that must be found out.
@Suite struct ParityTests {
    static let client = "node '\(URL(filePath: #filePath).deletingLastPathComponent().path)/Parity/client.mjs'"

    @Test(arguments: [1, 2, 3] as [UInt64])
    func theIndependentClientAgrees(seed: UInt64) throws {
        let (code, text) = try run(Parity(client: Self.client, rules: 100, windows: 4, seed: seed))
        #expect(code == .done, "\(text)")
        #expect(text.hasSuffix("seed \(seed): no difference\n"))
    }

    /// The client is a line of shell, whatever is in it.
    @Test(arguments: [
        "CUECARD_X=1 \(client)", "cd /tmp && \(client)", "cat | \(client)", "{ \(client); }", "\(client) | sed G",
    ])
    func aClientIsALineOfShell(client: String) throws {
        let (code, text) = try run(Parity(client: client, rules: 4, windows: 2, seed: 1))
        #expect(code == .done, "\(text)")
    }

    @Test func aWrongClientIsShownWithTheSmallestCase() throws {
        // A client that takes the last of February for the first of March.
        let wrong = "\(Self.client) | sed 's/-02-29/-03-01/g'"
        let (code, text) = try run(Parity(client: wrong, rules: 60, windows: 4, seed: 1))
        #expect(code == .findings)
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
        ("exec 1>&-; sleep 30", "the client closed its output and hangs"),
        ("\(client); echo more", "the client says more than it was asked: more"),
        ("\(client) | head -n 5", "the client ended with status 0 before it answered case rule-1-3"),
    ])
    func aBrokenClientIsNamedAsSuch(command: String, message: String) throws {
        let (code, text) = try run(Parity(client: command, rules: 4, windows: 3, seed: 7, patience: .seconds(5)))
        #expect(code == .findings)
        #expect(text.hasPrefix(message), "\(text)")
        #expect(text.hasSuffix("seed 7\n"))
    }

    @Test(arguments: [
        ([], "--client is missing"), (["--client"], "--client needs a value"), (["--client="], "--client is missing"),
        (["--client", "c", "--rules", "none"], "--rules \"none\""),
        (["--client", "c", "--windows=0"], "--windows \"0\""),
        (["--client", "c", "--seed", "-1"], "--seed \"-1\""), (["--client", "c", "--colour", "red"], "--colour"),
    ])
    func aWrongOptionIsNamed(words: [String], message: String) throws {
        let failure = try #require(throws: Failure.self) { try Command.parity(words) }
        #expect(failure.code == .usage)
        #expect(failure.message.contains(message), "\(failure.message)")
    }

    private func run(_ parity: Parity) throws -> (code: ExitCode, text: String) {
        let pipe = Pipe()
        let code = parity.run(output: pipe.fileHandleForWriting)
        try pipe.fileHandleForWriting.close()
        return (code, String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self))
    }
}
