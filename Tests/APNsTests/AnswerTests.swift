import Foundation
import LiveActivity
import Testing

@testable import APNs

@Suite("Answers of APNs") struct AnswerTests {
    private func outcome(_ status: Int, _ body: String, retryAfter: Int? = nil) -> PushOutcome {
        var answer = Answer(status: status, retryAfter: retryAfter)
        Array(body.utf8).withUnsafeBufferPointer { answer.take($0) }
        return answer.outcome
    }

    @Test("FR-48: the timestamp of a 410 is in milliseconds")
    func timestamp() {
        let since = Date(timeIntervalSince1970: 1_700_000_000.5)
        #expect(
            outcome(410, #"{"reason":"Unregistered","timestamp":1700000000500}"#)
                == .rejected(.init(status: 410, reason: "Unregistered", since: since)))
        #expect(outcome(410, #"{"reason":"ExpiredToken"}"#) == .rejected(.init(status: 410, reason: "ExpiredToken")))
    }

    @Test(
        "An odd body never hides the status",
        arguments: [
            "", "{", "[]", "null", "oops", #"{"reason":7}"#, #"{"reason":null}"#, #"{"timestamp":1e300}"#,
            #"{"timestamp":-1}"#, "\u{0}", "<html></html>",
        ])
    func oddBodies(_ body: String) {
        #expect(outcome(503, body) == .rejected(.init(status: 503, reason: "")))
        #expect(outcome(410, body) == .rejected(.init(status: 410, reason: "")))
    }

    @Test("A body beyond every measure is cut, and the status stays")
    func endlessBody() {
        var answer = Answer(status: 400)
        let chunk = [UInt8](repeating: 0x20, count: 10_000)
        for _ in 0..<10 { chunk.withUnsafeBufferPointer { answer.take($0) } }
        #expect(answer.body.count == Answer.longestBody)
        #expect(answer.outcome == .rejected(.init(status: 400, reason: "")))
    }

    @Test("A long error body is read whole")
    func longBody() {
        let filler = String(repeating: "x", count: 5000)
        #expect(
            outcome(400, #"{"filler":"\#(filler)","reason":"BadTopic"}"#, retryAfter: 3)
                == .rejected(.init(status: 400, reason: "BadTopic", retryAfter: 3)))
    }

    static let meanings: [(Int, String, RejectionReason)] = [
        (400, "BadDeviceToken", .tokenOrEnvironmentWrong), (400, "DeviceTokenNotForTopic", .topicMismatch),
        (400, "TopicDisallowed", .credential), (400, "IdleTimeout", .connection), (400, "BadPriority", .ourBug),
        (400, "SomethingNew", .ourBug), (403, "ExpiredProviderToken", .providerTokenExpired),
        (403, "InvalidProviderToken", .credential), (403, "UnrelatedKeyIdInToken", .connection),
        (403, "BadEnvironmentKeyIdInToken", .credential), (403, "BadEnvironmentKeyInToken", .credential),
        (403, "SomethingNew", .credential), (403, "", .credential), (404, "BadPath", .ourBug),
        (405, "MethodNotAllowed", .ourBug), (410, "Unregistered", .tokenDead), (410, "ExpiredToken", .tokenDead),
        (410, "", .tokenDead), (413, "PayloadTooLarge", .tooLarge), (413, "", .tooLarge),
        (429, "TooManyProviderTokenUpdates", .tooManyProviderTokenUpdates), (429, "TooManyRequests", .tooManyRequests),
        (429, "", .tooManyRequests), (500, "InternalServerError", .server), (503, "ServiceUnavailable", .server),
        (503, "Shutdown", .connection), (599, "", .server),
    ]

    @Test("FR-46, FR-51: every answer has a meaning, the unknown ones by their status", arguments: meanings)
    func meaning(status: Int, reason: String, expected: RejectionReason) {
        #expect(PushOutcome.Rejection(status: status, reason: reason).meaning == expected)
    }
}
