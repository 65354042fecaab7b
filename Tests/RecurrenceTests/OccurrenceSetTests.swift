import Recurrence
import Testing

/// The decisions that the rule's text leaves open, each by an example worked out by hand.
@Suite struct OccurrenceSetTests {
    private func occurrences(
        _ rule: String?, from start: String, in zone: String? = nil, additions: [String] = [],
        exceptions: [String] = [],
        window: (String, String)
    ) throws -> [String] {
        let isAllDay = !start.contains("T")
        let set = try OccurrenceSet(
            start: #require(LocalDateTime(start)), isAllDay: isAllDay, zone: zone.map { try Zone.named($0) },
            rule: rule.map { try RecurrenceRule(parsing: $0) },
            additions: additions.map { try #require(RecurrenceDate($0)) },
            exceptions: exceptions.map { try #require(RecurrenceDate($0)) })
        let (from, to) = (try #require(LocalDateTime(window.0)), try #require(LocalDateTime(window.1)))
        return try set.occurrences(from: from, to: to, limit: 100).map {
            isAllDay ? $0.local.dateDescription : $0.local.description
        }
    }

    @Test func withoutARuleTheStartIsTheOccurrence() throws {
        #expect(
            try occurrences(
                nil, from: "2026-03-08T02:30:00", in: "America/New_York", window: ("2026-01-01", "2027-01-01")) == [
                    "2026-03-08T03:30:00"
                ])
        #expect(
            try occurrences(
                nil, from: "2026-01-02", additions: ["2026-01-01", "2026-01-02"], exceptions: ["2026-01-02"],
                window: ("2026-01-01", "2027-01-01")) == ["2026-01-01"])
    }

    @Test func theStartCountsOnlyWhenItMatches() throws {
        // 1 January 2026 is a Thursday.
        #expect(
            try occurrences("FREQ=WEEKLY;BYDAY=MO;COUNT=2", from: "2026-01-01", window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-05", "2026-01-12"])
    }

    @Test func skippedTimesAreSortedAmongThoseThatFollow() throws {
        // Hourly through the spring gap: 02:00 and 03:00 are one instant; by half hours 02:30 falls after 03:00.
        #expect(
            try occurrences(
                "FREQ=HOURLY", from: "2026-03-08T00:00:00", in: "America/New_York",
                window: ("2026-03-08", "2026-03-08T05:00:00"))
                == ["2026-03-08T00:00:00", "2026-03-08T01:00:00", "2026-03-08T03:00:00", "2026-03-08T04:00:00"])
        #expect(
            try occurrences(
                "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30", from: "2026-03-08T02:00:00", in: "America/New_York",
                window: ("2026-03-08T03:00:00", "2026-03-09"))
                == ["2026-03-08T03:00:00", "2026-03-08T03:30:00"])
        #expect(
            try occurrences(
                "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=10,20", from: "2026-03-08T02:00:00", in: "America/New_York",
                window: ("2026-03-08T03:15:00", "2026-03-09"))
                == ["2026-03-08T03:20:00"])
    }

    @Test func ofARepeatedHourTheFirstIsMeant() throws {
        let set = try OccurrenceSet(
            start: #require(LocalDateTime("2026-11-01T01:30:00")), isAllDay: false, zone: .named("America/New_York"),
            rule: RecurrenceRule(parsing: "FREQ=DAILY"))
        let first = try #require(try set.next(onOrAfter: set.start))
        #expect(first.instant == 1_793_511_000)
        #expect(try set.contains(set.start))
    }

    @Test func aDateOnlyUntilIncludesItsDay() throws {
        #expect(
            try occurrences(
                "FREQ=DAILY;UNTIL=20260103", from: "2026-01-01T23:30:00", in: "Asia/Seoul",
                window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-01T23:30:00", "2026-01-02T23:30:00", "2026-01-03T23:30:00"])
        #expect(
            try occurrences(
                "FREQ=DAILY;UNTIL=20260102", from: "2026-01-01T23:30:00", window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-01T23:30:00", "2026-01-02T23:30:00"])
    }

    @Test func untilInUTCIsInclusive() throws {
        // 09:00 in Seoul is 00:00 UTC.
        let start = "2026-01-01T09:00:00"
        #expect(
            try occurrences(
                "FREQ=DAILY;UNTIL=20260103T000000Z", from: start, in: "Asia/Seoul", window: ("2026-01-01", "2027-01-01")
            ).count == 3)
        #expect(
            try occurrences(
                "FREQ=DAILY;UNTIL=20260102T235959Z", from: start, in: "Asia/Seoul", window: ("2026-01-01", "2027-01-01")
            ).count == 2)
    }

