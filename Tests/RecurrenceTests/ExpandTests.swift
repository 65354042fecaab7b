import Foundation
import Testing

@testable import cuecard

@Suite struct ExpandTests {
    @Test func aBadLineGivesAnErrorLineAndTheRestGoesOn() throws {
        let input = """
            {"id":"a","dtstart":"2026-03-06T02:30:00","tzid":"America/New_York","rrule":"FREQ=DAILY","from":"2026-03-08T00:00:00","to":"2026-03-09T00:00:00"}
            {"id":"b","dtstart":"2026-01-01","tzid":null,"rrule":"FREQ=WEEKLY;BYDAY=MO,XX","rdates":[],"exdates":[],"from":"2026-01-01","to":"2026-02-01"}
            {"id":"c \\"\\u0001","dtstart":"2026-01-01","tzid":null,"rrule":null,"rdates":["2026-01-03"],"exdates":[],"from":"2026-01-01","to":"2026-02-01"}

            """
        let (isReadable, text) = try run(input)
        #expect(isReadable)
        #expect(
            text == """
                {"id":"a","occurrences":["2026-03-08T03:30:00"],"utc":[1772955000]}
                {"id":"b","error":{"code":"value","message":"BYDAY: \\"XX\\" is not a weekday (at character 22)"}}
                {"id":"c \\"\\u0001","occurrences":["2026-01-01","2026-01-03"]}

                """)
    }

    @Test(arguments: [
        "nonsense", "[]", #"{"id":1,"dtstart":"2026-01-01","from":"2026-01-01","to":"2026-01-02"}"#,
    ])
    func aLineThatIsNoCaseAnswers65(line: String) throws {
        let (isReadable, text) = try run("\(line)\n")
        #expect(!isReadable)
        #expect(text.hasPrefix(#"{"id":null,"error":{"code":"json","message":"#))
    }

    @Test(arguments: [#"{"id":"x"}"#, #"{"id":"x","dtstart":"2026-01-01","from":1}"#, #"{"rdates":"x","id":"x"}"#])
    func anIncompleteCaseKeepsItsID(line: String) throws {
        let (isReadable, text) = try run("\(line)\n")
        #expect(!isReadable)
        #expect(text.hasPrefix(#"{"id":"x","error":{"code":"json","message":"#))
    }

    @Test func anEmptyRuleIsNone() throws {
        let (isReadable, text) = try run(
            #"{"id":"a","dtstart":"2026-01-01","rrule":"","from":"2026-01-01","to":"2026-01-09"}"#)
        #expect(isReadable)
        #expect(text == #"{"id":"a","occurrences":["2026-01-01"]}"# + "\n")
    }

    /// A bound inside a gap is compared with what the clock shows, as every other bound is.
    @Test(arguments: [
        ("03:00:00", "2026-03-08T02:30:00", "2026-03-09T00:00:00", #""2026-03-08T03:00:00""#),
        ("03:00:00", "2026-03-08T00:00:00", "2026-03-08T02:30:00", ""),
        ("02:15:00", "2026-03-08T02:30:00", "2026-03-09T00:00:00", #""2026-03-08T03:15:00""#),
        ("02:15:00", "2026-03-08T00:00:00", "2026-03-08T02:59:59", ""),
        ("02:15:00", "2026-03-08T03:15:00", "2026-03-08T03:15:01", #""2026-03-08T03:15:00""#),
        ("02:15:00", "2026-03-08T03:15:01", "2026-03-09T00:00:00", ""),
    ])
    func aWindowMayEndInAGap(start: String, from: String, to: String, expected: String) throws {
        let (isReadable, text) = try run(
            #"{"id":"a","dtstart":"2026-03-01T\#(start)","tzid":"America/New_York","rrule":"FREQ=DAILY","from":"\#(from)","to":"\#(to)"}"#
        )
        #expect(isReadable)
        #expect(text.contains("\"occurrences\":[\(expected)]"), "\(text)")
    }

    @Test func theLastLineNeedsNoEnd() throws {
        let (isReadable, text) = try run(#"{"id":"a","dtstart":"2026-01-01","from":"2026-01-01","to":"2026-01-02"}"#)
        #expect(isReadable)
        #expect(text == #"{"id":"a","occurrences":["2026-01-01"]}"# + "\n")
        #expect(try run("") == (true, ""))
    }

    @Test(arguments: [
        (#""dtstart":"2026-01-32","tzid":null"#, "value"),
        (#""dtstart":"2026-01-01T00:00:00","tzid":"Mars/Olympus""#, "zone"),
        (#""dtstart":"2026-01-01","tzid":null,"exdates":["soon"]"#, "value"),
        (#""dtstart":"2026-01-01T00:00:00","tzid":null,"rrule":"FREQ=SECONDLY""#, "limit"),
        (#""dtstart":"2026-01-01T00:00:00","tzid":null,"rrule":"FREQ=DAILY;UNTIL=20260105""#, "combination"),
    ])
    func aRefusalHasAStableCode(fields: String, code: String) throws {
        let (isReadable, text) = try run(#"{"id":"a",\#(fields),"from":"2026-01-01","to":"2026-03-01"}"# + "\n")
        #expect(isReadable)
        #expect(text.contains(#""error":{"code":"\#(code)""#), "\(text)")
    }

    @Test func anAnswerDoesNotWaitForTheEndOfTheInput() throws {
        let (input, output) = (Pipe(), Pipe())
        let thread = Thread {
            _ = expand(input: input.fileHandleForReading, output: output.fileHandleForWriting)
            output.fileHandleForWriting.closeFile()
        }
        thread.start()
        let line = #"{"id":"a","dtstart":"2026-01-01","from":"2026-01-01","to":"2026-01-02"}"# + "\n"
        try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        #expect(
            output.fileHandleForReading.availableData == Data("{\"id\":\"a\",\"occurrences\":[\"2026-01-01\"]}\n".utf8))
        try input.fileHandleForWriting.close()
        #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
    }

    private func run(_ text: String) throws -> (isReadable: Bool, text: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "in"), folder.appending(path: "out"))
        try text.write(to: input, atomically: false, encoding: .utf8)
        try Data().write(to: output)
        let isReadable = expand(
            input: try FileHandle(forReadingFrom: input), output: try FileHandle(forWritingTo: output))
        return (isReadable, try String(contentsOf: output, encoding: .utf8))
    }
}
