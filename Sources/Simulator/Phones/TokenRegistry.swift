internal import Foundation
internal import LiveActivity

/// All push tokens that APNs ever issued, per environment: whose they are, and since when they are dead.
struct TokenRegistry: Sendable {
    /// What a token is for.
    enum Owner: Sendable, Equatable {
        case start(phone: String, attributesType: String)
        case update(activity: String)
        case wake(phone: String)
        /// Nobody's any more, although APNs goes on taking pushes for it.
        case nobody(isLiveActivity: Bool)

        var isLiveActivity: Bool {
            switch self {
            case .start, .update: true
            case .wake: false
            case .nobody(let isLiveActivity): isLiveActivity
            }
        }
    }

    struct Entry: Sendable {
        var owner: Owner
        var bundleID: String
        /// Nil while the token lives.
        var death: Rejection?
    }

    private var entries: [APNsEnvironment: [String: Entry]] = [:]

    subscript(token: String, environment: APNsEnvironment) -> Entry? { entries[environment]?[token] }

    mutating func issue(_ token: String, _ owner: Owner, bundleID: String, _ environment: APNsEnvironment) {
        entries[environment, default: [:]][token] = Entry(owner: owner, bundleID: bundleID, death: nil)
    }

    /// From now on APNs answers a push to this token with `death`; a token that nobody has becomes known by it.
    mutating func kill(_ token: String, _ environment: APNsEnvironment, _ death: Rejection) {
        let unknown = Entry(owner: .update(activity: ""), bundleID: "", death: nil)
        entries[environment, default: [:]][token, default: unknown].death = death
    }

    /// From now on pushes to this token are accepted and reach nobody.
    mutating func disown(_ token: String, _ environment: APNsEnvironment) {
        guard let entry = self[token, environment] else { return }
        entries[environment]?[token]?.owner = .nobody(isLiveActivity: entry.owner.isLiveActivity)
    }

    /// Judges token and topic together; nil for a well-formed token that nobody has.
    func check(_ push: PushRequest) throws(Rejection) -> Entry? {
        guard let token = push.token, Self.isWellFormed(token) else { throw Rejection(400, "BadDeviceToken") }
        let isTopicForLiveActivity = push["apns-topic"]?.hasSuffix(PushRequest.topicSuffix) ?? false
        let entry = self[token, push.environment]
        if let entry {
            if let death = entry.death { throw death }
            guard entry.bundleID == push.bundleID, entry.owner.isLiveActivity == isTopicForLiveActivity else {
                throw Rejection(400, "DeviceTokenNotForTopic")
            }
        }
        guard push.isLiveActivity == isTopicForLiveActivity else { throw Rejection(400, "InvalidPushType") }
        return entry
    }

    /// Hexadecimal digits, an even number of them; Apple promises no length.
    private static func isWellFormed(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count.isMultiple(of: 2) && token.utf8.count <= 512
            && token.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
