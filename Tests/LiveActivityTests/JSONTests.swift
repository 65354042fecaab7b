import Foundation
import LiveActivity
import Testing

@Suite struct JSONTests {
    private static let readings: [(String, JSON)] = [
        ("null", .null), ("true", .bool(true)), ("false", .bool(false)), ("0", .int(0)), ("-7", .int(-7)),
        ("1.0", .int(1)), ("1e2", .int(100)), ("1.5", .double(1.5)), ("9223372036854775807", .int(.max)),
        ("-9223372036854775808", .int(.min)), ("9223372036854775808", .double(9_223_372_036_854_775_808)),
        (#""""#, .string("")), (#""\/\u00e9\n""#, .string("/é\n")), (#""\ud83d\ude00""#, .string("😀")),
        ("[]", .array([])), ("{}", .object([:])),
        (
            #" [1, "a", [null, {"b": [false]}]] "#,
            .array([.int(1), .string("a"), .array([.null, .object(["b": .array([.bool(false)])])])])
        ),
    ]

    @Test(arguments: readings)
    func reads(_ text: String, _ value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
        #expect(try JSON(parsing: Array(text.utf8)) == value)
    }

    @Test(arguments: ["", "nul", "{", #"{"a" 1}"#, "1e400", #""\ud800""#, #"{"a": [1e400]}"#, "1 2"])
    func refuses(_ text: String) {
        #expect(throws: DecodingError.self) { try JSON(parsing: text) }
    }

    @Test func refusesWhatIsNotUTF8() {
        #expect(throws: DecodingError.self) { try JSON(parsing: [0x22, 0xFF, 0x22]) }
    }

    private static let writings: [(JSON, String)] = [
        (.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"), (.double(1.5), "1.5"),
        (.double(1e21), "1e+21"), (.double(.nan), "null"), (.double(-.infinity), "null"),
        (.string("a/b"), #""a/b""#),
        (
            .string("\"\\\u{8}\t\n\u{C}\r\u{1}\u{1F}\u{7F}"),
            #""\"\\\b\t\n\f\r\u0001\u001f"# + "\u{7F}\""
        ),
        (.string("일정 é 👨‍👩‍👧 \u{2028}"), "\"일정 é 👨‍👩‍👧 \u{2028}\""),
        (.array([]), "[]"), (.array([.int(1), .string("a"), .null]), #"[1,"a",null]"#), (.object([:]), "{}"),
        (
            .object(["b": 1, "a": ["z": true, "Z": 2.5], "é": 3, "aa": 4]),
            #"{"a":{"Z":2.5,"z":true},"aa":4,"b":1,"é":3}"#
        ),
    ]

    @Test(arguments: writings)
    func writes(_ value: JSON, _ expected: String) {
        #expect(text(value.bytes) == expected)
        #expect(value.description == expected)
    }

    @Test func codableReadsAndWritesPlainJSON() throws {
        struct Row: Codable { var details: JSON }
        let row = try JSONDecoder().decode(Row.self, from: Data(#"{"details":{"a":[1,2.5,"x",null,true]}}"#.utf8))
        #expect(row.details == ["a": [1, 2.5, "x", .null, true]])
        #expect(
            try String(decoding: JSONEncoder().encode(row), as: UTF8.self)
                == #"{"details":{"a":[1,2.5,"x",null,true]}}"#)
    }

    @Test func deepTextIsReadOrRefusedAndNeverCrashes() throws {
        let nested = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try JSON(parsing: nested).description == nested)
        #expect(throws: DecodingError.self) { try JSON(parsing: String(repeating: "[", count: 100_000)) }
    }

    @Test func subscripts() {
        let value: JSON = ["a": [10, 20]]
        #expect(value["a"]?[1] == 20)
        #expect(value["b"] == nil)
        #expect(value["a"]?[2] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value["a"]?["x"] == nil)
    }
}
