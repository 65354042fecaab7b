import Foundation
import LiveActivity
import Planning
import Testing

@Suite("Silent pushes") struct WakeTests {
    let talk = Event.sample(1, "2026-03-02 10:00")
    let other = Event.sample(2, "2026-03-02 09:30", lasting: 3 * hour)
    private func card(_ number: Int = 1, event: Int = 1, started: String = "2026-03-02 09:00") -> Run {
        Run.sample(number, event: event, "2026-03-02 10:00", state: .accepted, token: false, started: started)
            .told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00")
    }
    private func wake(_ time: String, _ cause: WakeCause) -> DeviceSnapshot.Wake {
        .init(at: at("2026-03-02 \(time)"), cause: cause)
    }
    private func wakes(_ plan: DevicePlan) -> [String] { plan.acts.filter { $0.hasPrefix("wake") } }

    @Test func noneMerelyBecauseTheTokenIsMissing() {
        #expect(decide(.sample([talk], runs: [card()]), at: at("2026-03-02 09:30")).lines == [])
    }

    @Test func oneForAHeldUpdateAndOneForAHeldEnd() {
        #expect(
            decide(.sample([talk], runs: [card()]), at: at("2026-03-02 10:00")).lines == ["hold r1", "wake r1 update"])
        #expect(
            decide(.sample([talk], runs: [card()]), at: at("2026-03-02 11:00")).lines == [
                "settle r1 ending over", "wake r1 take_down",
            ])
    }

    @Test func noneWhereNothingCanBeWoken() {
        let mute = Device.sample(wakeToken: nil)
        #expect(wakes(decide(.sample([talk], runs: [card()], device: mute), at: at("2026-03-02 10:00"))) == [])
        let expo = Device.sample(wakeToken: nil, expoToken: "ExponentPushToken[x]")
        #expect(
            wakes(decide(.sample([talk], runs: [card()], device: expo), at: at("2026-03-02 10:00"))) == [
                "wake r1 update"
            ])
    }

    @Test func noneInACardsFirstThreeMinutes() {
        let fresh = card(started: "2026-03-02 09:58")
        let early = decide(.sample([talk], runs: [fresh]), at: at("2026-03-02 10:00:59"))
        #expect(wakes(early) == [])
        #expect(early.nextDueAt == at("2026-03-02 10:01"))
        #expect(wakes(decide(.sample([talk], runs: [fresh]), at: at("2026-03-02 10:01"))) == ["wake r1 update"])
    }

    @Test("FR-63: two in any sixty minutes, one of them kept for take-downs")
    func budget() {
        func held(_ moment: String, _ wakes: [DeviceSnapshot.Wake]) -> DevicePlan {
            decide(.sample([talk], runs: [card()], wakes: wakes), at: at("2026-03-02 \(moment)"))
        }
        // An update has one an hour.
        let update = held("10:30", [wake("10:00", .update)])
        #expect(wakes(update) == [])
        #expect(update.nextDueAt == at("2026-03-02 10:45"))
        // An end has the other, and not a third.
        #expect(wakes(held("11:00", [wake("10:30", .update)])) == ["wake r1 take_down"])
        let spent = held("11:20", [wake("10:30", .update), wake("11:00", .takeDown)])
        #expect(wakes(spent) == [])
        #expect(spent.nextDueAt == at("2026-03-02 11:30"))
        #expect(wakes(held("11:30", [wake("10:30", .update), wake("11:00", .takeDown)])) == ["wake r1 take_down"])
    }

    @Test("A quarter of an hour lies between two, but a take-down does not wait for the answer to an update")
    func spacing() {
        func held(_ moment: String, _ earlier: WakeCause) -> DevicePlan {
            decide(.sample([talk], runs: [card()], wakes: [wake("10:55", earlier)]), at: at("2026-03-02 \(moment)"))
        }
        #expect(wakes(held("11:00", .update)) == ["wake r1 take_down"])
        #expect(wakes(held("11:00", .takeDown)) == [])
        #expect(held("11:00", .takeDown).nextDueAt == at("2026-03-02 11:10"))
        #expect(wakes(held("11:10", .takeDown)) == ["wake r1 take_down"])
    }

    @Test("A wake that APNs never took costs a quarter of an hour, and nothing of the budget")
    func lost() {
        let lost = DeviceSnapshot.Wake(at: at("2026-03-02 10:00"), cause: .update, isLost: true)
        func held(_ moment: String, _ wakes: [DeviceSnapshot.Wake]) -> DevicePlan {
            decide(.sample([talk], runs: [card()], wakes: wakes), at: at("2026-03-02 \(moment)"))
        }
        // When it goes out nobody knows yet what becomes of it, so the plan is looked at again.
        #expect(held("10:00", []).nextDueAt == at("2026-03-02 10:15"))
        #expect(wakes(held("10:14", [lost])) == [])
        #expect(wakes(held("10:15", [lost])) == ["wake r1 update"])
    }

    @Test func theCauseIsThatOfWhatIsRipe() {
        // The end is owed for a card of two minutes, the update for an older one.
        let young = card(started: "2026-03-02 10:58")
        let old = Run.sample(
            2, event: 2, "2026-03-02 09:30", state: .accepted, token: false, started: "2026-03-02 08:30"
        )
        .told(.upcoming, "2026-03-02 09:30", to: "2026-03-02 12:30", staleAt: "2026-03-02 12:30")
        let app = AppPolicy.sample(maxCards: 2)
        let plan = decide(.sample([talk, other], runs: [young, old], app: app), at: at("2026-03-02 11:00"))
        #expect(wakes(plan) == ["wake r2 update"])
        // The update has had its wake; the end's moment comes when its card is three minutes old.
        let waiting = decide(
            .sample([talk, other], runs: [young, old], app: app, wakes: [wake("10:40", .update)]),
            at: at("2026-03-02 11:00"))
        #expect(wakes(waiting) == [])
        #expect(waiting.nextDueAt == at("2026-03-02 11:01"))
    }

    @Test func oneWakeSpeaksOfAllThatWait() {
        let old = Run.sample(
            2, event: 2, "2026-03-02 09:30", state: .accepted, token: false, started: "2026-03-02 08:30"
        )
        .told(.upcoming, "2026-03-02 09:30", to: "2026-03-02 12:30", staleAt: "2026-03-02 12:30")
        let plan = decide(
            .sample([talk, other], runs: [card(), old], app: .sample(maxCards: 2)), at: at("2026-03-02 11:00"))
        #expect(wakes(plan) == ["wake r1 r2 take_down"])
    }
}
