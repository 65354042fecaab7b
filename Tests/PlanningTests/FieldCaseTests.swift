import Foundation
import LiveActivity
import Planning
import Testing

/// Public reports as stories of one device: each line is what the ledger did at a minute.
@Suite("Field cases") struct FieldCaseTests {
    let talk = Event.sample(1, "2026-03-02 10:00")

    /// Plays every minute from one moment to another; every push is accepted.
    private func play(
        _ ledger: inout Ledger, _ from: String, _ to: String, answer: (Intent) -> PushOutcome? = { _ in .accepted }
    ) {
        var now = at(from)
        while now <= at(to) {
            if ledger.isDue(at: now) { _ = ledger.tick(at: now, answer: answer) }
            now += 60
        }
    }
    private func ledger(_ events: [Event], device: Device = .sample(), app: AppPolicy = .sample()) -> Ledger {
        var ledger = Ledger()
        (ledger.device, ledger.app, ledger.events) = (device, app, events)
        return ledger
    }
    private func pushes(_ ledger: Ledger) -> [String] {
        ledger.history.compactMap { entry in
            entry.event.map { "\(entry.at.rfc3339.dropFirst(11).prefix(5)) \($0.rawValue)" }
        }
    }

    @Test("FR-13: one order, one start, whatever changes meanwhile")
    func oneStart() {
        var ledger = ledger([talk], device: .sample(wakeToken: nil))
        for (minute, title) in [("09:10", "A"), ("09:20", "B"), ("09:30", "C")] {
            play(&ledger, "2026-03-02 09:00", "2026-03-02 \(minute)")
            ledger.events[0].title = title
            ledger.nextDueAt = .distantPast
        }
        play(&ledger, "2026-03-02 09:30", "2026-03-02 21:30")
        #expect(pushes(ledger) == ["09:00 start"])
    }

    @Test("FR-14: a second phone gets its own start, the first one none")
    func secondPhone() {
        let first = DeviceSnapshot.sample(
            [talk],
            runs: [
                Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
                    .told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00")
            ])
        #expect(decide(first, at: at("2026-03-02 09:40")).acts == [])
        #expect(decide(.sample([talk]), at: at("2026-03-02 09:40")).acts == ["start e1 #1 window_open"])
    }

    @Test("FR-15, FR-31: the token comes late: one update, with the newest state")
    func lateToken() throws {
        let long = Event.sample(1, "2026-03-02 10:00", lasting: 4 * hour)
        var ledger = ledger([long], device: .sample(wakeToken: nil))
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:30")
        for title in ["U1", "U2", "U3"] {
            ledger.events[0].title = title
            ledger.nextDueAt = .distantPast
            play(&ledger, "2026-03-02 09:31", "2026-03-02 09:40")
        }
        play(&ledger, "2026-03-02 09:41", "2026-03-02 11:00")
        ledger.register(try #require(ledger.runs.first?.id), token: PushToken("cc01"))
        play(&ledger, "2026-03-02 11:01", "2026-03-02 11:10")
        #expect(pushes(ledger) == ["09:00 start", "11:01 update"])
        guard case .update(let update) = try #require(ledger.history.last).step.action else {
            Issue.record("no update")
            return
        }
        #expect(update.context.title == "U3")
        #expect(update.context.phase == .active)
    }

