import Foundation
import LiveActivity
import Planning
import Recurrence
import Testing

@Suite("When occurrences happen") struct CalendarTests {
    /// The start that a plan sends at a moment; fails where there is none.
    private func start(
        _ event: Event, _ moment: Date, zone: String = "UTC", app: AppPolicy = .sample(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Start {
        let plan = decide(.sample([event], device: .sample(zone: zone), app: app), at: moment)
        return try #require(plan.starts.first, "\(plan.lines)", sourceLocation: sourceLocation)
    }
    /// When a plan at this moment looks again.
    private func next(_ event: Event, _ moment: Date, zone: String = "UTC", app: AppPolicy = .sample()) -> Date? {
        decide(.sample([event], device: .sample(zone: zone), app: app), at: moment).nextDueAt
    }
    private func startless(_ event: Event, _ moment: Date, zone: String = "UTC", app: AppPolicy = .sample()) -> Bool {
        decide(.sample([event], device: .sample(zone: zone), app: app), at: moment).starts.isEmpty
    }

    // MARK: Clock changes

    @Test("FR-73: a weekly meeting in Madrid keeps its local hour in summer")
    func madrid() throws {
        let meeting = Event.sample(1, "2025-12-03 15:00", zone: "Europe/Madrid", rrule: "FREQ=WEEKLY")
        #expect(try start(meeting, at("2025-12-10 13:30")).context.start == at("2025-12-10 14:00"))
        #expect(try start(meeting, at("2026-07-01 12:30")).context.start == at("2026-07-01 13:00"))
        #expect(startless(meeting, at("2026-07-01 11:59")))
    }

    @Test("FR-74: Mon/Wed/Fri 14:10 in New York over 1 November, its end too")
    func newYork() throws {
        let lecture = Event.sample(
            1, "2026-09-02 14:10", lasting: 75 * minute, zone: "America/New_York", rrule: "FREQ=WEEKLY;BYDAY=MO,WE,FR")
        let before = try start(lecture, at("2026-10-30 17:10")).context
        #expect(before.start == at("2026-10-30 18:10"))
        #expect(before.end == at("2026-10-30 19:25"))
        let after = try start(lecture, at("2026-11-02 18:10")).context
        #expect(after.start == at("2026-11-02 19:10"))
        #expect(after.end == at("2026-11-02 20:25"))
    }

    @Test("FR-77: 02:30 in Berlin happens once on either day of a clock change")
    func berlin() throws {
        let night = Event.sample(
            1, "2026-01-01 02:30", lasting: 20 * minute, zone: "Europe/Berlin", rrule: "FREQ=DAILY")
        #expect(try start(night, at("2026-03-29 00:45")).context.start == at("2026-03-29 01:30"))
        #expect(startless(night, at("2026-03-29 01:50")))
        #expect(try start(night, at("2026-10-25 00:00")).context.start == at("2026-10-25 00:30"))
        #expect(startless(night, at("2026-10-25 01:00")))
        #expect(next(night, at("2026-10-25 01:00")) == at("2026-10-26 00:30"))
    }

    @Test(
        "FR-77: an override may name a skipped time as it was written or as the clock shows it",
        arguments: ["02:30", "03:30"])
    func overrideInAGap(time: String) throws {
        let moved = Event.sample(
            1, "2026-03-28 02:30", zone: "Europe/Berlin", rrule: "FREQ=DAILY",
            overrides: ["2026-03-29 \(time)": .init(startsAt: local("2026-03-29 12:00"))])
        #expect(startless(moved, at("2026-03-29 00:45")))
        #expect(try start(moved, at("2026-03-29 09:30")).context.start == at("2026-03-29 10:00"))
        let cancelled = Event.sample(
            1, "2026-03-28 02:30", zone: "Europe/Berlin", rrule: "FREQ=DAILY",
            overrides: ["2026-03-29 \(time)": .init(isCancelled: true)])
        #expect(startless(cancelled, at("2026-03-29 00:45")))
    }

    @Test("FR-78: the last weekday of the month keeps 22:00 in Tokyo")
    func tokyo() throws {
        let closing = Event.sample(
            1, "2026-01-30 22:00", zone: "Asia/Tokyo", rrule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1")
        #expect(try start(closing, at("2026-07-31 12:30")).context.start == at("2026-07-31 13:00"))
        #expect(try start(closing, at("2026-08-31 12:30")).context.start == at("2026-08-31 13:00"))
    }

    @Test("FR-76: of a daily series begun years ago today's occurrence is due")
    func oldSeries() throws {
        let daily = Event.sample(1, "2023-05-01 08:00", rrule: "FREQ=DAILY")
        let plan = decide(.sample([daily]), at: at("2026-03-02 07:30"))
        #expect(plan.acts == ["start e1 #1 window_open"])
        #expect(plan.steps.first?.occurrence == local("2026-03-02 08:00"))
    }

    @Test func aDayOfTwentyThreeHoursIsADay() throws {
        let day = Event.sample(1, "2026-03-28 12:00", lasting: 0, days: 1, zone: "Europe/Berlin")
        #expect(try start(day, at("2026-03-28 11:30")).context.end == at("2026-03-29 10:00"))
        let hours = Event.sample(1, "2026-03-28 12:00", lasting: 24 * hour, zone: "Europe/Berlin")
        #expect(try start(hours, at("2026-03-28 11:30")).context.end == at("2026-03-29 11:00"))
    }

    // MARK: Floating and all-day events

    @Test func aFloatingEventHappensInEachDevicesOwnZone() throws {
        let breakfast = Event.sample(1, "2026-03-02 08:00", zone: nil)
        #expect(
            try start(breakfast, at("2026-03-01 22:30"), zone: "Asia/Seoul").context.start == at("2026-03-01 23:00"))
        #expect(
            try start(breakfast, at("2026-03-02 15:30"), zone: "America/Los_Angeles").context.start
                == at("2026-03-02 16:00"))
        #expect(startless(breakfast, at("2026-03-02 15:30"), zone: "Asia/Seoul"))
    }

    @Test func aFloatingEventInAGapMovesForward() throws {
        let night = Event.sample(1, "2026-03-29 02:30", zone: nil)
        #expect(try start(night, at("2026-03-29 00:45"), zone: "Europe/Berlin").context.start == at("2026-03-29 01:30"))
        #expect(try start(night, at("2026-03-29 01:45"), zone: "UTC").context.start == at("2026-03-29 02:30"))
    }

    @Test func anAllDayEventHasACardOnlyWhereTheAppNamesAnHour() throws {
        let fair = Event.sample(1, "2026-03-02 00:00", lasting: 0, isAllDay: true)
        let plan = decide(.sample([fair]), at: at("2026-03-02 09:00"))
        #expect(plan.lines == ["skip e1 no_all_day_time"])
        #expect(plan.nextDueAt == nil)
        // A policy, not a fault: it has no text that would be logged.
        #expect(plan.steps.map(\.action) == [.skip(detail: nil)])
        let nine = AppPolicy.sample(allDayAt: 9 * hour)
        let shown = try start(fair, at("2026-03-02 08:00"), app: nine).context
        #expect(shown.start == at("2026-03-02 09:00"))
        #expect(shown.end == at("2026-03-03 00:00"))
    }

    @Test("FR-76: a whole-day event keeps its date in UTC-8 and UTC+13")
    func allDayDates() throws {
        let nine = AppPolicy.sample(allDayAt: 9 * hour)
        let fair = Event.sample(1, "2026-01-15 00:00", lasting: 0, isAllDay: true)
        #expect(
            try start(fair, at("2026-01-15 16:30"), zone: "America/Los_Angeles", app: nine).context.start
                == at("2026-01-15 17:00"))
        #expect(
            try start(fair, at("2026-01-14 19:30"), zone: "Pacific/Auckland", app: nine).context.start
                == at("2026-01-14 20:00"))
    }

    @Test func anAllDayEventKeepsItsHourOverAClockChange() throws {
        let nine = AppPolicy.sample(allDayAt: 9 * hour)
        let fair = Event.sample(1, "2026-03-01 00:00", lasting: 0, days: 1, isAllDay: true, rrule: "FREQ=DAILY")
        func shown(_ moment: String) throws -> CardContext {
            try start(fair, at(moment), zone: "Europe/Berlin", app: nine).context
        }
        #expect(try shown("2026-03-28 07:30").start == at("2026-03-28 08:00"))
        #expect(try shown("2026-03-29 06:30").start == at("2026-03-29 07:00"))
        #expect(try shown("2026-03-29 06:30").end == at("2026-03-29 22:00"))
        #expect(try shown("2026-10-25 07:30").start == at("2026-10-25 08:00"))
        #expect(try shown("2026-10-25 07:30").end == at("2026-10-25 23:00"))
        // The small hours: all_day_at may itself be skipped.
        let early = AppPolicy.sample(allDayAt: 2.5 * hour)
        #expect(
            try start(fair, at("2026-03-29 01:00"), zone: "Europe/Berlin", app: early).context.start
                == at("2026-03-29 01:30"))
    }

    @Test func anAllDayEventLastsItsDaysAndMonths() throws {
        let nine = AppPolicy.sample(allDayAt: 9 * hour)
        let trip = Event.sample(1, "2026-03-02 00:00", lasting: 0, days: 3, isAllDay: true)
        #expect(try start(trip, at("2026-03-02 08:30"), app: nine).context.end == at("2026-03-05 00:00"))
        var month = Event.sample(1, "2026-01-31 00:00", isAllDay: true)
        month.duration = NominalDuration(months: 1)
        #expect(try start(month, at("2026-01-31 08:30"), app: nine).context.end == at("2026-02-28 00:00"))
        // The last hours of the last day still belong to it.
        #expect(try start(trip, at("2026-03-04 23:59"), app: nine).context.phase == .ending)
        #expect(startless(trip, at("2026-03-05 00:00"), app: nine))
    }

    // MARK: Durations

    @Test func aMultiDayEventIsOneOccurrence() throws {
        let camp = Event.sample(1, "2026-03-02 10:00", lasting: 0, days: 5)
        #expect(try start(camp, at("2026-03-06 09:00")).context.start == at("2026-03-02 10:00"))
        #expect(startless(camp, at("2026-03-07 10:00")))
    }

    @Test func zeroDurationIsOverAtItsStart() throws {
        let call = Event.sample(1, "2026-03-02 10:00", lasting: 0)
        #expect(try start(call, at("2026-03-02 09:59")).context.phase == .upcoming)
        #expect(startless(call, at("2026-03-02 10:00")))
        #expect(next(call, at("2026-03-02 10:00")) == nil)
        // Without a lead its window is empty.
        let never = Event.sample(1, "2026-03-02 10:00", lasting: 0, lead: 0)
        #expect(startless(never, at("2026-03-02 10:00")))
        #expect(next(never, at("2026-03-02 09:00")) == at("2026-03-02 10:00"))
    }

    @Test func anEventThatClosesAtItsStartIsNeverActive() {
        let talk = Event.sample(1, "2026-03-02 10:00")
        let early = AppPolicy.sample(closes: .start)
        #expect(!startless(talk, at("2026-03-02 09:59"), app: early))
        #expect(startless(talk, at("2026-03-02 10:00"), app: early))
    }

    @Test func theEndingPhaseNeverComesBeforeTheStart() throws {
        let short = Event.sample(1, "2026-03-02 10:00", lasting: 10 * minute)
        #expect(try start(short, at("2026-03-02 09:58")).context.phase == .upcoming)
        #expect(try start(short, at("2026-03-02 10:00")).context.phase == .ending)
    }

    @Test func ofVeryManyOccurrencesAtOnceTheEventIsRefusedAndSaysWhy() {
        let ages = Event.sample(1, "2000-01-01 10:00", lasting: 0, days: 4000, rrule: "FREQ=DAILY")
        let talk = Event.sample(2, "2026-03-02 10:00")
        #expect(
            decide(.sample([ages, talk]), at: at("2026-03-02 09:30")).lines == [
                "skip e1 bad_rule", "start e2 #1 window_open",
            ])
    }

    // MARK: Overrides

    @Test func anOverrideFarFromItsOriginalIsFoundByItsNewTime() throws {
        let series = Event.sample(
            1, "2026-01-05 10:00", rrule: "FREQ=WEEKLY",
            overrides: ["2026-06-01 10:00": .init(startsAt: local("2026-03-03 14:00"), title: "Brought forward")])
        let shown = try start(series, at("2026-03-03 13:30")).context
        #expect(shown.title == "Brought forward")
        #expect(shown.end == at("2026-03-03 15:00"))
        #expect(next(series, at("2026-03-03 00:00")) == at("2026-03-03 13:00"))
        #expect(startless(series, at("2026-06-01 09:30")))
    }

    @Test func anOverrideOfAFinishedSeriesStillOpens() {
        let series = Event.sample(
            1, "2026-01-05 10:00", rrule: "FREQ=WEEKLY;COUNT=2",
            overrides: [
                "2026-01-12 10:00": .init(startsAt: local("2026-03-02 10:00"), duration: NominalDuration(seconds: 7200))
            ])
        #expect(next(series, at("2026-03-02 08:00")) == at("2026-03-02 09:00"))
        #expect(!startless(series, at("2026-03-02 11:59")))
        #expect(startless(series, at("2026-03-02 12:00")))
    }

    @Test func anOverrideOfWhatIsNoOccurrenceIsNothing() {
        let series = Event.sample(
            1, "2026-01-05 10:00", rrule: "FREQ=WEEKLY", exdates: ["2026-03-09 10:00"],
            overrides: [
                "2026-03-03 10:00": .init(startsAt: local("2026-03-03 14:00")),
                "2026-03-09 10:00": .init(startsAt: local("2026-03-03 14:00")),
            ])
        #expect(startless(series, at("2026-03-03 13:30")))
    }

    @Test func cancelledAndExceptedOccurrencesAreLookedPast() {
        let series = Event.sample(
            1, "2026-01-05 10:00", rrule: "FREQ=WEEKLY", exdates: ["2026-03-16 10:00"],
            overrides: ["2026-03-02 10:00": .init(isCancelled: true), "2026-03-09 10:00": .init(isCancelled: true)])
        #expect(startless(series, at("2026-03-02 09:30")))
        // 23 March, 26 hours before its window opens.
        #expect(next(series, at("2026-03-02 09:30")) == at("2026-03-22 07:00"))
    }

    // MARK: Events that can have no card

    @Test("I12: what cannot be read is refused for its own reason, and nothing else is lost")
    func problems() {
        let events: [(Event, Reason)] = [
            (.sample(1, "2026-03-02 10:00", rrule: "FREQ=WEEKLY;BYDAY=QQ"), .badRule),
            (.sample(2, "2026-03-02 10:00", zone: "Mars/Olympus"), .unknownZone),
            (.sample(3, "2026-03-02 10:00", rrule: "FREQ=HOURLY"), .ruleFinerThanADay),
            (.sample(4, "2026-03-02 10:00", isAllDay: true), .noAllDayTime),
        ]
        let plan = decide(.sample(events.map(\.0) + [.sample(9, "2026-03-02 10:00")]), at: at("2026-03-02 09:30"))
        #expect(
            plan.lines == events.enumerated().map { "skip e\($0 + 1) \($1.1.rawValue)" } + ["start e9 #1 window_open"])
    }

    @Test func onADeviceOfUnknownZoneOnlyEventsWithAZoneHaveCards() {
        let device = Device.sample(hasKnownZone: false)
        let floating = Event.sample(1, "2026-03-02 10:00", zone: nil)
        let zoned = Event.sample(2, "2026-03-02 10:00")
        let card = Run.sample(1, "2026-03-02 10:00", started: "2026-03-02 09:00")
        #expect(
            decide(.sample([floating, zoned], runs: [card], device: device), at: at("2026-03-02 09:30")).lines == [
                "skip e1 unknown_zone", "start e2 #1 window_open", "end r1 unknown_zone",
            ])
    }

    @Test("A lunar year beyond the tables costs its own occurrence and no earlier one")
    func lunarTables() throws {
        let birthday = Event.sample(1, "2024-02-10 10:00", rrule: "RSCALE=DANGI;FREQ=YEARLY;SKIP=BACKWARD")
        // 1 January of the Korean calendar, 2026: 17 February.
        #expect(try start(birthday, at("2026-02-17 09:30")).context.start == at("2026-02-17 10:00"))
        // 9 February 2100 begins the last year of the tables; what follows it is not known.
        #expect(try start(birthday, at("2100-02-09 09:30")).context.start == at("2100-02-09 10:00"))
        #expect(decide(.sample([birthday]), at: at("2101-03-01 00:00")).lines == ["skip e1 bad_rule"])
    }
}

