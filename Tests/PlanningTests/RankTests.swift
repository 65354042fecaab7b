import Foundation
import LiveActivity
import Planning
import Testing

@Suite("Which occurrences have the cards") struct RankTests {
    private func starts(_ events: [Event], _ moment: String, maxCards: Int = 1) -> [String] {
        decide(.sample(events, app: .sample(maxCards: maxCards)), at: at(moment)).acts
    }

    @Test func upcomingGoesBeforeActive() {
        let events = [Event.sample(1, "2026-03-02 09:00"), .sample(2, "2026-03-02 10:30")]
        #expect(starts(events, "2026-03-02 09:40") == ["start e2 #1 window_open"])
    }

    @Test func theNearestStartGoesFirst() {
        let events = [Event.sample(1, "2026-03-02 10:30"), .sample(2, "2026-03-02 10:15")]
        #expect(starts(events, "2026-03-02 10:00") == ["start e2 #1 window_open"])
        let active = [Event.sample(1, "2026-03-02 10:00"), .sample(2, "2026-03-02 10:20")]
        #expect(starts(active, "2026-03-02 10:30") == ["start e2 #1 window_open"])
    }

    @Test func atTheSameStartTheEventsIDDecides() {
        let events = [
            Event.sample(7, "2026-03-02 10:00"), .sample(3, "2026-03-02 10:00"), .sample(5, "2026-03-02 10:00"),
        ]
        #expect(starts(events, "2026-03-02 09:30") == ["start e3 #1 window_open"])
        #expect(
            starts(events, "2026-03-02 09:30", maxCards: 2) == ["start e3 #1 window_open", "start e5 #1 window_open"])
    }

    // MARK: Displacement

    let long = Event.sample(1, "2026-03-02 09:00", lasting: 4 * hour)
    let next = Event.sample(2, "2026-03-02 11:00")
    let card = Run.sample(1, "2026-03-02 09:00", started: "2026-03-02 08:00")
        .told(.active, "2026-03-02 09:00", to: "2026-03-02 13:00")

    @Test func aCardThatLostItsPlaceEndsAsTheWinnerStarts() {
        let plan = decide(.sample([long, next], runs: [card]), at: at("2026-03-02 10:00"))
        #expect(plan.acts == ["start e2 #1 window_open", "end r1 outranked"])
    }

    @Test("A card that lost its place stays until the winner may start")
    func displacementWaits() {
        let spent = (2...5).map {
            Run.sample(
                $0, event: 50 + $0, "2026-03-02 09:30", state: .ended, token: false, started: "2026-03-02 09:30",
                isGone: true)
        }
        let snapshot = DeviceSnapshot.sample([long, next], runs: [card] + spent)
        let waiting = decide(snapshot, at: at("2026-03-02 10:00"))
        #expect(waiting.acts == [])
        #expect(waiting.nextDueAt == at("2026-03-02 10:30"))
        #expect(decide(snapshot, at: at("2026-03-02 10:30")).acts == ["start e2 #1 window_open", "end r1 outranked"])
    }

    @Test func ofTwoLosersTheBetterOneKeepsAFreePlace() {
        let third = Event.sample(3, "2026-03-02 09:30", lasting: 4 * hour)
        let dismissed = Run.sample(
            3, event: 2, "2026-03-02 11:00", state: .dismissed, token: false, started: "2026-03-02 10:00", isGone: true)
        let other = Run.sample(2, event: 3, "2026-03-02 09:30", started: "2026-03-02 08:30")
            .told(.active, "2026-03-02 09:30", to: "2026-03-02 13:30")
        // Event 2 wins the one place and cannot have it, so the nearer of the two others holds it.
        let plan = decide(.sample([long, next, third], runs: [card, other, dismissed]), at: at("2026-03-02 10:10"))
        #expect(plan.acts == ["end r1 outranked"])
    }

    @Test func bothCardsOfARenewalKeepTheirOnePlace() {
        let day = Event.sample(1, "2026-03-02 01:00", lasting: 12 * hour)
        let old = Run.sample(1, "2026-03-02 01:00", started: "2026-03-02 01:00")
            .told(.active, "2026-03-02 01:00", to: "2026-03-02 13:00")
        let new = Run.sample(
            2, "2026-03-02 01:00", generation: 2, state: .accepted, token: false, started: "2026-03-02 08:05"
        )
        .told(.active, "2026-03-02 01:00", to: "2026-03-02 13:00")
        let spent = (3...6).map {
            Run.sample(
                $0, event: 50 + $0, "2026-03-02 08:05", state: .ended, token: false, started: "2026-03-02 08:05",
                isGone: true)
        }
        // Event 2 would win the place, but its start must wait; neither card of event 1 may go for it.
        let nine = Event.sample(2, "2026-03-02 09:05")
        let plan = decide(.sample([day, nine], runs: [old, new] + spent), at: at("2026-03-02 08:06"))
        #expect(plan.acts == [])
        #expect(plan.lines.contains("skip e2 start_budget"))
    }

    @Test func twoCardsAtOnceWhereTheAppAllowsThem() {
        let plan = decide(.sample([long, next], runs: [card], app: .sample(maxCards: 2)), at: at("2026-03-02 10:00"))
        #expect(plan.acts == ["start e2 #1 window_open"])
    }

    @Test func aPlaceTooManyGoesToTheBetterCard() {
        let second = Run.sample(2, event: 2, "2026-03-02 11:00", started: "2026-03-02 10:00")
            .told(.upcoming, "2026-03-02 11:00", to: "2026-03-02 12:00")
        let plan = decide(.sample([long, next], runs: [card, second]), at: at("2026-03-02 10:10"))
        #expect(plan.acts == ["end r1 outranked"])
    }
}
