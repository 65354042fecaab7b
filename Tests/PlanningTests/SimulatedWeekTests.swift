import Foundation
import LiveActivity
import Planning
import Recurrence
import TestSupport
import Testing

/// Random calendars, phones and faults over days, minute by minute; what must hold is checked at each.
@Suite("Simulated weeks") struct SimulatedWeekTests {
    @Test("A quiet calendar: phones that answer or not, people who swipe")
    func quiet() throws {
        try play(seeds: 1...60, days: 3, faults: 0, edits: 0)
    }

    @Test("Edits, kills, and APNs at its worst")
    func rough() throws {
        try play(seeds: 101...160, days: 2, faults: 4, edits: 120)
        try play(seeds: 201...210, days: 7, faults: 8, edits: 120)
    }

    private func play(seeds: ClosedRange<UInt64>, days: Int, faults: Int, edits: Int) throws {
        var seen: [String: Int] = [:]
        try forAll(seeds: seeds) { random in
            var week = Week(faults: faults, edits: edits, using: &random)
            try week.play(minutes: days * 1440, using: &random)
            for entry in week.ledger.history { seen[entry.step.name, default: 0] += 1 }
        }
        // The weeks are worth playing: every kind of step was taken many times over.
        for step in ["start", "update", "end", "wake", "settle"] + (edits > 0 ? ["rekey"] : []) {
            #expect(seen[step, default: 0] >= 10, "\(step) in \(seen)")
        }
    }
}

private struct Week {
    var ledger = Ledger()
    var phone = Phone()
    var now: Date
    /// One push in so many fails; 0: none.
    let faults: Int
    /// One change in about so many minutes; 0: none.
    let edits: Int
    /// The rules as they were written, for the events that move.
    private var rules: [EventID: String] = [:]
    private var checked = 0

    init(faults: Int, edits: Int, using random: inout SplitMix64) {
        self.faults = faults
        self.edits = edits
        // Around both changes of the clock in Europe, the end of February, and an ordinary day.
        let text = ["2026-03-28 00:00", "2026-10-24 00:00", "2028-02-28 00:00", "2026-06-10 00:00"].randomElement(
            using: &random)!
        now = at(text)
        ledger.device = .sample(
            wakeToken: Bool.random(using: &random) ? "bb01" : nil,
            zone: ["UTC", "Europe/Berlin", "America/New_York"].randomElement(using: &random)!)
        ledger.app = .sample(
            lead: [0, 15 * minute, hour, 3 * hour].randomElement(using: &random)!,
            closes: Int.random(in: 0..<5, using: &random) == 0 ? .start : .end,
            staleAfter: [10 * minute, 2 * hour, 9 * hour].randomElement(using: &random)!,
            allDayAt: Bool.random(using: &random) ? 9 * hour : nil, maxCards: Int.random(in: 1...3, using: &random),
            maxStartsPerHour: Int.random(in: 1...4, using: &random))
        for number in 1...Int.random(in: 3...6, using: &random) { ledger.events.append(event(number, using: &random)) }
    }

