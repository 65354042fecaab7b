public import Foundation
internal import Recurrence

extension Date {
    /// In UTC, with microseconds where there are any: `2026-03-01T09:00:00Z`.
    public var rfc3339: String {
        let microseconds = Int64((timeIntervalSince1970 * 1_000_000).rounded())
        let seconds = microseconds >= 0 ? microseconds / 1_000_000 : (microseconds - 999_999) / 1_000_000
        let fraction = microseconds - seconds * 1_000_000
        let text = LocalDateTime(secondsSinceEpoch: seconds).description
        guard fraction > 0 else { return text + "Z" }
        let digits = String(fraction)
        return text + "." + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
    }
}
