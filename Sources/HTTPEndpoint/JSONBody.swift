import Foundation

extension Response {
    /// Whatever can be encoded, as JSON with sorted keys.
    static func json(_ status: Int, _ value: some Encodable, headers: [String: String] = [:]) -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let body = try encoder.encode(value)
            return Response(
                status: status, headers: headers.merging(["content-type": "application/json"]) { $1 }, body: Array(body)
            )
        } catch {
            // Only strings and flags are ever encoded here, which cannot fail.
            return Response(status: 500, headers: headers)
        }
    }

    /// The one form of an error: a code for programs, a message and a hint for people.
    static func error(
        _ status: Int, _ code: String, _ message: String, hint: String, headers: [String: String] = [:]
    ) -> Response {
        var response = json(status, ErrorBody(code: code, message: message, hint: hint), headers: headers)
        response.refusal = code
        return response
    }
}

private struct ErrorBody: Encodable {
    var code: String
    var message: String
    var hint: String
}
