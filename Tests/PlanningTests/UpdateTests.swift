import Foundation
import LiveActivity
import Planning
import Testing

@Suite("Updates") struct UpdateTests {
    let talk = Event.sample(1, "2026-03-02 10:00")
    let card = Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
    private func told(_ phase: Phase, staleAt: String = "2026-03-02 11:00") -> Run {
        card.told(phase, "2026-03-02 10:00", to: "2026-03-02 11:00", staleAt: staleAt)
    }

    @Test("A change of phase goes out at its moment, at high priority")
    func phases() throws {
        for (phase, change, next) in [
            (Phase.upcoming, "2026-03-02 10:00", "2026-03-02 10:45"), (.active, "2026-03-02 10:45", "2026-03-02 11:00"),
        ] {
            let snapshot = DeviceSnapshot.sample([talk], runs: [told(phase)])
            let before = decide(snapshot, at: at(change) - 1)
            #expect(before.acts == [])
            #expect(before.nextDueAt == at(change))
            let plan = decide(snapshot, at: at(change))
            #expect(plan.acts == ["update r1 phase_changed"])
            #expect(try #require(plan.updates.first).isUrgent)
            #expect(plan.nextDueAt == at(next))
        }
    }

    @Test func changedContentGoesOutAtLowPriority() throws {
        let renamed = Event.sample(1, "2026-03-02 10:00", title: "Talk, room 2")
        let plan = decide(.sample([renamed], runs: [told(.active)]), at: at("2026-03-02 10:10"))
        #expect(plan.acts == ["update r1 content_changed"])
        #expect(try !#require(plan.updates.first).isUrgent)
    }

    @Test("One card gets one update a minute, however often it is edited and ticked; the last state wins")
    func rate() throws {
        var ledger = Ledger()
        (ledger.app, ledger.events, ledger.runs) = (.sample(), [talk], [told(.upcoming)])
        let noon = at("2026-03-02 09:30")
        // Ten minutes of edits every five seconds, each with a tick of its own.
        for second in stride(from: 0, through: 600, by: 5) {
            ledger.events[0].title = "Talk, edit \(second)"
            ledger.nextDueAt = .distantPast
            _ = ledger.tick(at: noon + Double(second)) { _ in .accepted }
        }
        _ = ledger.tick(at: noon + 660) { _ in .accepted }
        let sent = ledger.history.filter { $0.event == .update }
        #expect(zip(sent, sent.dropFirst()).allSatisfy { $1.at.timeIntervalSince($0.at) >= 45 })
        #expect((10...15).contains(sent.count))
        #expect(ledger.runs[0].content?["title"] == "Talk, edit 600")
    }

    @Test("A minute's jitter of the ticks passes no tick over, and the start holds no update up")
    func jitter() throws {
        var ledger = Ledger()
        (ledger.app, ledger.events) = (.sample(), [talk])
        _ = ledger.tick(at: at("2026-03-02 09:00:07")) { _ in .accepted }
        for (number, time) in ["09:00:09", "09:01:05", "09:02:01", "09:03:09"].enumerated() {
            ledger.events[0].title = "Talk \(number)"
            ledger.runs[0].updateToken = PushToken("cc01")
            ledger.nextDueAt = .distantPast
            _ = ledger.tick(at: at("2026-03-02 \(time)")) { _ in .accepted }
        }
        #expect(ledger.history.count { $0.event == .update } == 4)
    }

    @Test func minutesAloneChangeNothing() {
        let app = AppPolicy.sample(contentState: ["title": "{{event.title}}", "in": "{{minutes}}"])
        let counting = card.told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00", app: app)
        for minute in 1..<60 {
            let plan = decide(
                .sample([talk], runs: [counting], app: app), at: at("2026-03-02 09:00") + TimeInterval(minute) * 60)
            #expect(plan.acts == [])
        }
    }

    @Test func contentIsRefreshedBeforeItIsStale() {
        let snapshot = DeviceSnapshot.sample([talk], runs: [told(.active, staleAt: "2026-03-02 10:40")])
        let before = decide(snapshot, at: at("2026-03-02 10:34:59"))
        #expect(before.acts == [])
        #expect(before.nextDueAt == at("2026-03-02 10:35"))
        #expect(decide(snapshot, at: at("2026-03-02 10:35")).acts == ["update r1 refresh"])
    }

    @Test func aCardWithoutATokenIsNotRefreshed() {
        var silent = told(.active, staleAt: "2026-03-02 10:20")
        silent.updateToken = nil
        #expect(decide(.sample([talk], runs: [silent]), at: at("2026-03-02 10:30")).lines == [])
    }

    @Test func aFailedUpdateWaitsAndThenCarriesTheNewestState() throws {
        var failed = told(.upcoming)
        failed.retryAt = at("2026-03-02 10:50")
        let waiting = decide(.sample([talk], runs: [failed]), at: at("2026-03-02 10:49:59"))
        #expect(waiting.acts == [])
        #expect(waiting.nextDueAt == at("2026-03-02 10:50"))
        let again = decide(.sample([talk], runs: [failed]), at: at("2026-03-02 10:50"))
        #expect(try #require(again.updates.first).context.phase == .ending)
    }

    @Test func anUpdateMovesTheStaleDateOn() throws {
        let long = Event.sample(1, "2026-03-02 10:00", lasting: 5 * hour)
        let run = card.told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 15:00", staleAt: "2026-03-02 11:00")
        let plan = decide(.sample([long], runs: [run]), at: at("2026-03-02 10:00"))
        #expect(try #require(plan.updates.first).staleAt == at("2026-03-02 12:00"))
        #expect(plan.nextDueAt == at("2026-03-02 11:55"))
    }

    @Test("I11: two pushes of one second have two timestamps")
    func timestamps() throws {
        var run = told(.upcoming)
        run.lastTimestamp = Int64(at("2026-03-02 10:00").timeIntervalSince1970)
        let update = decide(.sample([talk], runs: [run]), at: at("2026-03-02 10:00") + 0.9)
        #expect(try #require(update.updates.first).timestamp == Int64(at("2026-03-02 10:00:01").timeIntervalSince1970))
        run.lastTimestamp = 1_772_445_601
        let end = decide(.sample(runs: [run]), at: at("2026-03-02 10:00") + 0.9)
        #expect(try #require(end.ends.first).timestamp == 1_772_445_602)
    }

    @Test("FR-06: a timestamp is the moment of the decision, unless the last one forces it on")
    func freshTimestamps() throws {
        let moment = at("2026-03-02 10:00:07") + 0.25
        let second = Int64(at("2026-03-02 10:00:07").timeIntervalSince1970)
        #expect(
            try #require(decide(.sample([talk], runs: [told(.upcoming)]), at: moment).updates.first).timestamp == second
        )
        #expect(try #require(decide(.sample([talk]), at: moment).starts.first).timestamp == second)
        #expect(try #require(decide(.sample(runs: [told(.upcoming)]), at: moment).ends.first).timestamp == second)
    }

    @Test func aCardOfTheAppsOwnIsToldEverything() {
        let plan = decide(.sample([talk], runs: [card]), at: at("2026-03-02 10:10"))
        #expect(plan.acts == ["update r1 content_changed"])
    }
}
