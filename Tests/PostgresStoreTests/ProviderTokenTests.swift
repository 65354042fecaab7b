import Foundation
import PostgresStore
import TestSupport
import Testing

@Suite("The shared provider token", .fewAtATime)
struct ProviderTokenTests {
    @Test("FR-44, I7: twenty workers offer at once: one wins, and all are given its very string")
    func oneWinner() async throws {
        let world = try await World.fresh()
        let answers = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<20 {
                let worker = try world.worker("\(number)")
                group.addTask {
                    try await worker.offerProviderToken(
                        "jwt\(number)", team: "T", key: "K", fingerprint: "F"
                    ).token
                }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(answers.count == 1)
        #expect(
            try await world.sql("select token from cuecard.provider_token").compactMap { $0[0] }
                == answers.compactMap(\.self))
    }

    @Test("FR-44: never two within 20 minutes; then the next one, once")
    func replacement() async throws {
        let world = try await World.fresh()
        let worker = try world.worker()
        func offer(_ token: String) async throws -> String? {
            try await worker.offerProviderToken(token, team: "T", key: "K", fingerprint: "F").token
        }
        func age(_ seconds: Int) async throws {
            try await world.sql(
                "update cuecard.provider_token set issued_at = clock_timestamp() - make_interval(secs => $1::int)",
                "\(seconds)")
        }
        #expect(try await offer("one") == "one")
        #expect(try await offer("two") == "one")
        try await age(1170)
        #expect(try await offer("two") == "one")
        try await age(1201)
        #expect(try await offer("two") == "two")
        #expect(try await offer("three") == "two")
    }

    @Test("Each key has its own; a store without one says what time it is")
    func keys() async throws {
        let world = try await World.fresh()
        let worker = try world.worker()
        let empty = try await worker.providerToken(team: "T", key: "K", fingerprint: "F")
        #expect(empty.token == nil && empty.issuedAt == nil)
        let clock = Double(try await world.value("select extract(epoch from clock_timestamp())") ?? "") ?? 0
        #expect(abs(empty.clock - clock) < 60)
        _ = try await worker.offerProviderToken("one", team: "T", key: "K", fingerprint: "F")
        _ = try await worker.offerProviderToken("two", team: "T", key: "L", fingerprint: "F")
        _ = try await worker.offerProviderToken("three", team: "U", key: "K", fingerprint: "F")
        #expect(try await worker.providerToken(team: "T", key: "K", fingerprint: "F").token == "one")
        #expect(try await worker.providerToken(team: "T", key: "L", fingerprint: "F").token == "two")
        #expect(try await worker.providerToken(team: "U", key: "K", fingerprint: "F").token == "three")
    }

    @Test("FR-44: with the store down nothing is answered, and the error holds no token")
    func storeDown() async throws {
        let worker = Store(
            connection: Connection(url: "postgresql://worker@%2Fnowhere/db"), worker: "w", lanes: [])
        let error = await #expect(throws: PostgresError.self) {
            try await worker.offerProviderToken("secret-jwt", team: "T", key: "K", fingerprint: "F")
        }
        #expect(error.map { "\($0)".contains("secret-jwt") } == false)
    }
}
