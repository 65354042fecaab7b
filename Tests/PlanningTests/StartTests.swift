import Foundation
import LiveActivity
import Planning
import Testing

@Suite("Starts") struct StartTests {
    let talk = Event.sample(1, "2026-03-02 10:00")

    @Test func aWindowOpensAtStartLessLeadAndNotBefore() {
        let before = decide(.sample([talk]), at: at("2026-03-02 08:59:59"))
        #expect(before.acts == [])
        #expect(before.nextDueAt == at("2026-03-02 09:00"))
        let then = decide(.sample([talk]), at: at("2026-03-02 09:00"))
        #expect(then.lines == ["start e1 #1 window_open"])
        #expect(then.nextDueAt == at("2026-03-02 10:00"))
    }

    @Test func anEventsOwnLeadGoesBeforeTheApps() {
        let early = Event.sample(1, "2026-03-02 10:00", lead: 2 * hour)
        #expect(decide(.sample([early]), at: at("2026-03-02 08:00")).acts == ["start e1 #1 window_open"])
    }

    @Test func aStartExpiresAtTheStartThenAtTheCloseAndAMinuteAheadAtLeast() throws {
        func expiry(_ moment: String) throws -> Date {
            try #require(decide(.sample([talk]), at: at(moment)).starts.first).expiresAt
        }
        #expect(try expiry("2026-03-02 09:00") == at("2026-03-02 10:00"))
        #expect(try expiry("2026-03-02 09:59:30") == at("2026-03-02 10:00:30"))
        #expect(try expiry("2026-03-02 10:00") == at("2026-03-02 11:00"))
        #expect(try expiry("2026-03-02 10:59:59") == at("2026-03-02 11:00:59"))
    }

    @Test func aStartIsStaleAtTheCloseOrAfterTheAppsTimeWhicheverIsFirst() throws {
        func staleAt(_ moment: String, _ app: AppPolicy = .sample()) throws -> Date {
            try #require(decide(.sample([talk], app: app), at: at(moment)).starts.first).staleAt
        }
        #expect(try staleAt("2026-03-02 09:00") == at("2026-03-02 11:00"))
        #expect(try staleAt("2026-03-02 09:00", .sample(staleAfter: hour)) == at("2026-03-02 10:00"))
        #expect(try staleAt("2026-03-02 10:59:59") == at("2026-03-02 11:00"))
    }

    @Test(
        "What keeps every start from a device",
        arguments: [
            (Device.sample(startToken: nil), Reason.noStartToken), (.sample(isEnabled: false), .liveActivitiesOff),
            (.sample(isUnregistered: true), .loggedOut), (.sample(isSilent: true), .silentDevice),
        ])
    func deviceObstacle(device: Device, reason: Reason) {
        let plan = decide(.sample([talk], device: device), at: at("2026-03-02 09:30"))
        #expect(plan.lines == ["skip e1 \(reason.rawValue)"])
    }

