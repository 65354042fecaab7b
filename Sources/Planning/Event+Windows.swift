internal import Foundation
internal import LiveActivity
internal import Recurrence

extension Event {
    /// The windows of one event around a moment.
    struct Windows {
        /// Those that hold the moment.
        var open: [CardWindow] = []
        /// When the next one opens; nil: none ever does.
        var nextOpening: Date?
    }

    /// The open windows at `now` and the next opening, on a device in `deviceZone`.
    func windows(at now: Date, in deviceZone: Zone, for app: AppPolicy) throws(EventProblem) -> Windows {
        let series = try series.get()
        if isAllDay && app.allDayAt == nil {
            throw EventProblem(reason: .noAllDayTime, text: Reason.noAllDayTime.explanation)
        }
        do {
            let zone = zone ?? deviceZone
            let local = zone.local(at: Int64(now.timeIntervalSince1970.rounded(.down))).secondsSinceEpoch
            // A day of slack on either side covers all-day times and clock changes.
            let first = LocalDateTime(secondsSinceEpoch: local - duration.longest - 90_000)
            let last = LocalDateTime(secondsSinceEpoch: local + Int64(lead(for: app)) + 90_000)
            var windows = Windows()
            for occurrence in try series.occurrences(from: first, to: last, limit: 1000)
            where overrides[occurrence.local] == nil {
                windows.take(window(of: occurrence, in: zone, for: app), at: now)
            }
            for (original, change) in overrides where !change.isCancelled {
                guard let occurrence = try self.occurrence(named: original) else { continue }
                windows.take(window(of: occurrence, changedBy: change, in: zone, for: app), at: now)
            }
            try windows.lookAhead(after: last, in: self, zone: zone, for: app)
            return windows
        } catch {
            throw EventProblem(reason: .badRule, text: "\(error)")
        }
    }

    /// The window of the occurrence with this original start, open or not; nil where the event has no such occurrence.
    func window(
        named original: LocalDateTime, in deviceZone: Zone, for app: AppPolicy
    ) throws(EventProblem) -> CardWindow? {
        if isAllDay && app.allDayAt == nil {
            throw EventProblem(reason: .noAllDayTime, text: Reason.noAllDayTime.explanation)
        }
        guard let occurrence = try occurrence(named: original) else { return nil }
        return window(of: occurrence, changedBy: overrides[original], in: zone ?? deviceZone, for: app)
    }

    /// The occurrence with this original start; nil where the event has none.
    func occurrence(named original: LocalDateTime) throws(EventProblem) -> Occurrence? {
        let series = try series.get()
        do {
            let found = try series.next(onOrAfter: original)
            return found?.local == original ? found : nil
        } catch {
            throw EventProblem(reason: .badRule, text: "\(error)")
        }
    }

    func window(of occurrence: Occurrence, changedBy change: Override? = nil, in zone: Zone, for app: AppPolicy) -> CardWindow {
        let local = change?.startsAt ?? occurrence.local
        let start: Int64
        let end: Int64
        if isAllDay {
            let day = local.midnight
            start = zone.instant(of: LocalDateTime(secondsSinceEpoch: day.secondsSinceEpoch + Int64(app.allDayAt ?? 0)))
            end = zone.instant(of: day.adding(months: 0, days: (change?.duration ?? duration).wholeDays))
        } else {
            start = change?.startsAt == nil ? occurrence.instant ?? zone.instant(of: local) : zone.instant(of: local)
            end = (change?.duration ?? duration).end(of: local, startingAt: start, in: zone)
        }
        let (starts, ends) = (Date(unix: start), Date(unix: end))
        return CardWindow(
            key: OccurrenceKey(event: id, occurrence: occurrence.local), start: starts, end: ends,
            opens: starts - lead(for: app), ending: max(starts, ends - app.endingLead),
            closes: app.closes == .start ? starts : ends, title: change?.title ?? title,
            location: change?.location ?? location, details: change?.details ?? details)
    }

    private func lead(for app: AppPolicy) -> TimeInterval { lead ?? app.lead }
}

extension Event.Windows {
    mutating func take(_ window: CardWindow, at now: Date) {
        if window.isOpen(at: now) {
            open.append(window)
        } else if window.opens > now {
            nextOpening = nextOpening.map { min($0, window.opens) } ?? window.opens
        }
    }

    /// Where nothing near opens: the first occurrence further ahead that no override touches.
    fileprivate mutating func lookAhead(
        after last: LocalDateTime, in event: Event, zone: Zone, for app: AppPolicy
    ) throws(RecurrenceError) {
        guard case .success(let series) = event.series else { return }
        var from = last
        // Each override hides one occurrence at most, so this ends.
        for _ in 0...event.overrides.count {
            guard let next = try series.next(onOrAfter: from) else { return }
            if event.overrides[next.local] == nil {
                let opens = event.window(of: next, in: zone, for: app).opens
                nextOpening = nextOpening.map { min($0, opens) } ?? opens
                return
            }
            from = LocalDateTime(secondsSinceEpoch: next.local.secondsSinceEpoch + 1)
        }
    }
}

extension NominalDuration {
    /// How many calendar days an all-day event lasts; at least one (RFC 5545 3.6.1).
    var wholeDays: Int { max(1, months * 30 + days + Int((seconds + 86_399) / 86_400)) }
}

extension Date {
    init(unix seconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(seconds)) }
}
