import Foundation
import HTTPClient
import LiveActivity

/// What Expo's service answers, as far as it is read.
struct ExpoAnswer<Content: Decodable>: Decodable {
    var data: Content?
    var errors: [ExpoRefusal]?
}

/// A ticket, or a receipt.
struct ExpoTicket: Decodable, Sendable {
    var status: String
    var id: String?
    var message: String?
    var details: Details?

    struct Details: Decodable, Sendable {
        var error: String?
    }

    /// The refusal that it holds, or nil where it is `ok`.
    var rejection: ExpoRejection? {
        status == "ok"
            ? nil : ExpoRejection(code: details?.error ?? "unspecified", message: message ?? "", status: 200)
    }
}

/// The refusal of a whole request.
struct ExpoRefusal: Decodable {
    var code: String?
    var message: String?
    /// Of `PUSH_TOO_MANY_EXPERIENCE_IDS`: the tokens of each project.
    var details: [String: [String]]?

    private enum Key: CodingKey { case code, message, details }

    init(from decoder: any Decoder) throws {
        let refusal = try decoder.container(keyedBy: Key.self)
        code = try refusal.decodeIfPresent(String.self, forKey: .code)
        message = try refusal.decodeIfPresent(String.self, forKey: .message)
        // Other refusals have details of other shapes, which must not hide the code.
        do {
            details = try refusal.decodeIfPresent([String: [String]].self, forKey: .details)
        } catch is DecodingError {
            details = nil
        }
    }
}

/// Why a call tells nothing of its single messages.
enum CallFailure: Error {
    case unsent(PushOutcome.Failure)
    case refused(ExpoRejection, projects: [String: [String]])
    /// A 2xx with a body that cannot be read: Expo may well have taken it all.
    case unreadable

    /// For people.
    var reason: String {
        switch self {
        case .unsent(.notProcessed(let reason)), .unsent(.unknown(let reason)): reason
        case .refused(let rejection, _): "\(rejection.code) \(rejection.message)"
        case .unreadable: "Expo's answer cannot be read"
        }
    }
}

extension HTTPCall.Answer {
    /// The answer's content; a refusal keeps its status, however little of its body can be read.
    func content<Content: Decodable>(_ type: Content.Type) -> Result<Content, CallFailure> {
        let isGood = (200..<300).contains(status)
        let read: ExpoAnswer<Content>?
        do {
            read = try JSONDecoder().decode(ExpoAnswer<Content>.self, from: Data(body))
        } catch {
            read = nil
        }
        if let refusal = read?.errors?.first {
            let code = refusal.code ?? "HTTP \(status)"
            let rejection = ExpoRejection(code: code, message: refusal.message ?? "", status: status)
            return .failure(.refused(rejection, projects: refusal.details ?? [:]))
        }
        guard isGood else {
            return .failure(.refused(ExpoRejection(code: "HTTP \(status)", message: "", status: status), projects: [:]))
        }
        return read?.data.map { .success($0) } ?? .failure(.unreadable)
    }
}
