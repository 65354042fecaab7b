import Foundation
import Planning
import Testing

@Suite("The budget of starts") struct BudgetTests {
    /// Started at these times of the morning, over and gone.
    private func started(_ times: String...) -> [Run] {
        times.enumerated().map { index, time in
            .sample(
                index + 1, event: index + 50, "2026-03-02 \(time)", state: .ended, reason: .over, token: false,
                started: "2026-03-02 \(time)", isGone: true)
        }
    }
    let talk = Event.sample(1, "2026-03-02 10:00")

    @Test func theFifthStartOfAnHourWaitsForTheFirstToBeAnHourOld() {
        let runs = started("08:50", "09:00", "09:10", "09:20")
        let full = decide(.sample([talk], runs: runs), at: at("2026-03-02 09:49:59"))
        #expect(full.lines == ["skip e1 start_budget"])
        #expect(full.nextDueAt == at("2026-03-02 09:50"))
        #expect(decide(.sample([talk], runs: runs), at: at("2026-03-02 09:50")).acts == ["start e1 #1 window_open"])
    }

    @Test func whereMoreWentOutThanIsAllowedEnoughMustAge() {
        // The limit was lowered from 4 to 2.
        let runs = started("09:00", "09:05", "09:10", "09:20")
        let full = decide(.sample([talk], runs: runs, app: .sample(maxStartsPerHour: 2)), at: at("2026-03-02 09:30"))
        #expect(full.lines == ["skip e1 start_budget"])
        // Two of the last hour are left once that of 09:10 is an hour old.
        var horizon: [Date] = []
        var now = at("2026-03-02 09:30")
        while let next = decide(.sample([talk], runs: runs, app: .sample(maxStartsPerHour: 2)), at: now).nextDueAt {
            horizon.append(next)
            now = next
        }
        #expect(horizon.contains(at("2026-03-02 10:10")))
        #expect(
            decide(.sample([talk], runs: runs, app: .sample(maxStartsPerHour: 2)), at: at("2026-03-02 10:09")).lines
                == [
                    "skip e1 start_budget"
                ])
        #expect(
            decide(.sample([talk], runs: runs, app: .sample(maxStartsPerHour: 2)), at: at("2026-03-02 10:10")).acts == [
                "start e1 #1 window_open"
            ])
    }

    @Test func aFailedStartAndACardOfTheAppsOwnCostNothing() {
        var failed = Run.sample(
            1, event: 50, "2026-03-02 09:00", state: .failed, token: false, started: "2026-03-02 09:00")
        failed.retryAt = at("2026-03-03 00:00")
        var own = Run.sample(
            2, event: 51, "2026-03-02 09:00", state: .ended, token: false, started: "2026-03-02 09:00", isGone: true)
        own.startExpiresAt = nil
        let one = AppPolicy.sample(maxStartsPerHour: 1)
        #expect(
            decide(.sample([talk], runs: [failed, own], app: one), at: at("2026-03-02 09:30")).acts == [
                "start e1 #1 window_open"
            ])
    }

    @Test func unknownStartsAndRenewalsCount() {
        let unknown = Run.sample(
            1, event: 50, "2026-03-02 09:00", state: .unknown, token: false, started: "2026-03-02 09:00")
        let renewed = Run.sample(
            2, event: 51, "2026-03-02 02:00", generation: 2, state: .ended, token: false, started: "2026-03-02 09:10",
            isGone: true)
        let two = AppPolicy.sample(maxStartsPerHour: 2)
        let plan = decide(.sample([talk], runs: [unknown, renewed], app: two), at: at("2026-03-02 09:30"))
        #expect(plan.lines.contains("skip e1 start_budget"))
    }

    @Test("FR-30: twelve occurrences due at once: the best four start, the others wait")
    func twelveAtOnce() {
        let events = (1...12).map { Event.sample($0, "2026-03-02 10:\($0 + 10)") }
        let plan = decide(.sample(events.reversed(), app: .sample(maxCards: 12)), at: at("2026-03-02 10:00"))
        #expect(plan.acts == (1...4).map { "start e\($0) #1 window_open" })
        #expect(plan.lines.filter { $0.hasPrefix("skip") } == (5...12).map { "skip e\($0) start_budget" })
    }

    @Test("FR-28: an occurrence cancelled before its window opens starts nothing")
    func cancelledBefore() {
        let cancelled = Event.sample(1, "2026-03-02 10:00", overrides: ["2026-03-02 10:00": .init(isCancelled: true)])
        let plan = decide(.sample([cancelled]), at: at("2026-03-02 09:30"))
        #expect(plan.steps == [])
        #expect(plan.nextDueAt == nil)
    }

    @Test("FR-28: the budget is in the ledger, so a restart does not forget it")
    func budgetInLedger() {
        let runs = started("09:00", "09:01", "09:02", "09:03")
        let snapshot = DeviceSnapshot.sample([talk], runs: runs)
        #expect(decide(snapshot, at: at("2026-03-02 09:30")).acts == [])
        #expect(decide(snapshot, at: at("2026-03-02 09:30")) == decide(snapshot, at: at("2026-03-02 09:30")))
    }
}
