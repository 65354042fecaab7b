import Foundation

extension Zone {
    /// The zones that were asked for so far.
    static let cache = Cache()

    /// A dictionary that threads share.
    ///
    /// Unchecked: `zones` is read and written under `lock` alone.
    final class Cache: @unchecked Sendable {
        private let lock = NSLock()
        private var zones: [String: Zone] = [:]

        subscript(identifier: String) -> Zone? {
            get { lock.withLock { zones[identifier] } }
            set { lock.withLock { zones[identifier] = newValue } }
        }
    }

    /// When the zone's offset changes, to the middle of 2500.
    ///
    /// Foundation tells the next change; a change of the name or of daylight saving alone, without another offset, is left out.
    static func transitions(of zone: TimeZone) -> [(start: Int64, offset: Int)] {
        var moment = Date(timeIntervalSince1970: -5_364_662_400)  // 1800-01-01
        let last = Date(timeIntervalSince1970: 16_756_761_600)  // 2501-01-01
        var transitions = [(start: Int64.min, offset: zone.secondsFromGMT(for: moment))]
        while let next = zone.nextDaylightSavingTimeTransition(after: moment), next > moment, next < last {
            moment = next
            let offset = zone.secondsFromGMT(for: next)
            if offset != transitions.last?.offset {
                transitions.append((Int64(next.timeIntervalSince1970.rounded()), offset))
            }
        }
        return transitions
    }
}
