import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

/// Each environment has its own host and key; a device without a key for it gets nothing.
@Suite struct EnvironmentsAndKeysTests {
    @Test func withoutASandboxKeySandboxDevicesGetNothing() async throws {
        let world = try await World.make(keys: [.production])
        try await world.register(Device.mina, of: "mina", environment: .production)
        try await world.register(Device.other, of: "mina", environment: .sandbox)
        try await world.addEvent()
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.kinds == [.start])
        #expect(sent.first?.environment == .production)
        #expect(
            try await world.value("select claimed_tick from cuecard.device where apns_environment = 'sandbox'") == nil)
        #expect(
            try await world.value("select next_due_at from cuecard.device where apns_environment = 'sandbox'")
                == "-infinity")

        let again = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:01:00Z", "--json"], environment: world.environment())
        #expect(
            again.output.contains(#""no_key":[{"bundle_id":"com.example.family","devices":1,"environment":"sandbox"}]"#)
        )
    }

    @Test func eachEnvironmentUsesItsOwnKeyAndHost() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina", environment: .production)
        try await world.register(Device.other, of: "mina", environment: .sandbox)
        try await world.addEvent()
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.kinds == [.start, .start])
        #expect(Set(sent.map(\.environment)) == [.sandbox, .production])
        #expect(sent.allSatisfy { $0.verdict == .accepted })
        for request in sent {
            let jwt = try #require(request.header("authorization")?.dropFirst("bearer ".count))
            #expect(try keyID(of: jwt) == (request.environment == .sandbox ? "SANDBOXKEY" : "PRODUCTKEY"))
        }
    }

    /// I7, FR-44: ten ticks in ten processes send with one provider token.
    @Test func tenProcessesShareOneProviderToken() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        for minute in 0..<10 {
            try await world.backend("update cuecard.event set title = 'Dentist \(minute)'")
            #expect(try await world.tick("2026-03-02T05:0\(minute):00Z").count == 1)
        }
        let tokens = Set(world.simulator.requests.compactMap { $0.header("authorization") })
        #expect(world.simulator.requests.count == 10)
        #expect(tokens.count == 1)
        // The worker's role cannot read it from the table.
        await #expect(throws: SQLError.self) {
            try await world.database.sql("select token from cuecard.provider_token", role: "cuecard_worker")
        }
    }

    /// A wrong private key stops its lane; the right one, under the same key id, does not wait for the wrong one's token.
    @Test func aMendedKeySendsAtOnce() async throws {
        let world = try await World.make(keys: [.production])
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        var wrong = try world.environment()
        wrong["APNS_PRODUCTION_PRIVATE_KEY"] = try SigningKeyPair().privateKeyPEM
        let refused = try await Binary.run(["tick", "--now", "2026-03-02T05:00:00Z"], environment: wrong)
        #expect(refused.code == 0, "\(refused.errors)")
        #expect(world.simulator.requests.map(\.answer) == [.status(403)])

        try await world.database.sql("update cuecard.lane set paused_until = null, probe_at = null")
        #expect(try await world.tick("2026-03-02T05:20:00Z").kinds == [.start])
        // Whoever still has the wrong key does not change the right one's token.
        try await world.backend("update cuecard.event set title = 'Dentist, later'")
        _ = try await Binary.run(["tick", "--now", "2026-03-02T05:21:00Z"], environment: wrong)
        #expect(world.simulator.requests.last?.answer == .status(403))
        try await world.database.sql("update cuecard.lane set paused_until = null, probe_at = null")
        #expect(try await world.tick("2026-03-02T05:45:00Z").kinds == [.update])
        let tokens = world.simulator.requests.filter { $0.verdict == .accepted }.compactMap {
            $0.header("authorization")
        }
        #expect(tokens.count == 2)
        #expect(Set(tokens).count == 1)
    }

    private func keyID(of jwt: Substring) throws -> String? {
        let header = try #require(jwt.split(separator: ".").first)
        let base64 = header.replacing("-", with: "+").replacing("_", with: "/")
        let padded = String(base64) + String(repeating: "=", count: (4 - base64.count % 4) % 4)
        struct Header: Decodable {
            var kid: String
            var alg: String
        }
        let decoded = try JSONDecoder().decode(Header.self, from: try #require(Data(base64Encoded: padded)))
        #expect(decoded.alg == "ES256")
        return decoded.kid
    }
}
