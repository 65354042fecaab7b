import Foundation
import LiveActivity
import PostgresStore
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// Who may take a device over, and what an app may start by itself.
@Suite struct AccountsTests {
    @Test func anotherUserTakesADeviceOnlyByItsToken() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        do {
            try await world.rpc("zoe", "register_device('\(Device.mina)')")
            Issue.record("a device id alone is no proof")
        } catch PostgresError.refused(let refusal) {
            #expect(refusal.code == "42501")
            #expect(refusal.hint?.contains("new device id") == true)
        }
        #expect(try await world.value("select user_id from cuecard.device") == "mina")
        let token = try #require(world.simulator.phone(Device.mina)?.startTokens[World.attributesType])
        try await world.rpc("zoe", "register_device('\(Device.mina)', push_to_start_token => '\(token)')")
        #expect(try await world.value("select user_id from cuecard.device") == "zoe")
    }

    @Test func aCardThatTheAppStartedIsNotDoubledAndIsEndedByTheServer() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let ids = try await world.addEvent()
        let card = LocalCard(
            eventID: ids.event, occurrence: "2026-03-02T15:00:00", attributesType: World.attributesType,
            attributes: .object(["eventId": .string(ids.event)]), contentState: .object([:]))
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T04:50:00Z"))
        try world.simulator.start(card, on: Device.mina)
        await world.simulator.settle(at: world.clock.now + 10)
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        // The server brings the app's card up to date, and starts none.
        #expect(sent.kinds == [.update])
        #expect(try await world.value("select count(*) from cuecard.run") == "1")
        #expect(try await world.tick("2026-03-02T05:30:00Z").filter { $0.kind == .start }.isEmpty)
        #expect(try await world.tick("2026-03-02T07:00:00Z").kinds == [.end])
        #expect(world.simulator.cards(on: Device.mina).allSatisfy { !$0.isOnScreen })
    }
}
