import Foundation
import LiveActivity
import Planning
import Testing

@Suite("An event that moves a little keeps its card") struct RekeyTests {
    let card = Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
        .told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00")
    let later = Event.sample(1, "2026-03-02 10:20")
    let moment = at("2026-03-02 09:30")

    private func without(_ change: (inout Run) -> Void) -> Run {
        var run = card
        change(&run)
        return run
    }

    @Test func itsRunGoesAlongAndIsToldTheNewTime() {
        #expect(
            decide(.sample([later], runs: [card]), at: moment).acts == [
                "rekey r1 2026-03-02T10:20:00 #1", "update r1 content_changed",
            ])
    }

    @Test("An exception takes an occurrence out and moves none: its run does not go over to another open occurrence")
    func anExceptionIsNoMove() {
        for exception in ["2026-03-02 10:00", "2026-03-02 00:00"] {
            let twice = Event.sample(
                1, "2026-03-01 10:00", rdates: ["2026-03-02 10:00", "2026-03-03 09:45"], exdates: [exception])
            let late = at("2026-03-02 10:30")
            let plan = decide(.sample([twice], runs: [card]), at: late)
            #expect(plan.acts.filter { $0.hasPrefix("rekey") } == [])
            #expect(plan.acts.contains("end r1 cancelled"), "\(plan.acts)")
        }
        let medication = Event.sample(
            1, "2026-03-02 10:00", rdates: ["2026-03-02 10:20"], exdates: ["2026-03-02 10:00"])
        let dismissed = without { ($0.state, $0.isGone, $0.updateToken) = (.dismissed, true, nil) }
        #expect(decide(.sample([medication], runs: [dismissed]), at: moment).acts == ["start e1 #1 window_open"])
    }

    @Test func aDismissedRunGoesAlongSoThatNothingStartsAgain() {
        let dismissed = without { ($0.state, $0.isGone, $0.updateToken) = (.dismissed, true, nil) }
        #expect(
            decide(.sample([later], runs: [dismissed]), at: moment).lines == [
                "rekey r1 2026-03-02T10:20:00 #1", "skip e1 dismissed_by_person",
            ])
    }

    @Test func aDismissalOfYesterdayKeepsNoCardAwayWhenTheSeriesMoves() {
        let dismissed = without {
            ($0.occurrence, $0.startedAt, $0.closesAt, $0.state, $0.isGone, $0.updateToken) = (
                local("2026-03-01 10:00"), at("2026-03-01 09:00"), at("2026-03-01 11:00"), .dismissed, true, nil
            )
        }
        let series = Event.sample(1, "2026-02-02 10:20", rrule: "FREQ=DAILY")
        #expect(decide(.sample([series], runs: [dismissed]), at: moment).acts == ["start e1 #1 window_open"])
        #expect(
            decide(.sample([series], runs: [dismissed, without { $0.id = numbered(2) }]), at: moment).acts == [
                "rekey r2 2026-03-02T10:20:00 #1", "update r2 content_changed",
            ])
    }

    @Test func movedOutOfItsWindowADismissedRunStaysBehind() {
        let dismissed = without {
            ($0.state, $0.isGone, $0.updateToken, $0.closesAt) = (.dismissed, true, nil, at("2026-03-02 11:00"))
        }
        let away = Event.sample(1, "2026-03-02 11:00")
        let plan = decide(.sample([away], runs: [dismissed]), at: moment)
        #expect(plan.acts == ["settle r1 dismissed dismissed_by_person"])
        let left = without {
            ($0.state, $0.isGone, $0.updateToken, $0.closesAt) = (.dismissed, true, nil, moment)
        }
        #expect(decide(.sample([away], runs: [left]), at: moment).acts == [])
        #expect(
            decide(.sample([away], runs: [left]), at: at("2026-03-02 10:00")).acts == ["start e1 #1 window_open"])
        #expect(
            decide(.sample([.sample(1, "2026-03-02 10:00")], runs: [left]), at: at("2026-03-02 10:00")).lines == [
                "skip e1 dismissed_by_person"
            ])
    }

    @Test func theClosestGoTogether() {
        let earlier = without { ($0.occurrence, $0.closesAt) = (local("2026-03-02 09:30"), at("2026-03-02 10:30")) }
        let nearer = without { $0.id = numbered(2) }
        #expect(
            decide(.sample([later], runs: [earlier, nearer]), at: moment).acts == [
                "rekey r2 2026-03-02T10:20:00 #1", "end r1 moved", "update r2 content_changed",
            ])
    }

    @Test func aRunWhoseCardIsGoneStays() {
        let gone = without { ($0.state, $0.isGone, $0.updateToken) = (.ended, true, nil) }
        #expect(decide(.sample([later], runs: [gone]), at: moment).acts == ["start e1 #1 window_open"])
    }

    @Test func severalRunsKeepTheirOrder() {
        let first = without { ($0.state, $0.reason, $0.updateToken) = (.ended, Reason.updateTokenGone.rawValue, nil) }
        let second = without { ($0.id, $0.generation) = (numbered(2), 2) }
        #expect(
            decide(.sample([later], runs: [second, first]), at: moment).acts == [
                "rekey r1 2026-03-02T10:20:00 #1", "rekey r2 2026-03-02T10:20:00 #2", "update r2 content_changed",
            ])
    }

    @Test func movedBackItTakesTheNextFreeGeneration() {
        // A first card of 10:20 is gone; the live one came to 10:00 and now goes back.
        let gone = without {
            ($0.id, $0.occurrence, $0.state, $0.isGone, $0.updateToken) = (
                numbered(2), local("2026-03-02 10:20"), .ended, true, nil
            )
        }
        for runs in [[card, gone], [gone, card]] {
            #expect(
                decide(.sample([later], runs: runs), at: moment).acts == [
                    "rekey r1 2026-03-02T10:20:00 #2", "update r1 content_changed",
                ])
        }
    }

    @Test func aFailedStartGoesAlongAndIsTriedAgainUnderItsRun() {
        let failed = without { ($0.state, $0.updateToken, $0.retryAt) = (.failed, nil, at("2026-03-02 09:30")) }
        #expect(
            decide(.sample([later], runs: [failed]), at: moment).acts == [
                "rekey r1 2026-03-02T10:20:00 #1", "start e1 #1 retry",
            ])
    }

    @Test func aHeldEndGoesAlongAndIsTakenBack() {
        let held = without { ($0.state, $0.reason, $0.updateToken) = (.ending, Reason.moved.rawValue, nil) }
        #expect(
            decide(.sample([later], runs: [held]), at: moment).acts == [
                "rekey r1 2026-03-02T10:20:00 #1", "settle r1 confirmed wanted_again", "wake r1 update",
            ])
    }

    @Test func itGoesToTheNearestOpenWindowWithoutARun() {
        let twice = Event.sample(1, "2026-03-02 10:20", rdates: ["2026-03-02 10:05"])
        #expect(
            decide(.sample([twice], runs: [card]), at: moment).acts.first == "rekey r1 2026-03-02T10:05:00 #1")
        let taken = without { ($0.id, $0.occurrence) = (numbered(2), local("2026-03-02 10:05")) }
        #expect(
            decide(.sample([twice], runs: [card, taken], app: .sample(maxCards: 2)), at: moment).acts.first
                == "rekey r1 2026-03-02T10:20:00 #1")
    }

    @Test func anOverrideMovesTheTimeAndNotTheKey() {
        let overridden = Event.sample(
            1, "2026-03-02 10:00", overrides: ["2026-03-02 10:00": .init(startsAt: local("2026-03-02 10:20"))])
        #expect(decide(.sample([overridden], runs: [card]), at: moment).acts == ["update r1 content_changed"])
    }

    @Test func aSeriesThatMovesKeepsTodaysCard() {
        let series = Event.sample(1, "2026-02-02 10:20", rrule: "FREQ=WEEKLY")
        #expect(
            decide(.sample([series], runs: [card]), at: moment).acts == [
                "rekey r1 2026-03-02T10:20:00 #1", "update r1 content_changed",
            ])
    }

    @Test func outOfItsWindowTheCardEnds() {
        #expect(decide(.sample([.sample(1, "2026-03-02 10:31")], runs: [card]), at: moment).acts == ["end r1 moved"])
    }

    @Test func anotherPersonsRunDoesNotMove() {
        let theirs = without { $0.userID = "bob" }
        #expect(
            decide(.sample([later], runs: [theirs]), at: moment).acts == [
                "start e1 #1 window_open", "end r1 account_changed",
            ])
    }

    @Test func anEventThatCannotBeReadMovesNothing() {
        let bad = Event.sample(1, "2026-03-02 10:20", rrule: "FREQ=NEVER")
        let dismissed = without { ($0.state, $0.isGone, $0.updateToken) = (.dismissed, true, nil) }
        #expect(decide(.sample([bad], runs: [dismissed]), at: moment).acts == [])
    }
}