    @Test func aDateOnlyExceptionRemovesItsDay() throws {
        #expect(
            try occurrences(
                "FREQ=DAILY;BYHOUR=9,18;COUNT=6", from: "2026-01-01T09:00:00", in: "Asia/Seoul",
                exceptions: ["2026-01-02"], window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-01T09:00:00", "2026-01-01T18:00:00", "2026-01-03T09:00:00", "2026-01-03T18:00:00"])
        // An all-day event reads the day of an exception that was stored with a time.
        #expect(
            try occurrences(
                "FREQ=DAILY;COUNT=3", from: "2026-01-01", exceptions: ["2026-01-02T00:00:00"],
                window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-01", "2026-01-03"])
    }

    @Test func aDateOnlyAdditionTakesTheStartsTime() throws {
        #expect(
            try occurrences(
                "FREQ=DAILY;COUNT=1", from: "2026-01-01T09:15:00", additions: ["2026-02-01"],
                window: ("2026-01-01", "2027-01-01"))
                == ["2026-01-01T09:15:00", "2026-02-01T09:15:00"])
    }

    @Test func anAllDayEventHasNoInstantsAndNoZone() throws {
        let set = try OccurrenceSet(
            start: #require(LocalDateTime("2026-01-01T17:00:00")), isAllDay: true, zone: .named("Asia/Seoul"),
            rule: RecurrenceRule(parsing: "FREQ=DAILY;BYHOUR=9"))
        #expect(
            try set.next(onOrAfter: set.start) == Occurrence(local: #require(LocalDateTime("2026-01-01")), instant: nil)
        )
        #expect(set.zone == nil)
        #expect(throws: RecurrenceError.self) {
            try OccurrenceSet(start: set.start, isAllDay: true, zone: nil, rule: RecurrenceRule(parsing: "FREQ=HOURLY"))
        }
    }

    @Test(arguments: [
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=SECONDLY;INTERVAL=60;BYSECOND=1",
        "FREQ=MINUTELY;BYMONTHDAY=31;BYMONTH=4",
        "FREQ=MONTHLY;INTERVAL=12;BYMONTH=3", "FREQ=DAILY;BYHOUR=9;BYSETPOS=2", "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=YEARLY;BYWEEKNO=20;BYMONTH=1", "FREQ=YEARLY;BYYEARDAY=1;BYMONTHDAY=2", "FREQ=DAILY;INTERVAL=7;BYDAY=FR",
        "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=5",
        "FREQ=SECONDLY;INTERVAL=86400;BYDAY=MO;BYHOUR=8;COUNT=1000000000",
        "RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=3L",
        "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD;BYMONTH=2;BYMONTHDAY=31;BYDAY=1TU",
    ])
    func aRuleThatNeverMatchesEnds(rule: String) throws {
        // A Thursday, at 09:00.
        let set = try OccurrenceSet(
            start: LocalDateTime(year: 2026, month: 1, day: 1, hour: 9), isAllDay: false, zone: .named("Europe/Berlin"),
            rule: RecurrenceRule(parsing: rule))
        #expect(try set.next(onOrAfter: set.start) == nil)
        #expect(
            try set.occurrences(from: set.start, to: LocalDateTime(year: 9999, month: 1, day: 1), limit: 10).isEmpty)
    }

    /// 20 000 excepted days of a rule that has 86 400 instances in each.
    @Test(.timeLimit(.minutes(1)))
    func exceptedDaysAreSkippedAsAWhole() throws {
        for zone in [nil, try Zone.named("Pacific/Apia")] {
            let start = LocalDateTime(year: 1980, month: 1, day: 1)
            let days = (0..<20_000).map { RecurrenceDate.date(LocalDateTime(year: 1980, month: 1, day: 1 + $0)) }
            let set = try OccurrenceSet(
                start: start, isAllDay: false, zone: zone, rule: RecurrenceRule(parsing: "FREQ=SECONDLY"),
                exceptions: days)
            #expect(try set.next(onOrAfter: start)?.local == LocalDateTime(year: 1980, month: 1, day: 20_001))
        }
    }

    @Test func theYearsEndIn9999() throws {
        let set = try OccurrenceSet(
            start: LocalDateTime(year: 9999, month: 12, day: 30), isAllDay: false, zone: .named("Asia/Seoul"),
            rule: RecurrenceRule(parsing: "FREQ=DAILY"))
        let far = LocalDateTime(secondsSinceEpoch: .max)
        #expect(try set.occurrences(from: LocalDateTime(secondsSinceEpoch: .min), to: far, limit: 10).count == 2)
        #expect(try set.next(onOrAfter: far) == nil)
        #expect(throws: RecurrenceError.self) { try OccurrenceSet(start: far, isAllDay: false, zone: nil, rule: nil) }
    }

    @Test func countingOneByOneHasALimit() throws {
        let set = try OccurrenceSet(
            start: LocalDateTime(year: 2026, month: 1, day: 1), isAllDay: false, zone: nil,
            rule: RecurrenceRule(parsing: "FREQ=SECONDLY;INTERVAL=7;BYMINUTE=1,2,3;COUNT=1000000000"))
        #expect(try set.next(onOrAfter: LocalDateTime(year: 2026, month: 2, day: 1)) != nil)
        #expect { try set.next(onOrAfter: LocalDateTime(year: 2400, month: 1, day: 1)) } throws: {
            ($0 as? RecurrenceError)?.code == .limit
        }
    }
}
