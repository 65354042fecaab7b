import Foundation

/// The body of `POST /tick`: nothing, or a JSON object that may hold `now` and nothing else.
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
        guard content.unknown.isEmpty else {
            let names = content.unknown.sorted().prefix(3).map { "\"\($0.prefix(40))\"" }.joined(separator: ", ")
            throw Refusal(
                code: "unknown_field", message: "the body holds \(names), which /tick does not know",
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
        var unknown: [String]

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: Field.self)
            let time = Field(stringValue: "now")
            now = fields.contains(time) ? try fields.decode(String.self, forKey: time) : nil
            unknown = fields.allKeys.map(\.stringValue).filter { $0 != "now" }
        }
    }

    private struct Field: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
