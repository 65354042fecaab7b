import Foundation

/// The day's own time, turned by the demo.
final class DemoClock: @unchecked Sendable {  // `lock` guards `moment`
    private let lock = NSLock()
    private var moment: Date

    init(_ moment: Date) { self.moment = moment }

    var now: Date { lock.withLock { moment } }
    func set(_ date: Date) { lock.withLock { moment = date } }
}
