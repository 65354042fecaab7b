/// Why no payload was made; nothing is to be sent.
public enum PayloadError: Error, Sendable, Hashable {
    /// A date is negative or above 10^11, as milliseconds are.
    case notUnixSeconds(field: String, value: Int64)
    /// A card that is stale from the first would never be shown.
    case staleFromTheStart(staleDate: Int64, timestamp: Int64)
    /// Over the limit although every text was shortened.
    case tooLarge(bytes: Int, limit: Int)
}

extension PayloadError: CustomStringConvertible {
    /// What is wrong, and the mend.
    public var description: String {
        switch self {
        case .notUnixSeconds(let field, let value):
            "\(field) \(value) is no time in Unix seconds; give seconds, not milliseconds"
        case .staleFromTheStart(let staleDate, let timestamp):
            "stale-date \(staleDate) is not later than timestamp \(timestamp), so the card would never be shown; "
                + "raise app.stale_after"
        case .tooLarge(let bytes, let limit):
            "the card takes \(bytes) bytes with its text shortened, and \(limit) are allowed; give the event fewer "
                + "details, or show fewer in app.content_state, app.attributes and app.alert"
        }
    }
}
