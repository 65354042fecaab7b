import Foundation
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// A tick that must end before its work does: by a signal, or since its time is up.
@Suite struct HandOverTests {
    private static let phones = 700
    private static let opens = Date(timeIntervalSince1970: 1_772_409_600)

    private func scene() async throws -> Scene {
        let database = try await TestDatabase.fresh()
        try await database.sql("alter role cuecard_worker login")
        let scene = try Scene(owner: database.url(), worker: database.url(user: "cuecard_worker"))
        try await scene.settle(phones: Self.phones)
        try await scene.addEvent("First", startsAt: Self.opens + 1800)
        scene.clock.now = Self.opens
        scene.simulator.add(Fault(.delay(.milliseconds(1500)), times: nil))
        return scene
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsItAfterTheBatchThatIsOnItsWay(_ signal: Int32) async throws {
        let scene = try await scene()
        let tick = try Binary.start(["tick", "--now", Self.opens.rfc3339], environment: scene.environment)
        try await eventually("a start is on its way") { !scene.simulator.requests.isEmpty }
        tick.signal(signal)
        let result = try await tick.result()
        #expect(result.code == 75, "\(result.errors)")
        #expect(result.output.contains("ended with work left"))
        try await theNextOneGoesOn(in: scene)
    }

    @Test func itsTimeIsUp() async throws {
        let scene = try await scene()
        var environment = scene.environment
        environment["TICK_BUDGET_SECONDS"] = "1"
        let result = try await Binary.run(["tick", "--now", Self.opens.rfc3339], environment: environment)
        #expect(result.code == 75, "\(result.errors)")
        try await theNextOneGoesOn(in: scene)
    }

    /// Nothing is without an answer, no lease is left, and everybody gets one start in the end.
    private func theNextOneGoesOn(in scene: Scene) async throws {
        let first = scene.simulator.snapshot.accepted(.start).count
        #expect(first > 0 && first < Self.phones)
        #expect(try await scene.look("select count(*) from cuecard.attempt where outcome = 'intended'") == "0")
        #expect(try await scene.look("select count(*) from cuecard.device where claimed_until is not null") == "0")
        #expect(try await scene.look("select count(*) from cuecard.tick where finished_at is null") == "0")
        scene.simulator.removeFaults()
        #expect(try await scene.tick(at: Self.opens + 60).code == 0)
        let starts = scene.simulator.snapshot.accepted(.start).compactMap(\.token)
        #expect(starts.count == Self.phones && Set(starts).count == Self.phones)
    }
}
