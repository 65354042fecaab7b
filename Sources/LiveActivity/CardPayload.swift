public import Foundation

/// The exact JSON bodies of the four pushes.
///
/// All dates are Unix seconds; only the dates inside a card have the format that the app's template names. A body over
/// ``Push/maximumPayload`` has the event's texts shortened until it fits. Source: "Starting and updating Live
/// Activities with ActivityKit push notifications" (Apple).
public enum CardPayload {
    /// Why an app is woken; it reconciles its own cards either way.
    public enum WakeReason: String, Sendable, Hashable {
        /// An update waits for the card's update token.
        case update
        /// An end waits for it.
        case end
    }

    /// The longest time that the system leaves an ended card on the Lock Screen, in seconds.
    public static let longestDismissal: Int64 = 4 * 60 * 60

    /// The body that starts a card.
    ///
    /// - Parameters:
    ///   - template: The app's templates.
    ///   - context: What they are filled with.
    ///   - timestamp: The moment of the content.
    ///   - staleDate: When the card is out of date; nil for never.
    ///   - inputPushToken: Whether to ask for an update token, which iOS 18 and later understand.
    /// - Returns: JSON of at most 4096 bytes.
    /// - Throws: Also where the stale date is not later than the timestamp: such a card would never be shown.
    public static func start(
        template: CardTemplate, context: CardContext, timestamp: Int64, staleDate: Int64?, inputPushToken: Bool
    ) throws(PayloadError) -> [UInt8] {
        if let staleDate, staleDate <= timestamp {
            throw .staleFromTheStart(staleDate: staleDate, timestamp: timestamp)
        }
        var aps = try dates(timestamp: timestamp, staleDate: staleDate)
        aps["event"] = "start"
        aps["attributes-type"] = .string(template.attributesType)
        if inputPushToken { aps["input-push-token"] = 1 }
        return try body(template, context) { card in
            aps["attributes"] = card.attributes
            aps["content-state"] = card.contentState
            aps["alert"] = card.alert
            return aps
        }
    }

    /// The body that updates a card, without a sound or an alert.
    ///
    /// - Parameters:
    ///   - template: The app's templates.
    ///   - context: What they are filled with.
    ///   - timestamp: The moment of the content, later than the one last sent to this card.
    ///   - staleDate: When the card is out of date; nil for never.
    /// - Returns: JSON of at most 4096 bytes, with no `alert`.
    /// - Throws: Where a date is not in Unix seconds, or the card does not fit.
    public static func update(
        template: CardTemplate, context: CardContext, timestamp: Int64, staleDate: Int64?
    ) throws(PayloadError) -> [UInt8] {
        var aps = try dates(timestamp: timestamp, staleDate: staleDate)
        aps["event"] = "update"
        return try body(template, context) { card in
            aps["content-state"] = card.contentState
            return aps
        }
    }

    /// The body that ends a card.
    ///
    /// - Parameters:
    ///   - contentState: What the card shows until it is gone. A `null`, or more than a push can carry, is left out, and
    ///     the card keeps what it shows.
    ///   - timestamp: The moment of the content, later than the one last sent to this card.
    ///   - dismissalDate: When it leaves the Lock Screen: at once where it is not after the timestamp, four hours after
    ///     it at the latest; nil leaves it to the system.
    /// - Returns: JSON of at most 4096 bytes.
    /// - Throws: Where a date is not in Unix seconds.
    public static func end(
        contentState: JSON, timestamp: Int64, dismissalDate: Int64?
    ) throws(PayloadError) -> [UInt8] {
        var aps = try dates(timestamp: timestamp, staleDate: nil)
        aps["event"] = "end"
        if let dismissalDate {
            let date = try unixSeconds(dismissalDate, "dismissal-date")
            aps["dismissal-date"] = .int(min(date, timestamp + longestDismissal))
        }
        guard contentState != .null else { return body(aps) }
        let bare = body(aps)
        aps["content-state"] = contentState
        let whole = body(aps)
        return whole.count > Push.maximumPayload ? bare : whole
    }

    /// The body of a silent push: `content-available` alone in `aps`, and beside it `cuecard` with `reason` and `runs`.
    ///
    /// - Parameters:
    ///   - reason: Why the app is woken.
    ///   - runIDs: The cards it is about; the first 64 are sent, a hint beside what `register_device` answers.
    /// - Returns: JSON of at most 4096 bytes.
    public static func wake(reason: WakeReason, runIDs: [UUID]) -> [UInt8] {
        let runs = runIDs.prefix(64).map { JSON.string($0.uuidString.lowercased()) }
        let own: JSON = ["reason": .string(reason.rawValue), "runs": .array(runs)]
        return JSON.object(["aps": ["content-available": 1], "cuecard": own]).bytes
    }

    /// The body of the card that fits.
    private static func body(
        _ template: CardTemplate, _ context: CardContext, aps: (Card) -> [String: JSON]
    ) throws(PayloadError) -> [UInt8] {
        let limit = Push.maximumPayload
        let (card, size) = template.fitted(context) { max(body(aps($0)).count, $0.dataSize) }
        guard size <= limit else { throw .tooLarge(bytes: size, limit: limit) }
        return body(aps(card))
    }

    private static func body(_ aps: [String: JSON]) -> [UInt8] { JSON.object(["aps": .object(aps)]).bytes }

    private static func dates(timestamp: Int64, staleDate: Int64?) throws(PayloadError) -> [String: JSON] {
        var dates: [String: JSON] = ["timestamp": .int(try unixSeconds(timestamp, "timestamp"))]
        if let staleDate { dates["stale-date"] = .int(try unixSeconds(staleDate, "stale-date")) }
        return dates
    }

    private static func unixSeconds(_ value: Int64, _ field: String) throws(PayloadError) -> Int64 {
        guard (0...100_000_000_000).contains(value) else { throw .notUnixSeconds(field: field, value: value) }
        return value
    }
}
