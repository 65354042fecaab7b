import Foundation
import LiveActivity
import Planning
import Testing

@Suite("FR-39: a card lives eight hours") struct RenewalTests {
    // From 10:00 to 20:00; its card went up at 09:00.
    let fair = Event.sample(1, "2026-03-02 10:00", lasting: 10 * hour)
    private func card(_ number: Int = 1, generation: Int = 1, started: String, _ change: (inout Run) -> Void = { _ in })
        -> Run
    {
        var run = Run.sample(
            number, "2026-03-02 10:00", generation: generation, started: started, expires: "2026-03-02 20:00"
        )
        .told(.active, "2026-03-02 10:00", to: "2026-03-02 20:00")
        change(&run)
        return run
    }
    private func acts(_ runs: [Run], _ moment: String, device: Device = .sample()) -> [String] {
        decide(.sample([fair], runs: runs, device: device), at: at(moment)).acts
    }

    @Test func aNewCardGoesUpAfterSevenHours() {
        let old = card(started: "2026-03-02 09:00")
        let before = decide(.sample([fair], runs: [old]), at: at("2026-03-02 15:59:59"))
        #expect(before.acts == [])
        #expect(before.nextDueAt == at("2026-03-02 16:00"))
        #expect(acts([old], "2026-03-02 16:00") == ["start e1 #2 renewal"])
    }

    @Test func noneWhereTheOccurrenceClosesInTime() {
        let short = Event.sample(1, "2026-03-02 10:00", lasting: 7 * hour)
        let old = Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
            .told(.ending, "2026-03-02 10:00", to: "2026-03-02 17:00")
        #expect(decide(.sample([short], runs: [old]), at: at("2026-03-02 16:50")).acts == [])
    }

    @Test func theOldCardStaysUntilTheNewOneIsConfirmed() {
        let old = card(started: "2026-03-02 09:00")
        let new = card(2, generation: 2, started: "2026-03-02 16:00") {
            ($0.state, $0.isConfirmed, $0.updateToken) = (.accepted, false, nil)
        }
        let waiting = decide(.sample([fair], runs: [old, new]), at: at("2026-03-02 16:01"))
        #expect(waiting.acts == [])
        #expect(waiting.nextDueAt == at("2026-03-02 17:00"))
        let confirmed = card(2, generation: 2, started: "2026-03-02 16:00")
        #expect(acts([old, confirmed], "2026-03-02 16:01") == ["end r1 renewed"])
    }

    @Test func orUntilItsEightHoursAreOver() {
        let old = card(started: "2026-03-02 09:00")
        let new = card(2, generation: 2, started: "2026-03-02 16:00") {
            ($0.state, $0.isConfirmed, $0.updateToken) = (.accepted, false, nil)
        }
        #expect(acts([old, new], "2026-03-02 17:00") == ["end r1 renewed"])
    }

    @Test("FR-37: no end for the old card where the new one's start failed")
    func failedRenewal() {
        let old = card(started: "2026-03-02 09:00")
        let failed = card(2, generation: 2, started: "2026-03-02 16:00") {
            ($0.state, $0.isConfirmed, $0.updateToken, $0.retryAt) = (.failed, false, nil, at("2026-03-02 16:15"))
        }
        let waiting = decide(.sample([fair], runs: [old, failed]), at: at("2026-03-02 16:01"))
        #expect(waiting.acts == [])
        #expect(waiting.nextDueAt == at("2026-03-02 16:15"))
        #expect(acts([old, failed], "2026-03-02 16:15") == ["start e1 #2 retry"])
    }

    @Test func aRenewalThatIsRefusedLeavesTheOldCardItsEightHours() {
        let old = card(started: "2026-03-02 09:00")
        let plan = decide(.sample([fair], runs: [old], device: .sample(startToken: nil)), at: at("2026-03-02 16:30"))
        #expect(plan.lines == ["skip e1 no_start_token"])
        #expect(plan.nextDueAt == at("2026-03-02 17:00"))
        let over = decide(.sample([fair], runs: [old], device: .sample(startToken: nil)), at: at("2026-03-02 17:00"))
        #expect(over.acts == ["end r1 eight_hours"])
    }

    @Test func aMissedRenewalWaitsForTheOldCardToBeGone() {
        let old = card(started: "2026-03-02 09:00")
        #expect(acts([old], "2026-03-02 17:30") == ["end r1 eight_hours"])
        let gone = card(started: "2026-03-02 09:00") {
            ($0.state, $0.reason, $0.isGone, $0.updateToken) = (.ended, Reason.eightHours.rawValue, true, nil)
        }
        #expect(acts([gone], "2026-03-02 17:31") == ["start e1 #2 card_gone"])
    }

    @Test func anEndThatMakesRoomForTheOccurrencesNextCardIsLookedAfterAtOnce() {
        let old = card(started: "2026-03-02 09:00")
        let plan = decide(.sample([fair], runs: [old]), at: at("2026-03-02 17:00"))
        #expect(plan.acts == ["end r1 eight_hours"])
        #expect(plan.nextDueAt == at("2026-03-02 17:00:01"))
    }

    @Test func aSecondRenewalFollowsWhereTheOccurrenceIsThatLong() {
        let week = Event.sample(1, "2026-03-02 10:00", days: 2)
        func run(_ number: Int, generation: Int, started: String) -> Run {
            Run.sample(number, "2026-03-02 10:00", generation: generation, started: started)
                .told(.active, "2026-03-02 10:00", to: "2026-03-04 11:00", staleAt: "2026-03-04 11:00")
        }
        var first = run(1, generation: 1, started: "2026-03-02 09:00")
        // Its end met a token that APNs no longer knew: it says nothing about the second card.
        (first.state, first.reason, first.updateToken) = (.ended, Reason.updateTokenGone.rawValue, nil)
        let second = run(2, generation: 2, started: "2026-03-02 16:00")
        let plan = decide(.sample([week], runs: [first, second]), at: at("2026-03-02 23:00"))
        #expect(plan.acts == ["start e1 #3 renewal"])
    }

    @Test func theNextMomentIsKnownForBothCards() {
        let old = card(started: "2026-03-02 09:00")
        let new = card(2, generation: 2, started: "2026-03-02 16:05") {
            ($0.state, $0.isConfirmed, $0.updateToken) = (.unknown, false, nil)
        }
        #expect(
            decide(.sample([fair], runs: [new, old]), at: at("2026-03-02 16:30")).nextDueAt == at("2026-03-02 17:00"))
    }

    @Test func aCardThatOnlyHoldsAPlaceIsKnownToEndAfterEightHoursToo() {
        // Event 2 has the place and may not start; the card of event 1 stays, and dies at 17:00.
        let old = card(started: "2026-03-02 09:00")
        let better = Event.sample(2, "2026-03-02 17:30")
        let plan = decide(
            .sample([fair, better], runs: [old], device: .sample(startToken: nil)), at: at("2026-03-02 16:45"))
        #expect(plan.acts == [])
        #expect(plan.nextDueAt == at("2026-03-02 17:00"))
    }

    @Test func noUpdateGoesToACardAfterItsEightHours() {
        let old = card(started: "2026-03-02 09:00") { $0.phase = .upcoming }
        #expect(acts([old], "2026-03-02 17:00") == ["end r1 eight_hours"])
    }
}
