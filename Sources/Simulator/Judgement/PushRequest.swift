internal import Foundation
internal import LiveActivity

/// What a push does, as its payload or its type says.
public enum PushKind: String, Sendable, Hashable, CaseIterable {
    case start
    case update
    case end
    /// A background push.
    case wake
    /// An ordinary notification, or a payload that names no known event.
    case other
}

/// A request read as a push, before anybody judged it; every part may be missing or wrong.
struct PushRequest: Sendable {
    static let topicSuffix = ".push-type.liveactivity"

    let environment: APNsEnvironment
    let body: [UInt8]
    let payload: JSON?
    private let fields: [String: [String]]

    init(_ request: HTTPRequest) {
        environment = request.environment
        body = request.body
        payload = JSON(received: request.body)
        fields = Dictionary(grouping: request.headers, by: \.name).mapValues { $0.map(\.value) }
    }

    /// The first value of a header field; nil where it is absent.
    subscript(name: String) -> String? { fields[name]?.first }

    /// A header field of APNs that came more than once.
    var duplicate: String? {
        fields.first { ($0.key.hasPrefix("apns-") || $0.key == "authorization") && $0.value.count > 1 }?.key
    }

    /// The last component of `/3/device/<token>`; nil for another path, empty where there is no token.
    var token: String? {
        guard let path = self[":path"], path.hasPrefix("/3/device") else { return nil }
        let rest = path.dropFirst("/3/device".count)
        guard rest.isEmpty || rest.hasPrefix("/") else { return nil }
        return rest.dropFirst().lowercased()
    }

    var isLiveActivity: Bool { self["apns-push-type"] == "liveactivity" }

    /// The topic without the Live Activity suffix.
    var bundleID: String? {
        guard let topic = self["apns-topic"] else { return nil }
        return topic.hasSuffix(Self.topicSuffix) ? String(topic.dropLast(Self.topicSuffix.count)) : topic
    }

    var kind: PushKind {
        if self["apns-push-type"] == "background" { return .wake }
        let event = payload?["aps"]?["event"]?.string
        return ["start", "update", "end"].contains(event) ? PushKind(rawValue: event ?? "") ?? .other : .other
    }

    /// When APNs stops trying; nil where the header is absent.
    var expiration: Int64? { self["apns-expiration"].flatMap { Int64($0) } }
}
