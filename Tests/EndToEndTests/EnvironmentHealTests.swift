import LiveActivity
import Simulator
import TestSupport
import Testing

/// A device that told the wrong environment: its start token is tried in the other one, once.
@Suite struct EnvironmentHealTests {
    private let state = "select apns_environment || ' ' || (push_to_start_token is not null) from cuecard.device"

    /// A phone of sandbox whose app says production.
    private func world(keys: [APNsEnvironment] = [.sandbox, .production]) async throws -> World {
        let world = try await World.make(keys: keys)
        try await world.register(Device.mina, of: "mina", environment: .sandbox)
        try await world.sayProduction()
        try await world.addEvent(rrule: "FREQ=DAILY")
        return world
    }

    @Test func aMisplacedStartIsAcceptedOnTheOtherHostAndTheRowMended() async throws {
        let world = try await world()
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.map(\.environment) == [.production, .sandbox])
        #expect(sent.kinds == [.start, .start])
        #expect(sent.map { $0.verdict == .accepted } == [false, true])
        #expect(sent[0].header("apns-collapse-id") == sent[1].header("apns-collapse-id"))
        #expect(world.simulator.cards(on: Device.mina).count == 1)
        #expect(try await world.value(state) == "sandbox true")

        // The app goes on saying the same; APNs knows better.
        try await world.sayProduction()
        #expect(try await world.value(state) == "sandbox true")
        #expect(try await world.tick("2026-03-02T05:45:00Z").isEmpty)
        let ends = try await world.tick("2026-03-02T07:00:00Z")
        #expect(Set(ends.map(\.environment)) == [.sandbox])
        let next = try await world.tick("2026-03-03T05:00:00Z")
        #expect(next.map(\.environment) == [.sandbox])
        #expect(next.kinds == [.start])
    }

    @Test func aTokenThatIsBadOnBothHostsIsTriedOnceOnEachAndGoes() async throws {
        let world = try await world()
        world.simulator.add(Fault(.reject(Rejection(400, "BadDeviceToken")), times: nil))
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.map(\.environment) == [.production, .sandbox])
        #expect(try await world.value(state) == "production false")
        // Told again by the app it gets its home's host alone.
        try await world.sayProduction()
        let again = try await world.tick("2026-03-02T05:20:00Z")
        #expect(again.map(\.environment) == [.production])
        #expect(try await world.value(state) == "production false")
    }

    @Test func withoutAKeyForTheOtherHostTheTokenGoes() async throws {
        let world = try await world(keys: [.production])
        #expect(try await world.tick("2026-03-02T05:00:00Z").map(\.environment) == [.production])
        #expect(try await world.value(state) == "production false")
    }

    @Test func aConfirmedDeviceIsNotTriedElsewhere() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent(rrule: "FREQ=DAILY")
        try await world.tick("2026-03-02T05:00:00Z")
        try await world.tick("2026-03-02T07:00:00Z")
        world.simulator.add(Fault(.reject(Rejection(400, "BadDeviceToken")), kinds: [.start], times: nil))
        #expect(try await world.tick("2026-03-03T05:00:00Z").map(\.environment) == [.production])
        #expect(try await world.value(state) == "production false")
    }

    /// An answer that says nothing of the token leaves the trial open: it is still the one trial.
    @Test func aTrialWithoutAnAnswerAboutTheTokenIsTakenUpAgain() async throws {
        let world = try await world()
        world.simulator.add(Fault(.reject(Rejection(503, "ServiceUnavailable")), environment: .sandbox, times: 1))
        #expect(try await world.tick("2026-03-02T05:00:00Z").map(\.environment) == [.production, .sandbox])
        #expect(try await world.value(state) == "production true")
        #expect(try await world.tick("2026-03-02T05:30:00Z").map(\.environment) == [.sandbox])
        #expect(try await world.value(state) == "sandbox true")
    }
}

extension World {
    /// The app registers once more, with the tokens that its phone has and the wrong environment.
    fileprivate func sayProduction() async throws {
        let phone = try #require(simulator.phone(Device.mina))
        try await rpc(
            "mina",
            """
            register_device(device_id => '\(Device.mina)', bundle_id => '\(Self.bundleID)', apns_environment => 'production',
                push_to_start_token => '\(phone.startTokens[Self.attributesType] ?? "")', wake_token => '\(phone.wakeToken)')
            """)
    }
}
