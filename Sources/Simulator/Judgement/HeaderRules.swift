internal import Foundation

/// The rules of path and headers, each with Apple's status and reason.
///
/// Source: "Sending notification requests to APNs" and "Handling notification responses from APNs" (Apple).
enum HeaderRules {
    private static let pushTypes: Set<String> = [
        "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
        "pushtotalk", "voip", "widgets",
    ]

    /// Method and path, which come before everything else.
    static func checkTarget(_ push: PushRequest) throws(Rejection) {
        guard push[":method"] == "POST" else { throw Rejection(405, "MethodNotAllowed") }
        guard let token = push.token else { throw Rejection(404, "BadPath") }
        guard !token.isEmpty else { throw Rejection(400, "MissingDeviceToken") }
        guard push.duplicate == nil else { throw Rejection(400, "DuplicateHeaders") }
    }

    /// The `apns-` headers; `bundleIDs` are those that the provider token's key serves, nil for all.
    static func checkFields(_ push: PushRequest, allowed bundleIDs: Set<String>?) throws(Rejection) {
        guard let type = push["apns-push-type"], pushTypes.contains(type) else {
            throw Rejection(400, "InvalidPushType")
        }
        guard let topic = push["apns-topic"], let bundleID = push.bundleID, !topic.isEmpty else {
            throw Rejection(400, "MissingTopic")
        }
        guard isTopic(topic) else { throw Rejection(400, "BadTopic") }
        if let bundleIDs, !bundleIDs.contains(bundleID) { throw Rejection(400, "TopicDisallowed") }
        try checkPriority(push["apns-priority"], type: type)
        if let text = push["apns-expiration"], Int64(text).map({ $0 < 0 }) ?? true {
            throw Rejection(400, "BadExpirationDate")
        }
        if let id = push["apns-id"], !isCanonicalUUID(id) { throw Rejection(400, "BadMessageId") }
        if let id = push["apns-collapse-id"], id.isEmpty || id.utf8.count > 64 { throw Rejection(400, "BadCollapseId") }
    }

    static func checkSize(_ body: [UInt8]) throws(Rejection) {
        guard !body.isEmpty else { throw Rejection(400, "PayloadEmpty") }
        guard body.count <= 4096 else { throw Rejection(413, "PayloadTooLarge") }
    }

    /// A background push is never urgent, and a Live Activity has 5 and 10 alone.
    private static func checkPriority(_ text: String?, type: String) throws(Rejection) {
        let allowed: Set<String> =
            switch type {
            case "background": ["1", "5"]
            case "liveactivity": ["5", "10"]
            default: ["1", "5", "10"]
            }
        // Without the header the priority is 10.
        guard allowed.contains(text ?? "10") else { throw Rejection(400, "BadPriority") }
    }

    private static func isTopic(_ topic: String) -> Bool {
        topic.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
                || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
    }

    /// 8-4-4-4-12 hexadecimal digits; Apple's own answers use upper case and lower case.
    static func isCanonicalUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }
}
