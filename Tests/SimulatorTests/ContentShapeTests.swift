import LiveActivity
import Simulator
import Testing

/// What decodes into a Swift type, and what a phone drops.
@Suite struct ContentShapeTests {
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
        let value = try JSON(parsing: text)
        #expect(shape.decodes(value) == decodes)
    }
}