    /// An event that begins within three days, or began half a day ago.
    private mutating func event(_ number: Int, using random: inout SplitMix64) -> Event {
        let today = Int64(now.timeIntervalSince1970) / 3600 * 3600
        let rule = [nil, "FREQ=DAILY", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=SA,SU,MO"].randomElement(using: &random)!
        rules[numbered(number)] = rule
        let isAllDay = Int.random(in: 0..<6, using: &random) == 0
        let start = LocalDateTime(
            secondsSinceEpoch: today + Int64.random(in: -12...60, using: &random) * 3600
                + Int64.random(in: 0..<4, using: &random) * 900)
        return Event(
            id: numbered(number), kind: Bool.random(using: &random) ? .personal : .shared, title: "Event \(number)",
            startsAt: start,
            duration: NominalDuration(
                seconds: [0, 600, 1800, 3600, 3 * 3600, 10 * 3600, 30 * 3600].randomElement(using: &random)!),
            timeZone: ["UTC", "UTC", "Europe/Berlin", nil].randomElement(using: &random)!, isAllDay: isAllDay,
            rrule: rule)
    }

    mutating func play(minutes: Int, using random: inout SplitMix64) throws {
        for _ in 0..<minutes {
            now += minute
            phone.live(until: now, ledger: &ledger, using: &random)
            if edits > 0, Int.random(in: 0..<edits, using: &random) == 0 { edit(using: &random) }
            if ledger.device.isEnabled, ledger.device.startToken == nil, Int.random(in: 0..<60, using: &random) == 0 {
                ledger.device.startToken = PushToken("aa03")
                ledger.nextDueAt = .distantPast
            }
            if ledger.isDue(at: now) {
                try tick(using: &random)
            } else if Int.random(in: 0..<4, using: &random) == 0
                || ledger.nextDueAt.map({ $0 <= now + minute }) ?? false
            {
                // Nothing may be missed between two plans.
                let plan = decide(ledger.snapshot(at: now), at: now)
                try #require(plan.acts == [], "missed at \(now), the next plan was due at \(ledger.nextDueAt as Any)")
            }
        }
    }

    private mutating func tick(using random: inout SplitMix64) throws {
        var wasKilled = false
        let (faults, now) = (faults, now)
        var phone = phone
        let rounds = ledger.tick(at: now) { intent in
            let fault = faults > 0 && Int.random(in: 0..<faults, using: &random) == 0
            guard fault else {
                phone.receive(intent, at: now, using: &random)
                return .accepted
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                wasKilled = true
                if Bool.random(using: &random) { phone.receive(intent, at: now, using: &random) }
                return nil
            case 1:
                if Bool.random(using: &random) { phone.receive(intent, at: now, using: &random) }
                return .failed(.unknown("no answer"))
            case 2: return .failed(.notProcessed("refused stream"))
            case 3: return .rejected(.init(status: 410, reason: "Unregistered", since: now - 60))
            case 4: return .rejected(.init(status: 400, reason: "BadDeviceToken"))
            case 5: return .rejected(.init(status: 429, reason: "TooManyRequests"))
            case 6: return .rejected(.init(status: 400, reason: "PayloadEmpty"))
            default: return .rejected(.init(status: 503, reason: "ServiceUnavailable"))
            }
        }
        self.phone = phone
        try #require(rounds < 10, "a tick that never ends at \(now)")
        try #require(ledger.nextDueAt.map { $0 > now } ?? true || wasKilled)
        try checkHistory()
        guard !wasKilled else { return }
        let again = decide(ledger.snapshot(at: now), at: now)
        // An accepted end is news: its occurrence may have its next card, from the next tick on.
        let hasEnded = ledger.history.contains { $0.at == now && $0.event == .end && $0.outcome == .accepted }
        let repeated = again.acts.filter { !hasEnded || !$0.hasSuffix("card_gone") }
        try #require(repeated == [], "a second plan of the same minute, \(now)")
        try #require(again == decide(ledger.snapshot(at: now), at: now))
        try checkRuns()
    }

    // MARK: What must hold

    private mutating func checkHistory() throws {
        for entry in ledger.history[checked...] {
            guard entry.event == .start, let start = ledger.runs.first(where: { $0.id == entry.run }) else { continue }
            // I1, and FR-18: never beside a card that may be there, never after a swipe.
            for former in entry.former {
                try #require(
                    former.state != .dismissed || former.userID != start.userID,
                    "a start after a dismissal at \(entry.at)")
                let age = former.startedAt.map { entry.at.timeIntervalSince($0) } ?? 0
                let isRenewed = former.state.isLive && age >= 7 * hour && start.generation > former.generation
                try #require(
                    former.isGone || former.state == .failed || age >= 12 * hour || isRenewed,
                    "a second card at \(entry.at)")
            }
            let recent = ledger.history.filter {
                $0.event == .start && $0.at > entry.at - hour && $0.at <= entry.at && $0.mayHaveStarted
            }
            try #require(recent.count <= ledger.app?.maxStartsPerHour ?? 0, "too many starts at \(entry.at)")
        }
        for entry in ledger.history[checked...] where entry.event == .wake {
            let recent = ledger.history.filter { $0.event == .wake && $0.at > entry.at - hour && $0.at <= entry.at }
            try #require(recent.count <= 2, "a third wake at \(entry.at)")
        }
        // I11
        for entry in ledger.history[checked...] {
            guard let timestamp = entry.timestamp else { continue }
            let before = ledger.history.last { $0.run == entry.run && $0.timestamp != nil && $0.at < entry.at }?
                .timestamp
            try #require(before.map { $0 < timestamp } ?? true, "timestamps at \(entry.at)")
        }
        checked = ledger.history.count
    }

    private func checkRuns() throws {
        for run in ledger.runs where run.state.isLive {
            guard let event = ledger.events.first(where: { $0.id == run.eventID }), !event.isAllDay,
                event.zone?.identifier == "UTC", event.overrides.isEmpty, run.updateToken != nil
            else { continue }
            // I3, with a token: not a minute past its close.
            let start = Date(timeIntervalSince1970: TimeInterval(run.occurrence.secondsSinceEpoch))
            let closes = ledger.app?.closes == .start ? start : start + TimeInterval(event.duration.seconds)
            let isWaiting = run.state == .ending && run.retryAt.map { $0 > now } ?? false
            try #require(now < closes || isWaiting, "run \(run.id) is past its close at \(now)")
        }
        for (_, cards) in Dictionary(
            grouping: phone.cards, by: { card in ledger.runs.first { $0.id == card.run }?.key })
        {
            let shown = cards.map(\.shownAt).sorted()
            for (older, newer) in zip(shown, shown.dropFirst()) {
                try #require(newer.timeIntervalSince(older) >= 7 * hour, "two cards on the screen at \(now)")
            }
        }
    }

    // MARK: What changes

    private mutating func edit(using random: inout SplitMix64) {
        ledger.nextDueAt = .distantPast
        // Every other edit is about the event that had the last card.
        let busy = Bool.random(using: &random) ? ledger.runs.last?.eventID : nil
        let index =
            ledger.events.firstIndex { $0.id == busy } ?? Int.random(in: 0..<ledger.events.count, using: &random)
        let old = ledger.events[index]
        func again(movedBy seconds: Int64 = 0, rrule: String?) -> Event {
            guard case .success(let series) = old.series else { return event(old.id.number, using: &random) }
            return Event(
                id: old.id, kind: old.kind, title: old.title,
                startsAt: LocalDateTime(secondsSinceEpoch: series.start.secondsSinceEpoch + seconds),
                duration: old.duration, timeZone: old.zone?.identifier, isAllDay: old.isAllDay, rrule: rrule)
        }
        switch Int.random(in: 0..<14, using: &random) {
        case 0...2:
            ledger.events[index] = again(movedBy: Int64.random(in: -8...8, using: &random) * 300, rrule: rules[old.id])
        case 3: ledger.events[index].title += "!"
        case 4: ledger.events[index] = event(old.id.number, using: &random)
        case 5: ledger.device.showsShared.toggle()
        case 6: ledger.device.startToken = ledger.device.startToken == nil ? PushToken("aa02") : nil
        case 7:
            let today = LocalDateTime(secondsSinceEpoch: Int64(now.timeIntervalSince1970) / 86_400 * 86_400)
            let name = LocalDateTime(
                secondsSinceEpoch: today.secondsSinceEpoch + Int64((try? old.series.get())?.start.hour ?? 0) * 3600)
            ledger.events[index].overrides[name] =
                Bool.random(using: &random)
                ? .init(isCancelled: true)
                : .init(startsAt: LocalDateTime(secondsSinceEpoch: name.secondsSinceEpoch + 1200))
        case 8: ledger.app?.maxCards = Int.random(in: 1...3, using: &random)
        case 9: ledger.events[index] = again(rrule: "FREQ=NEVER")
        case 10: ledger.device.userID = ledger.device.userID == "ada" ? "bob" : "ada"
        case 11:
            ledger.device.isEnabled.toggle()
            if !ledger.device.isEnabled { ledger.device.startToken = nil }
        case 12:
            ledger.app = ledger.app.map { app in
                var app = app
                app.lead = [15 * minute, hour, 3 * hour].randomElement(using: &random)!
                return app
            }
        default: break
        }
    }
}

extension Ledger.Entry {
    /// Whether APNs may have processed it.
    fileprivate var mayHaveStarted: Bool {
        switch outcome {
        case nil, .accepted, .failed(.unknown): true
        case .rejected, .failed(.notProcessed): false
        }
    }
}

extension Step {
    fileprivate var name: String { String(line.prefix { $0 != " " }) }
}
