import Foundation
import LiveActivity
import Planning
import Testing

@Suite("I3: every card is taken down") struct EndTests {
    let talk = Event.sample(1, "2026-03-02 10:00")
    let card = Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
        .told(.active, "2026-03-02 10:00", to: "2026-03-02 11:00")
    let moment = at("2026-03-02 10:30")

    private func without(_ change: (inout Run) -> Void) -> Run {
        var run = card
        change(&run)
        return run
    }

    @Test func atTheCloseAndNotBefore() {
        let ending = card.told(.ending, "2026-03-02 10:00", to: "2026-03-02 11:00")
        let before = decide(.sample([talk], runs: [ending]), at: at("2026-03-02 10:59:59"))
        #expect(before.acts == [])
        #expect(before.nextDueAt == at("2026-03-02 11:00"))
        #expect(decide(.sample([talk], runs: [ending]), at: at("2026-03-02 11:00")).acts == ["end r1 over"])
    }

    @Test func atTheStartWhereTheAppSaysSo() {
        let app = AppPolicy.sample(closes: .start)
        let upcoming = card.told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00", staleAt: "2026-03-02 10:00")
        let before = decide(.sample([talk], runs: [upcoming], app: app), at: at("2026-03-02 09:59:59"))
        #expect(before.acts == [])
        #expect(before.nextDueAt == at("2026-03-02 10:00"))
        #expect(decide(.sample([talk], runs: [upcoming], app: app), at: at("2026-03-02 10:00")).acts == ["end r1 over"])
    }

    @Test func whenItsEventIsDeletedOrUnshared() {
        #expect(decide(.sample(runs: [without { $0.eventExists = false }]), at: moment).acts == ["end r1 deleted"])
        #expect(decide(.sample(runs: [card]), at: moment).acts == ["end r1 unshared"])
    }

    @Test func whenItsOccurrenceIsCancelledOrExcepted() {
        let cancelled = Event.sample(1, "2026-03-02 10:00", overrides: ["2026-03-02 10:00": .init(isCancelled: true)])
        #expect(decide(.sample([cancelled], runs: [card]), at: moment).acts == ["end r1 cancelled"])
        let excepted = Event.sample(1, "2026-03-02 10:00", rrule: "FREQ=DAILY", exdates: ["2026-03-02 10:00"])
        #expect(decide(.sample([excepted], runs: [card]), at: moment).acts == ["end r1 cancelled"])
        // The event starts at 10:00, so midnight means the whole day.
        let byDay = Event.sample(1, "2026-03-02 10:00", rrule: "FREQ=DAILY", exdates: ["2026-03-02 00:00"])
        #expect(decide(.sample([byDay], runs: [card]), at: moment).acts == ["end r1 cancelled"])
    }

    @Test func whenItMovedOutOfItsWindow() {
        let moved = Event.sample(1, "2026-03-02 15:00")
        #expect(decide(.sample([moved], runs: [card]), at: moment).acts == ["end r1 moved"])
        let overridden = Event.sample(
            1, "2026-03-02 10:00", overrides: ["2026-03-02 10:00": .init(startsAt: local("2026-03-02 15:00"))])
        #expect(decide(.sample([overridden], runs: [card]), at: moment).acts == ["end r1 moved"])
    }

    @Test(
        "When the person or the account wants none",
        arguments: [
            (Device.sample(showsPersonal: false), Reason.switchedOff), (.sample(isEnabled: false), .liveActivitiesOff),
            (.sample(isUnregistered: true), .loggedOut), (.sample(user: "eve"), .accountChanged),
        ])
    func device(device: Device, reason: Reason) {
        let plan = decide(.sample([talk], runs: [card], device: device), at: moment)
        #expect(plan.lines.contains("end r1 \(reason.rawValue)"))
    }

    @Test func whenTheAppIsNoMoreAndWhenItsTemplatesAreBad() {
        #expect(decide(.sample([talk], runs: [card], app: nil), at: moment).acts == ["end r1 no_app"])
        let bad = AppPolicy.sample().broken
        #expect(decide(.sample([talk], runs: [card], app: bad), at: moment).acts == [])
        #expect(decide(.sample([talk], runs: [card], app: bad), at: at("2026-03-02 11:00")).acts == ["end r1 over"])
    }