@Suite("When to look again") struct HorizonTests {
    @Test("What lies further ahead than 26 hours is planned anew 26 hours before it")
    func longestTrust() {
        let talk = Event.sample(1, "2026-03-10 10:00")
        func next(_ moment: String) -> Date? { decide(.sample([talk]), at: at(moment)).nextDueAt }
        #expect(next("2026-03-02 00:00") == at("2026-03-09 07:00"))
        #expect(next("2026-03-09 06:59:59") == at("2026-03-09 07:00"))
        #expect(next("2026-03-09 07:00") == at("2026-03-10 09:00"))
        #expect(next("2026-03-10 08:59") == at("2026-03-10 09:00"))
    }

    @Test func nothingToComeIsNoMoment() {
        #expect(decide(.sample(), at: at("2026-03-02 00:00")).nextDueAt == nil)
        #expect(decide(.sample([.sample(1, "2026-03-01 10:00")]), at: at("2026-03-02 00:00")).nextDueAt == nil)
    }

    @Test func theSameSnapshotAndMomentGiveTheSamePlan() {
        let events = (1...5).map { Event.sample($0, "2026-03-02 10:0\($0)", rrule: "FREQ=DAILY") }
        let snapshot = DeviceSnapshot.sample(events, app: .sample(maxCards: 3))
        let plan = decide(snapshot, at: at("2026-03-02 09:30"))
        #expect(plan.acts.count == 3)
        for _ in 0..<10 { #expect(decide(snapshot, at: at("2026-03-02 09:30")) == plan) }
        var shuffled = snapshot
        shuffled.events.reverse()
        #expect(decide(shuffled, at: at("2026-03-02 09:30")) == plan)
    }
}
