import Recurrence
import Testing

@Suite struct RuleParsingTests {
    @Test(arguments: [
        ("FREQ=WEEKLY;BYDAY=MO,XX", #"BYDAY: "XX" is not a weekday (at character 22)"#),
        ("FREQ=42", #"FREQ: "42" is not a frequency (at character 6)"#),
        ("", "a part is missing (at character 1)"),
        ("INTERVAL=2", "FREQ: every rule must have it"),
        ("FREQ=DAILY;;COUNT=2", "a part is missing (at character 12)"),
        ("FREQ=DAILY;", "a part is missing (at character 12)"),
        ("FREQ=DAILY;COLOUR=red", #""COLOUR" is not a part of a rule (at character 12)"#),
        ("FREQ=DAILY;COUNT", #"COUNT: "=" is missing (at character 17)"#),
        ("FREQ=DAILY;FREQ=DAILY", "FREQ: it stands twice (at character 12)"),
        ("FREQ=DAILY,WEEKLY", #"FREQ: ",WEEKLY" is not expected here (at character 11)"#),
        ("FREQ=DAILY;INTERVAL=0", #"INTERVAL: "0" is not a number of periods from 1 to 1000000000 (at character 21)"#),
        (
            "FREQ=DAILY;COUNT=99999999999",
            #"COUNT: "99999999999" is not a number of instances from 1 to 1000000000 (at character 18)"#
        ),
        ("FREQ=DAILY;COUNT=2;UNTIL=20260101", "COUNT, UNTIL: a rule may have one of them, not both"),
        (
            "FREQ=DAILY;UNTIL=20260230",
            #"UNTIL: "20260230" is not a date or a time such as 20260102T030405Z (at character 18)"#
        ),
        ("FREQ=DAILY;BYHOUR=24", #"BYHOUR: "24" is not an hour from 0 to 23 (at character 19)"#),
        (
            "FREQ=MONTHLY;BYMONTHDAY=0",
            #"BYMONTHDAY: "0" is not a day of the month, 1 to 31 or -31 to -1 (at character 25)"#
        ),
        ("FREQ=YEARLY;BYMONTH=13", #"BYMONTH: "13" is not a month from 1 to 12 (at character 21)"#),
        ("FREQ=YEARLY;BYMONTH=5L", #"BYMONTH: "5L" needs a calendar with leap months (at character 21)"#),
        ("FREQ=YEARLY;BYMONTH=", "BYMONTH: a value is missing (at character 21)"),
        (
            "FREQ=MONTHLY;BYDAY=54MO",
            #"BYDAY: "54MO" is not a weekday with a number from 1 to 53 or -53 to -1 (at character 20)"#
        ),
        ("FREQ=WEEKLY;BYDAY=1MO", "BYDAY: a numbered weekday may stand with FREQ=MONTHLY or YEARLY only"),
        ("FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO", "BYDAY: a numbered weekday may not stand with BYWEEKNO"),
        ("FREQ=WEEKLY;BYMONTHDAY=1", "BYMONTHDAY: it may not stand with FREQ=WEEKLY"),
        ("FREQ=DAILY;BYYEARDAY=1", "BYYEARDAY: it may not stand with FREQ=DAILY, WEEKLY or MONTHLY"),
        ("FREQ=MONTHLY;BYWEEKNO=1", "BYWEEKNO: it may stand with FREQ=YEARLY only"),
        ("FREQ=MONTHLY;BYSETPOS=1", "BYSETPOS: it may not stand without another BY part"),
        ("FREQ=DAILY;SKIP=OMIT", "SKIP: it needs RSCALE (RFC 7529 4.1)"),
        ("RSCALE=RUSSIAN;FREQ=YEARLY", #"RSCALE: "RUSSIAN" is not a calendar that is known here (at character 8)"#),
        ("FREQ=DAILY;BYHOUR=日,XX", #"BYHOUR: "日" is not an hour from 0 to 23 (at character 19)"#),
        ("FREQ=日本;X", #"FREQ: "日本" is not a frequency (at character 6)"#),
    ])
    func anErrorNamesThePartAndThePosition(text: String, message: String) {
        #expect { try RecurrenceRule(parsing: text) } throws: { "\($0)" == message }
    }

    @Test func aRuleIsReadInEitherCaseAndOrder() throws {
        let rule = try RecurrenceRule(parsing: "RRULE:interval=2;byday=+1mo,-1SU,tu;wkst=su;freq=monthly;count=3")
        #expect(rule.frequency == .monthly && rule.interval == 2 && rule.end == .count(3))
        #expect(try rule == RecurrenceRule(parsing: "FREQ=MONTHLY;COUNT=3;INTERVAL=2;WKST=SU;BYDAY=1MO,TU,-1SU,TU"))
    }

    @Test func untilHasThreeForms() throws {
        #expect(
            try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20260102").end
                == .date(LocalDateTime(year: 2026, month: 1, day: 2)))
        let time = LocalDateTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 59)
        #expect(try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20260102T030460").end == .local(time))
        #expect(try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20260102T030459Z").end == .utc(time.secondsSinceEpoch))
    }

    @Test func aRuleOverTheLimitIsRefused() {
        let text =
            "FREQ=YEARLY;BYYEARDAY="
            + [String](repeating: "1", count: RecurrenceRule.maximumLength / 2).joined(separator: ",")
        #expect { try RecurrenceRule(parsing: text) } throws: { ($0 as? RecurrenceError)?.code == .limit }
    }

    @Test func untilMustFitTheStart() throws {
        let start = LocalDateTime(year: 2026, month: 1, day: 1, hour: 9)
        let seoul = try Zone.named("Asia/Seoul")
        func refuses(_ until: String, isAllDay: Bool = false, zone: Zone? = nil) throws -> Bool {
            let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=\(until)")
            do {
                _ = try OccurrenceSet(start: start, isAllDay: isAllDay, zone: zone, rule: rule)
                return false
            } catch {
                return error.code == .combination
            }
        }
        #expect(try refuses("20260105T000000Z"))
        #expect(try refuses("20260105T000000", zone: seoul))
        #expect(try refuses("20260105T000000", isAllDay: true))
        #expect(try refuses("20260105T000000Z", isAllDay: true))
        #expect(try !refuses("20260105", isAllDay: true))
        #expect(try !refuses("20260105"))
        #expect(try !refuses("20260105", zone: seoul))
        #expect(try !refuses("20260105T000000"))
        #expect(try !refuses("20260105T000000Z", zone: seoul))
    }
}
