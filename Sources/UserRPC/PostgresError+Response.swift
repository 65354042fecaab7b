import HTTPEndpoint
import PostgresStore

extension PostgresError {
    /// As PostgREST answers it (its page "Errors", table "HTTP Status Codes"), for a caller who is signed in.
    var response: RPCResponse {
        switch self {
        case .refused(let refusal):
            .error(
                Self.status(refusal.code), code: refusal.code, message: refusal.message, details: refusal.detail,
                hint: refusal.hint)
        case .unreachable, .malformedURL:
            // What libpq says names hosts and users.
            .error(503, code: "PGRST000", message: "the database cannot be reached", hint: "Try again in a minute.")
        case .timedOut:
            .error(504, code: "PGRST003", message: "the database gave no answer in time", hint: "Try again.")
        case .unreadable:
            .error(500, code: "XX000", message: "the database's answer cannot be read")
        }
    }

    private static func status(_ code: String) -> Int {
        switch code {
        case "23503", "23505": 409
        case "25006": 405
        case "42501": 403
        case "42883", "42P01": 404
        case "42P17": 500
        case "53400": 500
        case "57P01": 503
        case "P0001": 400
        default: status(class: code.prefix(2))
        }
    }

    private static func status(class name: Substring) -> Int {
        switch name {
        case "08", "53": 503
        case "0L", "0P", "28": 403
        case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX": 500
        default: 400
        }
    }
}
