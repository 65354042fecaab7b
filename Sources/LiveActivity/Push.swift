public import Foundation

/// One request to APNs, complete but for its provider token.
///
/// Source: "Sending notification requests to APNs" and "Starting and updating Live Activities with ActivityKit
/// push notifications" (Apple).
public struct Push: Sendable, Equatable {
    /// What a push does.
    public enum Event: String, Sendable, Hashable, Codable {
        case start
        case update
        case end
        /// A silent `content-available` push that lets the app reconcile its own cards.
        case wake
    }

    /// Sent as `apns-id`; a fresh one for each push, also for a repeat.
    public var id: UUID
    /// What it does.
    public var event: Event
    /// The service that knows its token.
    public var environment: APNsEnvironment
    /// The app's bundle identifier; the topic is made from it.
    public var bundleID: String
    /// Where it goes: a start token, an update token or a device token, as the event asks.
    public var token: PushToken
    /// 10 is delivered at once and counts against the device's budget, 5 when it suits the device.
    public var priority: Int
    /// Unix seconds until which APNs may store the push; 0 means one attempt and no storage.
    public var expiration: Int64
    /// At most 64 bytes; only a start has one.
    ///
    /// Nil leaves the header out.
    public var collapseID: String?
    /// The JSON body, at most ``maximumPayload`` bytes.
    public var payload: [UInt8]

    /// The most bytes a Live Activity or background push may have (413 `PayloadTooLarge` above it).
    public static let maximumPayload = 4096

    /// A push by its parts.
    public init(
        id: UUID, event: Event, environment: APNsEnvironment, bundleID: String, token: PushToken, priority: Int,
        expiration: Int64, collapseID: String? = nil, payload: [UInt8]
    ) {
        self.id = id
        self.event = event
        self.environment = environment
        self.bundleID = bundleID
        self.token = token
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.payload = payload
    }

    /// The `apns-topic`: the bundle id, with `.push-type.liveactivity` for anything but a wake.
    public var topic: String { event == .wake ? bundleID : bundleID + ".push-type.liveactivity" }

    /// The `apns-push-type`.
    public var pushType: String { event == .wake ? "background" : "liveactivity" }
}
