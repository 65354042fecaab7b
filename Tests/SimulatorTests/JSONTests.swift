import Simulator
import Testing

/// The simulator's own reading of JSON, and of what decodes into a Swift type.
@Suite struct JSONTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", .boolean(true)), ("false", .boolean(false)), ("0", .integer(0)),
            ("-12", .integer(-12)), ("1780000000", .integer(1_780_000_000)), ("1.5", .number(1.5)),
            ("1e3", .number(1000)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            (#""a\"\\\/\n\u00e9""#, .string("a\"\\/\né")), (#""\ud83d\ude00""#, .string("😀")), (#""한""#, .string("한")),
            ("[]", .array([])), ("[1,[2]]", .array([.integer(1), .array([.integer(2)])])), ("{}", .object([:])),
            (#"{"a":1,"b":{"c":null}}"#, .object(["a": .integer(1), "b": .object(["c": .null])])),
        ] as [(String, ReceivedJSON)]) func reads(text: String, value: ReceivedJSON)
    {
        #expect(ReceivedJSON(text.utf8) == value)
    }

    @Test(arguments: [
        "", " ", "nul", "01", "1.", ".5", "+1", "1e", "--1", "\"a", "\"\u{1}\"", #""\x""#, #""\u12g4""#,
        #""\ud83d""#, #""\ude00""#, "[1,]", "[1 2]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "{} {}", "1 2",
        String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
    ]) func refuses(text: String) {
        #expect(ReceivedJSON(text.utf8) == nil)
    }

    @Test func refusesBrokenUTF8() {
        #expect(ReceivedJSON([0x22, 0xFF, 0x22]) == nil)
    }

    @Test(
        arguments: [
            (.string, "\"a\"", true), (.string, "1", false), (.integer, "5", true), (.integer, "5.0", true),
            (.integer, "5.5", false), (.number, "5.5", true), (.number, "\"5\"", false), (.date, "721692800", true),
            (.date, "\"2023-11-14T22:13:20Z\"", false), (.date, "null", false), (.boolean, "true", true),
            (.boolean, "1", false), (.any, "[1]", true), (.array(.integer), "[1,2]", true),
            (.array(.integer), "[1,\"2\"]", false), (.optional(.string), "null", true),
            (.optional(.string), "1", false),
            (.object(["a": .string]), #"{"a":"b","more":1}"#, true), (.object(["a": .string]), #"{"A":"b"}"#, false),
            (.object(["a": .optional(.string)]), "{}", true), (.object([:]), "[]", false),
        ] as [(ContentShape, String, Bool)]) func decodesAsSwiftDoes(shape: ContentShape, text: String, decodes: Bool)
        throws
    {
        let value = try #require(ReceivedJSON(text.utf8))
        #expect(shape.decodes(value) == decodes)
    }
}
