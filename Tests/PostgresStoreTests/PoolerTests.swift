import Foundation
import LiveActivity
import Planning
import PostgresStore
import TestSupport
import Testing
import Tick

/// Everything again where a statement may meet another server connection than the one before it.
@Suite("Behind a transaction-pooling proxy", .fewAtATime)
struct PoolerTests {
    private let now = Date(timeIntervalSince1970: 1_780_302_600)  // 2026-06-01 08:30Z

    @Test("Eight workers, apps that speak meanwhile and a migration share two server connections")
    func twoServerConnections() async throws {
        let world = try await World.withEvent()
        try await world.sql("update cuecard.calendar set kind = 'shared'")
        try await world.fleet(60, due: "'-infinity'")
        try await world.sql(
            "insert into cuecard.calendar_member select $1::uuid, user_id from cuecard.device", World.calendar)
        let pooler = try await Pooler.start()
        let pooled = World(
            database: world.database,
            owner: Connection(url: pooler.url(database: world.database.name, user: "postgres")))
        let apns = APNs()
        let moment = now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...8 {
                let worker = Store(
                    connection: Connection(url: pooler.url(database: world.database.name, user: "cuecard_worker")),
                    worker: "\(number)", lanes: [Store.Lane(environment: "production", bundleID: nil)])
                group.addTask {
                    _ = try await tick(at: moment, with: apns.clients(worker), settings: TickSettings(batch: 5))
                }
                group.addTask { try await pooled.register("u\(number)", number, wake: token(number)) }
            }
            group.addTask {
                let files = try (SQLFiles.paths(below: "migrations") + SQLFiles.paths(below: "rpc")).map {
                    (name: $0, text: try SQLFiles.text($0))
                }
                #expect(try await Migration(files: files).run(on: pooled.owner) == [])
            }
            try await group.waitForAll()
        }
        // The apps' words may have kept a device from the pass that met it: the next one has it.
        _ = try await tick(at: now + 60, with: apns.clients(world.worker()))
        #expect(apns.pushes.map(\.event) == Array(repeating: .start, count: 60))
        #expect(try await world.sql("select distinct state from cuecard.run") == [["accepted"]])
        // No claim of one caller has stayed behind for the next one.
        for _ in 1...4 {
            #expect(
                try await pooled.sql("select current_setting('request.jwt.claims', true), current_user")[0][1]
                    == "postgres")
        }
    }
}