    @Test func badTemplatesStartNothingAndTheAppsRemovalNeither() {
        #expect(
            decide(.sample([talk], app: AppPolicy.sample().broken), at: at("2026-03-02 09:30")).lines == [
                "skip device bad_template", "skip e1 bad_template",
            ])
        #expect(decide(.sample([talk], app: nil), at: at("2026-03-02 09:30")).lines == ["skip device no_app"])
    }

    @Test func switchesGovernTheirKindOfCalendar() {
        let shared = Event.sample(2, "2026-03-02 10:00", kind: .shared)
        let both = AppPolicy.sample(maxCards: 2)
        func starts(_ device: Device) -> [String] {
            decide(.sample([talk, shared], device: device, app: both), at: at("2026-03-02 09:30")).acts
        }
        #expect(starts(.sample()) == ["start e1 #1 window_open", "start e2 #1 window_open"])
        #expect(starts(.sample(showsPersonal: false)) == ["start e2 #1 window_open"])
        #expect(starts(.sample(showsShared: false)) == ["start e1 #1 window_open"])
    }

    // MARK: Trying again

    @Test func aFailedStartIsTriedAgainUnderItsRunWhenItsWaitIsOver() throws {
        let failed = Run.sample(
            1, "2026-03-02 10:00", state: .failed, reason: .waitsToRetry, token: false, started: "2026-03-02 09:00",
            retryAt: "2026-03-02 09:15")
        let waiting = decide(.sample([talk], runs: [failed]), at: at("2026-03-02 09:14:59"))
        #expect(waiting.lines == ["skip e1 waits_to_retry"])
        #expect(waiting.nextDueAt == at("2026-03-02 09:15"))
        let again = decide(.sample([talk], runs: [failed]), at: at("2026-03-02 09:15"))
        #expect(again.acts == ["start e1 #1 retry"])
        #expect(again.starts.first?.run == failed.id)
    }

    @Test func aRefusedStartIsNotTriedAgain() {
        let refused = Run.sample(
            1, "2026-03-02 10:00", state: .failed, reason: .startRefused, token: false, started: "2026-03-02 09:00",
            retryAt: "2026-03-02 09:15")
        #expect(decide(.sample([talk], runs: [refused]), at: at("2026-03-02 09:30")).lines == ["skip e1 start_refused"])
    }

    @Test func anotherPersonsFailedStartIsNotTakenOver() throws {
        let theirs = Run.sample(
            1, "2026-03-02 10:00", state: .failed, reason: .noStartToken, token: false, started: "2026-03-02 09:00",
            user: "bob")
        let plan = decide(.sample([talk], runs: [theirs]), at: at("2026-03-02 09:30"))
        let start = try #require(plan.starts.first)
        #expect(start.run == nil)
        #expect(start.generation == 2)
    }

    @Test func anotherPersonsDismissalSaysNothing() {
        let theirs = Run.sample(
            1, "2026-03-02 10:00", state: .dismissed, token: false, started: "2026-03-02 09:00", user: "bob",
            isGone: true)
        #expect(
            decide(.sample([talk], runs: [theirs]), at: at("2026-03-02 09:30")).acts == ["start e1 #2 card_gone"])
    }

    // MARK: A new generation

    static let former: [(Run, String)] = [
        (.sample(1, "2026-03-02 10:00", state: .accepted, token: false, started: "2026-03-02 09:00"), "none"),
        (.sample(1, "2026-03-02 10:00", state: .unknown, token: false, started: "2026-03-02 09:00"), "none"),
        (
            .sample(
                1, "2026-03-02 10:00", state: .ended, reason: .outranked, started: "2026-03-02 09:00", isGone: true),
            "start e1 #2 card_gone"
        ),
        (
            .sample(
                1, "2026-03-02 10:00", state: .ended, reason: .outranked, token: false, started: "2026-03-02 09:00"),
            "skip e1 former_card_may_remain"
        ),
        (
            .sample(1, "2026-03-02 10:00", state: .dismissed, token: false, started: "2026-03-02 09:00", isGone: true),
            "skip e1 dismissed_by_person"
        ),
        (
            .sample(
                1, "2026-03-02 10:00", state: .ended, reason: .updateTokenGone, token: false,
                started: "2026-03-02 09:00"), "skip e1 update_token_gone"
        ),
        (
            .sample(
                1, "2026-03-02 10:00", state: .ending, reason: .outranked, started: "2026-03-02 09:00", isEndSent: true),
            "skip e1 former_card_may_remain"
        ),
    ]

    @Test("A second card comes only after the first is known to be gone", arguments: former)
    func newGeneration(former: Run, line: String) {
        var former = former
        former.updateToken = former.state == .ending ? former.updateToken : nil
        let plan = decide(.sample([talk], runs: [former]), at: at("2026-03-02 09:30"))
        #expect((plan.lines.first { $0.contains("e1") } ?? "none") == line)
    }

    @Test func fifteenMinutesPassBetweenTwoStartsOfOneOccurrence() {
        let gone = Run.sample(
            1, "2026-03-02 10:00", state: .ended, reason: .missing, token: false, started: "2026-03-02 09:20",
            isGone: true)
        let early = decide(.sample([talk], runs: [gone]), at: at("2026-03-02 09:34:59"))
        #expect(early.lines == ["skip e1 too_soon_after_start"])
        #expect(early.nextDueAt == at("2026-03-02 09:35"))
        #expect(decide(.sample([talk], runs: [gone]), at: at("2026-03-02 09:35")).acts == ["start e1 #2 card_gone"])
    }

    @Test func afterTwelveHoursACardThatMayHaveRemainedIsGone() {
        let day = Event.sample(1, "2026-03-02 00:00", lasting: 20 * hour)
        let left = Run.sample(
            1, "2026-03-02 00:00", state: .ended, reason: .endedUnconfirmed, token: false, started: "2026-03-02 00:00")
        let before = decide(.sample([day], runs: [left]), at: at("2026-03-02 11:59:59"))
        #expect(before.lines == ["skip e1 former_card_may_remain"])
        #expect(before.nextDueAt == at("2026-03-02 12:00"))
        #expect(decide(.sample([day], runs: [left]), at: at("2026-03-02 12:00")).acts == ["start e1 #2 card_gone"])
    }
}
