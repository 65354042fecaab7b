import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// Many workers at once: every card is started, and none twice.
@Suite struct OverlapTests {
    /// I1: eight processes tick at once over 200 due devices.
    @Test func eightProcessesStartTwoHundredCardsOnce() async throws {
        let world = try await World.make()
        try await world.addEvent(kind: "shared", members: (0..<200).map { "user\($0)" })
        for number in 0..<200 {
            let id = "44444444-4444-4444-8444-\(100_000_000_000 + number)"
            try await world.register(id, of: "user\(number)")
        }
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        let environment = try world.environment()
        let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await Binary.run(["tick", "--now", "2026-03-02T05:00:00Z"], environment: environment).code
                }
            }
            return try await group.reduce(into: [Int32]()) { codes, code in codes.append(code) }
        }
        #expect(codes == Array(repeating: 0, count: 8))
        let starts = world.simulator.requests.filter { $0.kind == .start }
        #expect(starts.count == 200)
        #expect(Set(starts.compactMap(\.token)).count == 200)
        #expect(world.simulator.snapshot.scoreboard.doubled == 0)
        #expect(try await world.value("select count(*) from cuecard.run where state = 'accepted'") == "200")
    }

    /// I2: what is committed between the claim and the reschedule leaves the device due.
    @Test func aChangeDuringATickIsNotLost() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        try await world.tick("2026-03-02T05:00:00Z")
        // The tick hangs in the middle of its story: APNs takes two seconds to answer its update.
        try await world.backend("update cuecard.event set title = 'First'")
        world.simulator.add(Fault(.delay(.seconds(2))))
        let environment = try world.environment()
        async let slow = Binary.run(["tick", "--now", "2026-03-02T05:10:00Z"], environment: environment)
        try await eventually("the update is at APNs") { world.simulator.requests.count == 2 }
        try await world.backend("update cuecard.event set title = 'Second'")
        #expect(try await slow.code == 0)
        world.simulator.removeFaults()
        // The tick itself, or the next one, sends it; nobody waits for a boundary.
        try await world.tick("2026-03-02T05:11:00Z")
        #expect(world.simulator.requests.last?.content("title") == "Second")
    }
}
