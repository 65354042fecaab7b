public import Foundation
internal import LiveActivity

/// What the phones' clocks show.
public enum PhoneClock: Sendable {
    /// What the closure says.
    case reads(@Sendable () -> Date)
    /// The newest `timestamp` of any push, running on from there; the wall clock before the first one.
    ///
    /// For a worker whose decision clock is turned by hand: the phones follow it without being told.
    case followsPushes
}

/// The phones' time: it never goes back.
struct PhoneTime: Sendable {
    private let clock: PhoneClock
    private let wallClock: @Sendable () -> Date
    /// Where a push or a caller set the time, and when that was.
    private var anchor: (time: Date, setAt: Date)?
    private var latest = Date.distantPast

    init(_ clock: PhoneClock, wallClock: @escaping @Sendable () -> Date) {
        self.clock = clock
        self.wallClock = wallClock
    }

    mutating func now() -> Date {
        let shown: Date
        switch clock {
        case .reads(let read): shown = read()
        case .followsPushes:
            // Before the first push the time is still open: it may turn out to be any day.
            guard let anchor else { return max(latest, wallClock()) }
            shown = anchor.time + wallClock().timeIntervalSince(anchor.setAt)
        }
        latest = max(latest, shown)
        return latest
    }

    /// The time at a push's arrival, after the clock followed it where it is to.
    mutating func now(at push: PushRequest) -> Date {
        if case .followsPushes = clock, let stamp = push.payload?["aps"]?["timestamp"]?.integer,
            stamp < PayloadRules.firstMilliseconds
        {
            let time = Date(timeIntervalSince1970: TimeInterval(stamp))
            if anchor == nil || time > now() { anchor = (time, wallClock()) }
        }
        return now()
    }

    /// Turns the time forward; an earlier time changes nothing.
    mutating func advance(to time: Date) {
        if case .followsPushes = clock, time > now() { anchor = (time, wallClock()) }
        latest = max(latest, time)
    }
}