    @Test("I12: a rule that goes bad while its card runs ends that card alone")
    func ruleGoesBad() {
        let bad = Event.sample(1, "2026-03-02 10:00", rrule: "FREQ=DAILY;BYDAY=XX")
        let good = Event.sample(2, "2026-03-02 11:15")
        let plan = decide(.sample([bad, good], runs: [card]), at: moment)
        #expect(plan.lines == ["skip e1 bad_rule", "start e2 #1 window_open", "end r1 bad_rule"])
    }

    @Test func anEndCarriesTheLastContentAndLeavesAtOnce() throws {
        let plan = decide(.sample(runs: [card]), at: moment + 0.5)
        let end = try #require(plan.ends.first)
        #expect(end.content == card.content)
        #expect(end.token == card.updateToken)
        // Not after the timestamp means at once (FR-09).
        #expect(end.dismissAt.timeIntervalSince1970 <= TimeInterval(end.timestamp))
        #expect(end.expiresAt == at("2026-03-02 21:00"))
    }

    @Test func whatIsOverLingersAsTheAppSays() throws {
        let app = AppPolicy.sample(linger: 20 * minute)
        let over = decide(.sample([talk], runs: [card], app: app), at: at("2026-03-02 11:02"))
        #expect(try #require(over.ends.first).dismissAt == at("2026-03-02 11:20"))
        let deleted = decide(.sample(runs: [card], app: app), at: at("2026-03-02 11:02"))
        #expect(try #require(deleted.ends.first).dismissAt == at("2026-03-02 11:02"))
    }

    // MARK: Without a token

    @Test func anEndWithoutATokenIsOwedAndTheStateSaysSo() {
        let silent = without { $0.updateToken = nil }
        let plan = decide(.sample([talk], runs: [silent]), at: at("2026-03-02 11:00"))
        #expect(plan.acts == ["settle r1 ending over", "wake r1 take_down"])
    }

    @Test func anOwedEndGoesOutWithTheToken() {
        let owed = without { ($0.state, $0.reason) = (.ending, Reason.over.rawValue) }
        #expect(decide(.sample([talk], runs: [owed]), at: at("2026-03-02 11:30")).acts == ["end r1 over"])
    }

    @Test func aHeldEndThatIsWantedAgainLivesOn() {
        let held = without { ($0.state, $0.reason, $0.updateToken) = (.ending, Reason.outranked.rawValue, nil) }
        #expect(decide(.sample([talk], runs: [held]), at: moment).acts == ["settle r1 confirmed wanted_again"])
        let accepted = without {
            ($0.state, $0.reason, $0.updateToken, $0.isConfirmed) = (.ending, Reason.outranked.rawValue, nil, false)
        }
        #expect(decide(.sample([talk], runs: [accepted]), at: moment).acts == ["settle r1 accepted wanted_again"])
        // Nobody heard whether APNs took its start, and no detour makes that known.
        let unknown = without {
            ($0.state, $0.reason, $0.updateToken) = (.ending, Reason.outranked.rawValue, nil)
            ($0.isConfirmed, $0.isStartTaken) = (false, false)
        }
        #expect(decide(.sample([talk], runs: [unknown]), at: moment).acts == ["settle r1 unknown wanted_again"])
    }

    @Test func anEndThatWasSentIsNeverTakenBack() {
        let sent = without { ($0.state, $0.reason, $0.isEndSent) = (.ending, Reason.outranked.rawValue, true) }
        let plan = decide(.sample([talk], runs: [sent]), at: moment)
        #expect(plan.acts == ["end r1 outranked"])
    }

    @Test func aSecondCardIsEndedWhateverItsOccurrenceBecomes() {
        let second = without {
            ($0.id, $0.generation, $0.state, $0.reason) = (numbered(2), 2, .ending, Reason.secondCard.rawValue)
        }
        #expect(decide(.sample([talk], runs: [card, second]), at: moment).acts == ["end r2 second_card"])
    }

    @Test func aSecondCardOfAnAppsOwnCardIsEndedToo() {
        let own = without { $0.startedAt = nil }
        let second = without {
            ($0.id, $0.generation, $0.state, $0.reason) = (numbered(2), 2, .ending, Reason.secondCard.rawValue)
            ($0.startedAt, $0.updateToken) = (nil, nil)
        }
        let plan = decide(.sample([talk], runs: [own, second]), at: moment)
        #expect(plan.acts == ["settle r1 confirmed app_started", "settle r2 ending second_card"])
    }

    // MARK: Again and again, and no longer than that

