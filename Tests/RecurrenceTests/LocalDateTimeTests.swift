import Foundation
import Recurrence
import Testing

@Suite struct LocalDateTimeTests {
    @Test(arguments: [
        "1970-01-01T00:00:00", "2026-02-28T23:59:59", "2024-02-29T12:00:00", "9999-12-31T23:59:59",
        "1900-03-01T00:00:01", "2000-02-29T00:00:00",
    ])
    func aTextComesBack(text: String) throws {
        let time = try #require(LocalDateTime(text))
        #expect(time.description == text)
        // Foundation's own reading, in the proleptic Gregorian calendar.
        let format = Date.ISO8601FormatStyle(timeZone: .gmt)
        #expect(Double(time.secondsSinceEpoch) == (try Date("\(text)Z", strategy: format)).timeIntervalSince1970)
    }

    @Test(arguments: [
        "", "2026", "2026-1-1", "2026-02-30", "2025-02-29", "2026-13-01", "2026-00-10", "2026-01-01T24:00:00",
        "2026-01-01T00:60:00", "2026-01-01T00:00:60", "2026-01-01 00:00:00", "2026-01-01T00:00:00Z", "0000-01-01",
        "2026-01-01T00:00", "２０２６-01-01", "+026-01-01",
    ])
    func anythingElseIsNil(text: String) {
        #expect(LocalDateTime(text) == nil)
        #expect(RecurrenceDate(text) == nil)
    }

    @Test func partsAndOrder() throws {
        let time = LocalDateTime(year: 2024, month: 2, day: 29, hour: 1, minute: 2, second: 3)
        #expect((time.year, time.month, time.day) == (2024, 2, 29))
        #expect((time.hour, time.minute, time.second) == (1, 2, 3))
        #expect(LocalDateTime(year: 2024, month: 2, day: 30) == LocalDateTime(year: 2024, month: 3, day: 1))
        #expect(LocalDateTime(year: 2023, month: 14, day: 1) == LocalDateTime(year: 2024, month: 2, day: 1))
        #expect(time < LocalDateTime(secondsSinceEpoch: time.secondsSinceEpoch + 1))
        // The Gregorian calendar is carried back to the beginning, where Foundation changes to the Julian one.
        #expect(LocalDateTime("0001-01-01")?.secondsSinceEpoch == -62_135_596_800)
        #expect(LocalDateTime("2024-02-29") == LocalDateTime(year: 2024, month: 2, day: 29))
    }
}
