import Foundation
import LiveActivity

@testable import Simulator

extension APNsSimulator {
    /// The simulator's judgement of a push without the network between, with the verdict that the sender's HTTP/2
    /// client would come to.
    func judge(_ push: Push, bearer: String) -> PushOutcome {
        var headers = [
            HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
            HeaderField(":path", "/3/device/\(push.token.hex)"),
            HeaderField("authorization", "bearer \(bearer)"), HeaderField("apns-push-type", push.pushType),
            HeaderField("apns-topic", push.topic), HeaderField("apns-priority", "\(push.priority)"),
            HeaderField("apns-expiration", "\(push.expiration)"),
            HeaderField("apns-id", push.id.uuidString.lowercased()),
        ]
        if let id = push.collapseID { headers.append(HeaderField("apns-collapse-id", id)) }
        let request = HTTPRequest(
            environment: push.environment, connection: 1, stream: 1, headers: headers, body: push.payload,
            isAfterGoAway: false)
        let reaction = state.access { $0.receive(request) }
        switch reaction.deed {
        case .respond(let response), .goAway(_, .some(let response)): return PushOutcome(response)
        case .goAway(_, nil): return .failed(.notProcessed("GOAWAY below its stream"))
        case .reset(code: 7): return .failed(.notProcessed("a refused stream"))
        case .reset: return .failed(.unknown("a reset stream"))
        case .silence: return .failed(.unknown("no answer in time"))
        case .close: return .failed(.unknown("the connection was closed"))
        }
    }
}

extension PushOutcome {
    fileprivate init(_ response: HTTPResponse) {
        guard response.status != 200 else {
            self = .accepted
            return
        }
        let body = JSON(received: response.body)
        let retry = response.headers.first { $0.name == "retry-after" }.flatMap { Int($0.value) }
        let since = body?["timestamp"]?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        self = .rejected(
            Rejection(status: response.status, reason: body?["reason"]?.string ?? "", since: since, retryAfter: retry))
    }
}
