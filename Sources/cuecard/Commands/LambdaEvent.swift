import Foundation
import LiveActivity

/// What an invocation brings: EventBridge's own words, which mean nothing here, or a test's `{"now": T}`.
enum LambdaEvent {
    /// Why an event is not played.
    struct Refusal: Error, CustomStringConvertible {
        var description: String
    }

    /// The moment that a test asks for; nil means the present.
    static func moment(in event: [UInt8], takesTestClock: Bool) throws -> Date? {
        guard let now = json(event)?["now"] else { return nil }
        guard takesTestClock else {
            throw Refusal(description: "now is taken only by `cuecard lambda --test-clock`; leave it out of the event")
        }
        guard let date = now.string.flatMap(Date.init(rfc3339:)) else {
            throw Refusal(description: "now is not an RFC 3339 time; write it like 2026-03-01T09:00:00Z")
        }
        return date
    }

    /// Nil where it is no JSON: a caller may send anything, and it asks for a tick all the same.
    private static func json(_ bytes: [UInt8]) -> JSON? {
        do { return try JSON(parsing: String(decoding: bytes, as: UTF8.self)) } catch { return nil }
    }
}
