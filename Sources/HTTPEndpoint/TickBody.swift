import Foundation

/// The body of `POST /tick`: nothing, or a JSON object, in which only `now` means something.
enum TickBody {
    struct Refusal: Error, Equatable {
        var code: String
        var message: String
        var hint: String
    }

    static func read(_ body: [UInt8], takesTestClock: Bool) throws(Refusal) -> TickRequest {
        guard !body.isEmpty else { return TickRequest() }
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: Data(body))
        } catch {
            throw Refusal(
                code: "malformed_body", message: "the body is no JSON object, or its now is no text",
                hint: "send {} or nothing")
        }
        guard content.now == nil || takesTestClock else {
            throw Refusal(
                code: "no_test_clock", message: "now is taken only by cuecard serve --test-clock",
                hint: "leave now out; a tick plays the present minute")
        }
        return TickRequest(now: content.now)
    }

    private struct Content: Decodable {
        var now: String?
    }
}