    @Test("FR-18: a dismissed card does not come back; the next occurrence starts")
    func dismissed() throws {
        let daily = Event.sample(1, "2026-03-02 10:00", rrule: "FREQ=DAILY")
        var ledger = ledger([daily])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:05")
        ledger.dismiss(try #require(ledger.runs.first?.id))
        ledger.events[0].title = "Changed"
        play(&ledger, "2026-03-02 09:06", "2026-03-03 08:59")
        #expect(pushes(ledger) == ["09:00 start"])
        play(&ledger, "2026-03-03 09:00", "2026-03-03 09:30")
        #expect(pushes(ledger) == ["09:00 start", "09:00 start"])
    }

    @Test("FR-19: over without a token: wakes, capped, no end, and the ledger says how it went")
    func neverAToken() throws {
        var ledger = ledger([talk])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 21:30")
        let events = ledger.history.compactMap(\.event)
        #expect(Set(events) == [.start, .wake])
        let wakes = ledger.history.filter { $0.event == .wake }.map(\.at)
        for wake in wakes { #expect(wakes.filter { $0 > wake - hour && $0 <= wake }.count <= 2) }
        #expect(wakes.count > 10)
        let run = try #require(ledger.runs.first)
        #expect(run.state == .ended)
        #expect(run.reason == "ended_unconfirmed")
        guard case .start(let start) = ledger.history[0].step.action else { return }
        #expect(start.staleAt <= at("2026-03-02 11:00"))
    }

    @Test("FR-20a: starts that nobody answers do not stop the starts")
    func suspectToken() {
        let daily = Event.sample(1, "2026-03-02 10:00", rrule: "FREQ=DAILY")
        var ledger = ledger([daily])
        play(&ledger, "2026-03-02 09:00", "2026-03-06 09:00")
        #expect(ledger.history.filter { $0.event == .start }.count == 5)
    }

    @Test("FR-26: switched off between planning and sending, nothing goes out; and what is too old is not sent")
    func switchedOff() {
        var ledger = ledger([talk])
        play(&ledger, "2026-03-02 08:00", "2026-03-02 08:59")
        ledger.device.isEnabled = false
        ledger.device.startToken = nil
        ledger.nextDueAt = .distantPast
        play(&ledger, "2026-03-02 09:00", "2026-03-02 12:00")
        #expect(pushes(ledger) == [])
        #expect(decide(.sample([talk]), at: at("2026-03-02 11:00")).steps == [])
    }

    @Test("FR-32: an app that is never seen: one start with a stale date, two wakes an hour, no loop")
    func terminatedApp() {
        let long = Event.sample(1, "2026-03-02 10:00", lasting: 3 * hour)
        var ledger = ledger([long])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 12:59")
        #expect(ledger.history.filter { $0.event == .start }.count == 1)
        let wakes = ledger.history.filter { $0.event == .wake }.map(\.at)
        #expect(!wakes.isEmpty)
        for wake in wakes { #expect(wakes.filter { $0 > wake - hour && $0 <= wake }.count <= 2) }
    }

    @Test("FR-33: without a start token nothing is sent, and the plan says so")
    func noStartToken() {
        let plan = decide(.sample([talk], device: .sample(startToken: nil)), at: at("2026-03-02 09:30"))
        #expect(plan.acts == [])
        #expect(plan.steps.map(\.reason) == [.noStartToken])
    }

    @Test("FR-35: switched off: every card ends, and the next five ticks send nothing")
    func off() throws {
        var ledger = ledger([talk, .sample(2, "2026-03-02 10:05")], app: .sample(maxCards: 2))
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:10")
        for (index, run) in ledger.runs.enumerated() { ledger.register(run.id, token: PushToken("cc0\(index)")) }
        play(&ledger, "2026-03-02 09:11", "2026-03-02 09:20")
        (ledger.device.isEnabled, ledger.device.startToken, ledger.nextDueAt) = (false, nil, .distantPast)
        play(&ledger, "2026-03-02 09:21", "2026-03-02 09:30")
        #expect(pushes(ledger) == ["09:00 start", "09:05 start", "09:21 end", "09:21 end"])
        #expect(ledger.runs.allSatisfy { $0.state == .ended && $0.isGone })
    }

    @Test("FR-37: a renewal that APNs refuses with 500 leaves the old card alone, and is tried again")
    func refusedRenewal() throws {
        let fair = Event.sample(1, "2026-03-02 10:00", lasting: 10 * hour)
        var ledger = ledger([fair])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:02")
        ledger.register(try #require(ledger.runs.first?.id), token: PushToken("cc01"))
        play(&ledger, "2026-03-02 09:03", "2026-03-02 15:59")
        let before = ledger.history.count
        play(&ledger, "2026-03-02 16:00", "2026-03-02 16:10") { intent in
            intent.push?.event == .start ? .rejected(.init(status: 500, reason: "InternalServerError")) : .accepted
        }
        play(&ledger, "2026-03-02 16:11", "2026-03-02 16:30")
        let after = ledger.history[before...]
        #expect(after.compactMap(\.event) == [.start, .start])
        #expect(Set(after.map(\.run)).count == 1)
        #expect(ledger.runs.map(\.state) == [.confirmed, .accepted])
    }

    @Test("FR-39: ten hours: one renewal, the old card ends with the new one's token, no update after eight hours")
    func renewal() throws {
        let fair = Event.sample(1, "2026-03-02 10:00", lasting: 10 * hour)
        var ledger = ledger([fair])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:02")
        let old = try #require(ledger.runs.first?.id)
        ledger.register(old, token: PushToken("cc01"))
        play(&ledger, "2026-03-02 09:03", "2026-03-02 16:20")
        let new = try #require(ledger.runs.last?.id)
        #expect(new != old)
        ledger.register(new, token: PushToken("cc02"))
        play(&ledger, "2026-03-02 16:21", "2026-03-02 20:30")
        let starts = ledger.history.filter { $0.event == .start }.map(\.at)
        #expect(starts == [at("2026-03-02 09:00"), at("2026-03-02 16:00")])
        #expect(
            ledger.history.filter { $0.event == .end }.map(\.at) == [at("2026-03-02 16:21"), at("2026-03-02 20:00")])
        #expect(
            ledger.history.contains { $0.run == old && $0.event == .update && $0.at >= at("2026-03-02 17:00") } == false
        )
    }

    @Test("FR-71: down from 10:00 to 10:07, due at 10:03: one start at 10:07")
    func outage() {
        var ledger = ledger([.sample(1, "2026-03-02 10:03", lasting: 57 * minute, lead: 0)])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:59")
        play(&ledger, "2026-03-02 10:07", "2026-03-02 10:30")
        #expect(pushes(ledger).first == "10:07 start")
        #expect(pushes(ledger).filter { $0.hasSuffix("start") }.count == 1)
        // And none of what was over by then.
        var late = self.ledger([.sample(1, "2026-03-02 10:01", lasting: 5 * minute, lead: 0)])
        play(&late, "2026-03-02 10:07", "2026-03-02 10:30")
        #expect(pushes(late) == [])
    }

    @Test("FR-69: killed after the send: no second start, and a repeated update has the same content")
    func killed() throws {
        var ledger = ledger([talk])
        play(&ledger, "2026-03-02 09:00", "2026-03-02 09:00") { _ in nil }
        play(&ledger, "2026-03-02 09:01", "2026-03-02 09:30")
        #expect(pushes(ledger) == ["09:00 start"])
        #expect(ledger.runs.map(\.state) == [.unknown])
        ledger.register(try #require(ledger.runs.first?.id), token: PushToken("cc01"))
        play(&ledger, "2026-03-02 10:00", "2026-03-02 10:00") { _ in nil }
        play(&ledger, "2026-03-02 10:01", "2026-03-02 10:05")
        let updates = ledger.history.compactMap { entry in
            if case .update(let update) = entry.step.action { update } else { nil }
        }
        #expect(updates.count == 2)
        #expect(updates.first?.card == updates.last?.card)
    }
}
