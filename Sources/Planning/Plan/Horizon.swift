internal import Foundation

/// Collects the moments at which a plan may change, and keeps the first one after `now`.
struct Horizon {
    let now: Date
    private(set) var next: Date?

    /// The longest that a plan is trusted: a new release of the zone data may move what lies further ahead.
    static let longestTrust: TimeInterval = 26 * 3600

    init(now: Date) { self.now = now }

    /// Past moments and nil count for nothing.
    mutating func add(_ moment: Date?) {
        guard let moment, moment > now else { return }
        next = next.map { min($0, moment) } ?? moment
    }

    /// When to plan again: what lies further than 26 hours ahead is planned anew 26 hours before it.
    var due: Date? {
        guard let next else { return nil }
        return next.timeIntervalSince(now) > Self.longestTrust ? next - Self.longestTrust : next
    }
}
