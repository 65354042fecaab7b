import Foundation
import LiveActivity
import Simulator

/// A request to APNs that is right in every part until a test spoils one.
struct Draft {
    var method = "POST"
    var path: String
    var fields: [HeaderField]
    var body: String

    init(
        token: String, authorization: String?, type: String = "liveactivity",
        topic: String = "app.example.push-type.liveactivity", priority: String = "10", body: String
    ) {
        path = "/3/device/\(token)"
        fields = [
            HeaderField("apns-push-type", type), HeaderField("apns-topic", topic),
            HeaderField("apns-priority", priority),
            HeaderField("apns-expiration", String(Int(Date().timeIntervalSince1970) + 3600)),
            HeaderField("apns-id", UUID().uuidString.lowercased()),
        ]
        if let authorization { fields.append(HeaderField("authorization", "bearer \(authorization)")) }
        self.body = body
    }

    /// Replaces a header field; nil removes it.
    func with(_ name: String, _ value: String?) -> Draft {
        var copy = self
        copy.fields.removeAll { $0.name == name }
        if let value { copy.fields.append(HeaderField(name, value)) }
        return copy
    }

    func with(body: String) -> Draft {
        var copy = self
        copy.body = body
        return copy
    }

    var request: HTTP2Client.Request {
        let pseudo = [
            HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", "localhost"),
            HeaderField(":path", path),
        ]
        return HTTP2Client.Request(fields: pseudo + fields, body: Array(body.utf8))
    }
}

/// Payloads as text, with one part left open.
enum Payload {
    static let now = Int(Date().timeIntervalSince1970)

    static func start(
        timestamp: String = "\(now)", alert: String? = #"{"title":"Soon","body":"At nine","sound":"default"}"#,
        type: String? = "\"EventAttributes\"", attributes: String? = #"{"runId":"run-1","eventId":"event-1"}"#,
        state: String? = #"{"title":"Walk","startsAt":800000000,"endsAt":800003600}"#, more: String = ""
    ) -> String {
        let parts = [
            "\"event\":\"start\"", "\"timestamp\":\(timestamp)", alert.map { "\"alert\":\($0)" },
            type.map { "\"attributes-type\":\($0)" }, attributes.map { "\"attributes\":\($0)" },
            state.map { "\"content-state\":\($0)" },
        ]
        return #"{"aps":{\#(parts.compactMap(\.self).joined(separator: ","))\#(more)}}"#
    }

    static func update(
        _ event: String = "update", timestamp: String = "\(now)",
        state: String? = #"{"title":"Walk","startsAt":800000000,"endsAt":800003600}"#, more: String = ""
    ) -> String {
        let content = state.map { ",\"content-state\":\($0)" } ?? ""
        return #"{"aps":{"event":"\#(event)","timestamp":\#(timestamp)\#(content)\#(more)}}"#
    }

    static let wake = #"{"aps":{"content-available":1}}"#
}
