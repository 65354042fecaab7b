internal import Foundation
internal import LiveActivity

/// A breach of Apple's payload rules, which APNs itself lets pass.
///
/// Source: "Starting and updating Live Activities with ActivityKit push notifications" and "Pushing background
/// updates to your App" (Apple).
public struct PayloadViolation: Sendable, Hashable, CustomStringConvertible {
    /// The key inside `aps`, such as `alert.title`; empty for the payload as a whole.
    public let key: String
    /// What is wrong with it, such as `missing`.
    public let problem: String
    /// The device drops such a push.
    public let isFatal: Bool

    /// Key and problem.
    public var description: String { key.isEmpty ? problem : "\(key): \(problem)" }
}

/// The rules of the payload, per event.
struct PayloadRules {
    /// Unix seconds reach this number in the year 5138, milliseconds reached it in 1973.
    static let firstMilliseconds: Int64 = 100_000_000_000

    private let aps: [String: JSON]
    private(set) var violations: [PayloadViolation] = []

    /// Everything that is wrong with a push that passed the checks of its headers.
    static func violations(of push: PushRequest) -> [PayloadViolation] {
        guard let aps = push.payload?["aps"]?.object else {
            return [PayloadViolation(key: "", problem: "no JSON object with an aps object", isFatal: true)]
        }
        var rules = PayloadRules(aps: aps)
        if push.kind == .wake {
            rules.checkWake()
        } else if push.isLiveActivity {
            rules.checkLiveActivity(push.kind)
        }
        return rules.violations
    }

    private init(aps: [String: JSON]) { self.aps = aps }

    private mutating func note(_ key: String, _ problem: String, isFatal: Bool = true) {
        violations.append(PayloadViolation(key: key, problem: problem, isFatal: isFatal))
    }

    private mutating func checkWake() {
        if aps["content-available"] != .int(1) { note("content-available", "not the number 1") }
        for key in ["alert", "sound", "badge"] where aps[key] != nil {
            note(key, "not in a background push", isFatal: false)
        }
    }

    private mutating func checkLiveActivity(_ kind: PushKind) {
        if kind == .other { note("event", "none of start, update and end") }
        checkTime("timestamp", isMandatory: true)
        checkTime("stale-date", isMandatory: false)
        checkTime("dismissal-date", isMandatory: false)
        if kind != .end, aps["dismissal-date"] != nil { note("dismissal-date", "only on end", isFatal: false) }
        checkContentState(isMandatory: kind == .start || kind == .update)
        if kind == .start { checkStart() }
        checkAlert(isMandatory: kind == .start)
        if let score = aps["relevance-score"], score.number == nil { note("relevance-score", "not a number") }
    }

    private mutating func checkTime(_ key: String, isMandatory: Bool) {
        guard let value = aps[key] else {
            if isMandatory { note(key, "missing") }
            return
        }
        guard let seconds = value.integer else { return note(key, "not a whole number") }
        // A date in the far future is valid to the device, and wrong: it is judged by its consequences.
        if seconds >= Self.firstMilliseconds { note(key, "milliseconds instead of seconds", isFatal: false) }
    }

    private mutating func checkContentState(isMandatory: Bool) {
        guard let state = aps["content-state"] else {
            if isMandatory { note("content-state", "missing") }
            return
        }
        if state.object == nil { note("content-state", "not an object") }
    }

    private mutating func checkStart() {
        if aps["attributes-type"]?.string?.isEmpty ?? true { note("attributes-type", "missing") }
        if aps["attributes"]?.object == nil { note("attributes", "missing") }
        if aps["input-push-token"] != nil, aps["input-push-channel"] != nil {
            note("input-push-channel", "together with input-push-token")
        }
        if let flag = aps["input-push-token"], flag.integer != 1 { note("input-push-token", "not the number 1") }
    }

    private mutating func checkAlert(isMandatory: Bool) {
        if aps["sound"] != nil { note("sound", "belongs inside alert", isFatal: false) }
        guard let alert = aps["alert"] else {
            if isMandatory { note("alert", "missing") }
            return
        }
        guard let fields = alert.object else { return note("alert", "not an object", isFatal: isMandatory) }
        for key in ["title", "body"] where !Self.isText(fields[key]) {
            note("alert.\(key)", fields[key] == nil ? "missing" : "empty or not a text", isFatal: isMandatory)
        }
        guard let sound = fields["sound"] else { return }
        if sound.string == nil || sound.string == "nil" {
            note("alert.sound", "not the name of a sound", isFatal: false)
        }
    }

    /// A non-empty string, or an object with a `loc-key` and perhaps `loc-args`.
    private static func isText(_ value: JSON?) -> Bool {
        switch value {
        case .string(let text): !text.isEmpty
        case .object(let parts):
            !(parts["loc-key"]?.string ?? "").isEmpty
                && (parts["loc-args"]?.array?.allSatisfy { $0.string != nil } ?? (parts["loc-args"] == nil))
        default: false
        }
    }
}
