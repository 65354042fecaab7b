import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

/// The built binary, the apps and the backend, all behind a proxy that gives each transaction another connection.
@Suite struct PoolerTests {
    /// One card's life: its start by four processes at once, an update, the phases, and its end.
    @Test func aCardLivesBehindTransactionPooling() async throws {
        let database = try await TestDatabase.fresh()
        try await database.sql("alter role cuecard_worker login")
        let pooler = try await Pooler.start()
        let scene = try Scene(
            owner: pooler.url(database: database.name, user: "postgres"),
            worker: pooler.url(database: database.name, user: "cuecard_worker"))
        try await scene.settle(phones: 20)
        let opens = Date(timeIntervalSince1970: 1_772_409_600)
        try await scene.addEvent("Dentist", startsAt: opens + 3600)
        scene.clock.now = opens

        let codes = try await withThrowingTaskGroup(of: Int32.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await Binary.run(["tick", "--now", opens.rfc3339], environment: scene.environment).code
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes == [0, 0, 0, 0])
        await scene.simulator.settle(at: opens + 10)
        #expect(scene.simulator.snapshot.accepted(.start).count == 20)
        #expect(try await scene.look("select count(*) from cuecard.run where state = 'confirmed'") == "20")

        try await scene.backend("update cuecard.event set title = 'Dentist, Dr. Han'")
        try await scene.tick(at: opens + 600)
        #expect(scene.runningCards.count == 20)
        #expect(scene.runningCards.allSatisfy { $0.contentState["title"]?.string == "Dentist, Dr. Han" })

        for minute in [60.0, 105, 120] { try await scene.tick(at: opens + minute * 60) }
        #expect(scene.runningCards.isEmpty)
        let sent = scene.simulator.snapshot
        #expect(sent.accepted(.update).count == 60)
        #expect(sent.accepted(.end).count == 20)
        #expect(sent.scoreboard.failures == [])
        #expect(try await scene.look("select distinct state || ' ' || reason from cuecard.run") == "ended over")
    }
}
