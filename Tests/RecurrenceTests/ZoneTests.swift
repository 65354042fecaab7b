import Foundation
import Recurrence
import Testing

@testable import cuecard

@Suite struct ZoneTests {
    @Test func anUnknownZoneIsNamed() {
        #expect { try Zone.named("Mars/Olympus") } throws: {
            "\($0)" == "the time zone \"Mars/Olympus\" is not known here"
        }
        #expect(throws: RecurrenceError.self) { try Zone.named("") }
    }

    /// Local times at the changes of the clock, with their instants worked out by hand from the offsets.
    @Test(arguments: [
        // New York, 8 March 2026: 02:00 EST (-5 h) becomes 03:00 EDT (-4 h).
        ("America/New_York", "2026-03-08T01:59:59", 1_772_953_199, "2026-03-08T01:59:59"),
        ("America/New_York", "2026-03-08T02:30:00", 1_772_955_000, "2026-03-08T03:30:00"),
        ("America/New_York", "2026-03-08T03:30:00", 1_772_955_000, "2026-03-08T03:30:00"),
        // 1 November 2026: 02:00 EDT becomes 01:00 EST.
        ("America/New_York", "2026-11-01T01:30:00", 1_793_511_000, "2026-11-01T01:30:00"),
        ("America/New_York", "2026-11-01T02:00:00", 1_793_516_400, "2026-11-01T02:00:00"),
        // Lord Howe moves by half an hour.
        ("Australia/Lord_Howe", "2026-10-04T02:15:00", 1_791_042_300, "2026-10-04T02:45:00"),
        // Samoa went over the date line: 30 December 2011 does not exist.
        ("Pacific/Apia", "2011-12-30T12:00:00", 1_325_282_400, "2011-12-31T12:00:00"),
        ("UTC", "1970-01-01T00:00:00", 0, "1970-01-01T00:00:00"),
    ])
    func localTimesResolve(name: String, local: String, instant: Int64, shown: String) throws {
        let zone = try Zone.named(name)
        #expect(zone.instant(of: try #require(LocalDateTime(local))) == instant)
        #expect(zone.local(at: instant).description == shown)
    }

    @Test(arguments: [
        "America/New_York", "America/Sao_Paulo", "Europe/Berlin", "Europe/Dublin", "Asia/Seoul", "Africa/Casablanca",
        "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Auckland", "Antarctica/Troll", "Asia/Kathmandu", "UTC",
    ])
    func offsetsAreThoseOfFoundation(name: String) throws {
        let zone = try Zone.named(name)
        let source = try #require(TimeZone(identifier: name))
        var random = SplitMix(state: 20_261_130)
        for _ in 0..<3000 {
            let instant = Int64(random.number(-3_000_000_000...16_000_000_000))
            let expected = source.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
            #expect(zone.offset(at: instant) == expected, "\(name) at \(instant)")
            // What the clock shows leads back, to the first of two.
            let back = zone.instant(of: zone.local(at: instant))
            #expect(back == instant || back < instant && zone.local(at: back) == zone.local(at: instant))
        }
    }

    /// Far beyond the table the rules go on: 400 years later the same dates have the same offsets.
    @Test func theRulesGoOnBeyondTheTable() throws {
        let zone = try Zone.named("Europe/Berlin")
        let summer = LocalDateTime(year: 9000, month: 7, day: 1, hour: 12)
        let winter = LocalDateTime(year: 9000, month: 1, day: 1, hour: 12)
        #expect(summer.secondsSinceEpoch - zone.instant(of: summer) == 7200)
        #expect(winter.secondsSinceEpoch - zone.instant(of: winter) == 3600)
    }
}
