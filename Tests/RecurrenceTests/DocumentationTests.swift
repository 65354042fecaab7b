import Recurrence
import Testing

/// The example of the documentation page, so that it stays true.
@Suite struct DocumentationTests {
    @Test func theExampleOfThePage() throws {
        let rule = try RecurrenceRule(parsing: "FREQ=MONTHLY;BYDAY=-1FR")
        let set = try OccurrenceSet(
            start: LocalDateTime(year: 2026, month: 1, day: 30, hour: 18), isAllDay: false, zone: .named("Asia/Seoul"),
            rule: rule, exceptions: [.date(LocalDateTime(year: 2026, month: 3, day: 27))])
        let next = try set.next(onOrAfter: LocalDateTime(year: 2026, month: 3, day: 1))
        #expect(next?.local.description == "2026-04-24T18:00:00")
    }

    @Test func theClampedDayOfThePage() throws {
        let rule = try RecurrenceRule(parsing: "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD;BYMONTHDAY=31")
        let start = LocalDateTime(year: 2026, month: 1, day: 31)
        let set = try OccurrenceSet(start: start, isAllDay: true, zone: nil, rule: rule)
        let days = try set.occurrences(from: start, to: LocalDateTime(year: 2026, month: 5, day: 1), limit: 10)
        #expect(days.map(\.local.dateDescription) == ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"])
    }
}
