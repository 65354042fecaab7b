internal import Foundation
internal import LiveActivity
internal import Recurrence

extension Event {
    /// The windows around a moment.
    struct Windows {
        /// Those that hold the moment.
        var open: [CardWindow] = []
        /// When the next one opens; nil: none ever does.
        var nextOpening: Date?
    }

    /// So many occurrences of one event within one window are a mistake, and would cost every tick.
    private static let mostAtOnce = 1000

    /// The open windows at `now` and the next opening.
    func windows(at now: Date, on device: Device, for app: AppPolicy) throws(EventProblem) -> Windows {
        let series = try series.get()
        let zone = try zone(on: device, for: app)
        let local = zone.local(at: Int64(now.timeIntervalSince1970.rounded(.down))).secondsSinceEpoch
        // A day of slack on either side covers all-day times and clock changes.
        let first = LocalDateTime(secondsSinceEpoch: local - duration.longest - 90_000)
        let last = LocalDateTime(secondsSinceEpoch: local + Int64(lead(for: app)) + 90_000)
        var windows = Windows()
        let near = try occurrences(of: series, from: first, to: last)
        for occurrence in near where overrides[occurrence.local] == nil {
            windows.take(window(of: occurrence, in: zone, for: app), at: now)
        }
        for (original, change) in overrides where !change.isCancelled {
            let window = window(of: Occurrence(local: original, instant: nil), changedBy: change, in: zone, for: app)
            guard window.closes > now, try occurrence(named: original) != nil else { continue }
            windows.take(window, at: now)
        }
        if let next = firstUntouched(onOrAfter: last, of: series) {
            windows.take(window(of: next, in: zone, for: app), at: now)
        }
        return windows
    }

    /// The window of the occurrence with this original start, open or not; nil where the event has no such occurrence.
    func window(
        named original: LocalDateTime, on device: Device, for app: AppPolicy
    ) throws(EventProblem) -> CardWindow? {
        let zone = try zone(on: device, for: app)
        guard let occurrence = try occurrence(named: original) else { return nil }
        return window(of: occurrence, changedBy: overrides[original], in: zone, for: app)
    }

    /// The occurrence with this original start; nil where the event has none.
    func occurrence(named original: LocalDateTime) throws(EventProblem) -> Occurrence? {
        let series = try series.get()
        do {
            let found = try series.next(onOrAfter: original)
            return found?.local == original ? found : nil
        } catch {
            throw EventProblem(error)
        }
    }

    private func occurrences(
        of series: OccurrenceSet, from first: LocalDateTime, to last: LocalDateTime
    ) throws(EventProblem) -> [Occurrence] {
        let found: [Occurrence]
        do {
            found = try series.occurrences(from: first, to: last, limit: Self.mostAtOnce)
        } catch {
            throw EventProblem(error)
        }
        guard found.count < Self.mostAtOnce else { throw .tooManyAtOnce }
        return found
    }

    /// The first occurrence at or after a local time that no override touches.
    ///
    /// Where the calendar's tables end, what lies beyond is nothing to look ahead to, and no reason to lose what is near.
    private func firstUntouched(onOrAfter local: LocalDateTime, of series: OccurrenceSet) -> Occurrence? {
        var from = local
        do {
            while let next = try series.next(onOrAfter: from) {
                if overrides[next.local] == nil { return next }
                // Each override hides one occurrence at most, so this ends.
                from = LocalDateTime(secondsSinceEpoch: next.local.secondsSinceEpoch + 1)
            }
            return nil
        } catch {
            return nil
        }
    }

    private func window(
        of occurrence: Occurrence, changedBy change: Override? = nil, in zone: Zone, for app: AppPolicy
    ) -> CardWindow {
        let local = change?.startsAt ?? occurrence.local
        let duration = change?.duration ?? duration
        let start: Int64
        let end: Int64
        if isAllDay {
            let day = local.midnight
            start = zone.instant(of: LocalDateTime(secondsSinceEpoch: day.secondsSinceEpoch + Int64(app.allDayAt ?? 0)))
            end = zone.instant(of: duration.lastMidnight(from: day))
        } else {
            start = zone.instant(of: local)
            end = duration.end(of: local, startingAt: start, in: zone)
        }
        let (starts, ends) = (Date(unix: start), Date(unix: end))
        return CardWindow(
            key: OccurrenceKey(event: id, occurrence: occurrence.local), start: starts, end: ends,
            opens: starts - lead(for: app), ending: max(starts, ends - app.endingLead),
            closes: app.closes == .start ? starts : ends, title: change?.title ?? title,
            location: change?.location ?? location, details: change?.details ?? details)
    }

    private func lead(for app: AppPolicy) -> TimeInterval { lead ?? app.lead }

    /// Where the event happens on a device.
    private func zone(on device: Device, for app: AppPolicy) throws(EventProblem) -> Zone {
        if isAllDay && app.allDayAt == nil { throw .noAllDayTime }
        if let zone { return zone }
        guard device.hasKnownZone else { throw .unknownDeviceZone }
        return device.zone
    }
}

extension Event.Windows {
    mutating func take(_ window: CardWindow, at now: Date) {
        if window.isOpen(at: now) {
            open.append(window)
        } else if window.opens > now {
            nextOpening = nextOpening.map { min($0, window.opens) } ?? window.opens
        }
    }

    mutating func add(_ other: Self) {
        open += other.open
        nextOpening = [nextOpening, other.nextOpening].compactMap(\.self).min()
    }
}

extension EventProblem {
    static let noAllDayTime = EventProblem(reason: .noAllDayTime)
    static let unknownDeviceZone = EventProblem(
        reason: .unknownZone, text: "it happens in the device's own zone, which is not known here")
    static let tooManyAtOnce = EventProblem(
        reason: .badRule, text: "a thousand of its occurrences are open at once: shorten its duration or its lead")
}

extension Date {
    init(unix seconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(seconds)) }
}