    @Test func aFailedEndWaitsForItsRetry() {
        let failed = without {
            ($0.state, $0.reason, $0.isEndSent) = (.ending, Reason.over.rawValue, true)
            $0.retryAt = at("2026-03-02 11:10")
        }
        let waiting = decide(.sample([talk], runs: [failed]), at: at("2026-03-02 11:09:59"))
        #expect(waiting.acts == [])
        #expect(waiting.nextDueAt == at("2026-03-02 11:10"))
        #expect(decide(.sample([talk], runs: [failed]), at: at("2026-03-02 11:10")).acts == ["end r1 over"])
    }

    @Test func theFailureOfAnUpdateDoesNotHoldUpTheEnd() {
        let failed = without { $0.retryAt = at("2026-03-02 11:10") }
        #expect(decide(.sample([talk], runs: [failed]), at: at("2026-03-02 11:00")).acts == ["end r1 over"])
    }

    @Test func afterTwelveHoursTheLedgerGivesUp() {
        let owed = without { ($0.state, $0.reason, $0.isEndSent) = (.ending, Reason.over.rawValue, true) }
        let before = decide(.sample([talk], runs: [owed]), at: at("2026-03-02 20:59:59"))
        #expect(before.nextDueAt == at("2026-03-02 21:00"))
        #expect(
            decide(.sample([talk], runs: [owed]), at: at("2026-03-02 21:00")).acts == ["settle r1 ended twelve_hours"])
        let ended = without { ($0.state, $0.reason, $0.isGone) = (.ended, Reason.twelveHours.rawValue, true) }
        #expect(decide(.sample([talk], runs: [ended]), at: at("2026-03-02 21:01")).acts == [])
    }

    @Test func aSettledCardThatTurnsUpAgainIsEndedWithinItsTwelveHours() {
        let back = without { ($0.state, $0.reason) = (.dismissed, Reason.dismissedByPerson.rawValue) }
        #expect(decide(.sample([talk], runs: [back]), at: moment).acts == ["end r1 end_owed"])
        #expect(decide(.sample([talk], runs: [back]), at: at("2026-03-02 21:00")).acts == [])
    }

    // MARK: What the app and the clock say

    @Test func aMissingCardCountsOnceItsStartHasExpired() {
        let missing = without { ($0.isMissing, $0.state, $0.updateToken) = (true, .accepted, nil) }
        let early = decide(.sample([talk], runs: [missing]), at: at("2026-03-02 09:59:59"))
        #expect(early.acts.contains { $0.hasPrefix("settle") } == false)
        #expect(early.nextDueAt == at("2026-03-02 10:00"))
        #expect(
            decide(.sample([talk], runs: [missing]), at: at("2026-03-02 10:00")).acts == [
                "settle r1 ended missing", "start e1 #2 card_gone",
            ])
    }

    @Test func aClaimThatNobodyAnsweredIsUnknownAndNeverSentAgain() {
        let claimed = without { ($0.state, $0.updateToken, $0.isConfirmed) = (.claimed, nil, false) }
        #expect(decide(.sample([talk], runs: [claimed]), at: moment).acts == ["settle r1 unknown no_answer"])
    }

    @Test func aRunIsSettledOnceInAPlan() {
        let claimed = without {
            ($0.state, $0.updateToken, $0.isConfirmed, $0.eventExists) = (.claimed, nil, false, false)
        }
        let plan = decide(.sample(runs: [claimed]), at: moment)
        #expect(plan.acts == ["settle r1 ending deleted", "wake r1 take_down"])
        let own = without { ($0.startedAt, $0.updateToken, $0.eventExists) = (nil, nil, false) }
        let stamped = decide(.sample(runs: [own]), at: moment)
        guard case .settle(_, let settlement) = stamped.steps.first?.action else {
            Issue.record("no settlement: \(stamped.lines)")
            return
        }
        #expect(stamped.acts == ["settle r1 ending deleted"])
        #expect(settlement.startedAt == moment)
    }

    @Test func anAppsOwnCardIsStampedByTheFirstTickThatSeesIt() {
        let own = without { $0.startedAt = nil }
        let plan = decide(.sample([talk], runs: [own]), at: moment)
        #expect(
            plan.steps == [
                Step(
                    .settle(own.id, Settlement(.confirmed, startedAt: moment, closesAt: at("2026-03-02 11:00"))),
                    event: numbered(1), occurrence: local("2026-03-02 10:00"), .appStarted)
            ])
    }
}
