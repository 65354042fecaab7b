import Simulator
import TestSupport
import Testing

/// An event that moves takes its card along, or loses it and gets a new one.
@Suite struct MovedEventTests {
    @Test func tenMinutesLaterUpdatesTheCard() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        try await world.tick("2026-03-02T05:20:00Z")
        try await world.backend("update cuecard.event set starts_at = starts_at + interval '10 min'")
        let sent = try await world.tick("2026-03-02T05:30:00Z")
        #expect(sent.kinds == [.update])
        #expect(sent.first?.date("startsAt") == 1_772_431_800)
        #expect(try await world.value("select count(*) from cuecard.run") == "1")
        #expect(try await world.value("select occurrence from cuecard.run") == "2026-03-02 15:10:00")
        #expect(try await world.tick("2026-03-02T05:31:00Z").isEmpty)
        #expect(try await world.tick("2026-03-02T07:10:00Z").kinds == [.end])
    }

    @Test func toTheEveningEndsTheCardAndStartsAnotherInTheEvening() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        try await world.tick("2026-03-02T05:00:00Z")
        try await world.backend("update cuecard.event set starts_at = '2026-03-02 20:00'")
        #expect(try await world.tick("2026-03-02T05:30:00Z").kinds == [.end])
        #expect(try await world.tick("2026-03-02T09:59:00Z").isEmpty)
        #expect(try await world.tick("2026-03-02T10:00:00Z").kinds == [.start])
        #expect(try await world.tick("2026-03-02T12:00:00Z").kinds == [.end])
        #expect(world.simulator.snapshot.scoreboard.doubled == 0)
    }

    @Test func oneOccurrenceOfASeriesMovesAlone() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let ids = try await world.addEvent(startsAt: "2026-02-02 15:00", rrule: "FREQ=WEEKLY")
        try await world.backend(
            """
            insert into cuecard.event_override (event_id, occurrence, starts_at, title)
            values ('\(ids.event)', '2026-03-02 15:00', '2026-03-02 18:00', 'Dentist, later')
            """)
        #expect(try await world.tick("2026-03-02T05:30:00Z").isEmpty)
        let sent = try await world.tick("2026-03-02T08:00:00Z")
        #expect(sent.kinds == [.start])
        #expect(sent.first?.content("title") == "Dentist, later")
        #expect(try await world.value("select occurrence from cuecard.run") == "2026-03-02 15:00:00")
        try await world.tick("2026-03-02T10:00:00Z")
        #expect(try await world.tick("2026-03-09T05:00:00Z").kinds == [.start])
    }
}
