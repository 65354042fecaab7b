import APNs
import Foundation
import LiveActivity
import Simulator
import Testing

@Suite("What goes out") struct PushSenderTests {
    @Test("A start carries every header as Apple asks, and no other")
    func headers() async throws {
        let rig = try Rig()
        let start = push(7, .start, collapseID: "run-7")
        #expect(await rig.send(start) == .accepted)
        let request = try #require(rig.simulator.requests.first)
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        let jwt = try #require(rig.table.history.first?.jwt)
        #expect(
            headers == [
                ":method": "POST", ":scheme": "https", ":authority": "localhost:\(rig.simulator.productionPort)",
                ":path": "/3/device/" + start.token.hex, "authorization": "bearer " + jwt,
                "apns-topic": "com.example.cuecard.push-type.liveactivity", "apns-push-type": "liveactivity",
                "apns-priority": "10", "apns-id": start.id.uuidString.lowercased(), "apns-expiration": "1800000600",
                "apns-collapse-id": "run-7",
            ])
        #expect(request.body == start.payload)
        #expect(request.environment == .production)
    }

    @Test("A wake goes to the bare topic, without a collapse id")
    func wakeHeaders() async throws {
        let rig = try Rig()
        #expect(await rig.send(push(1, .wake, to: .sandbox)) == .accepted)
        let request = try #require(rig.simulator.requests.first)
        #expect(request.header("apns-topic") == Rig.app)
        #expect(request.header("apns-push-type") == "background")
        #expect(request.header("apns-priority") == "5")
        #expect(request.header("apns-collapse-id") == nil)
        #expect(request.environment == .sandbox)
    }

    @Test("FR-40: 500 pushes have one authorization value between them")
    func oneAuthorization() async throws {
        let rig = try Rig()
        #expect(await rig.send(pushes(500)).allSatisfy { $0 == .accepted })
        let values = Set(rig.simulator.requests.compactMap { $0.header("authorization") })
        #expect(values.count == 1)
        #expect(rig.simulator.requests.count == 500)
    }

    @Test("FR-43: Live Activity and background topics, sent in turn, have the same bearer and connection")
    func oneBearerForAllTopics() async throws {
        let rig = try Rig()
        for number in 1...10 {
            #expect(await rig.send(push(number, number.isMultiple(of: 2) ? .wake : .update)) == .accepted)
        }
        #expect(Set(rig.simulator.requests.compactMap { $0.header("apns-topic") }).count == 2)
        #expect(Set(rig.simulator.requests.compactMap { $0.header("authorization") }).count == 1)
        #expect(rig.connections.count == 1)
    }

    @Test("FR-47: two credentials never share a connection")
    func separateConnections() async throws {
        let pair = try SigningKeyPair()
        let other = try ProviderKey(teamID: "TEAM999999", keyID: "KEY9999999", privateKey: pair.privateKeyPEM)
        let rig = try Rig { configuration, simulator in
            try simulator.trust(
                TrustedKey(keyID: "KEY9999999", teamID: "TEAM999999", publicKeyPEM: pair.publicKeyPEM))
            configuration.credentials.append(
                .init(environment: .production, bundleIDs: ["com.example.other"], key: other))
        }
        let mixed = (1...100).map { push($0, app: $0.isMultiple(of: 2) ? Rig.app : "com.example.other") }
        #expect(await rig.send(mixed).allSatisfy { $0 == .accepted })
        let keysByConnection = Dictionary(grouping: rig.simulator.requests, by: \.connection)
            .mapValues { Set($0.compactMap { $0.header("authorization") }) }
        #expect(keysByConnection.values.allSatisfy { $0.count == 1 })
        #expect(Set(keysByConnection.values).count == 2)
    }

    @Test("I6: a push without a key is not sent; the others are")
    func noKeyNoPush() async throws {
        let rig = try Rig { configuration, _ in
            configuration.credentials.removeAll { $0.environment == .sandbox }
            configuration.credentials[0].bundleIDs = [Rig.app]
        }
        let outcomes = await rig.send([push(1, to: .sandbox), push(2), push(3, app: "com.example.other")])
        #expect(
            outcomes == [
                .failed(.notProcessed("no key for sandbox")), .accepted,
                .failed(.notProcessed("no key for production")),
            ])
        #expect(rig.simulator.requests.map(\.token) == [push(2).token.hex])
        #expect(rig.sender.hasKey(for: Rig.app, in: .production))
        #expect(!rig.sender.hasKey(for: Rig.app, in: .sandbox))
    }

    @Test("FR-44: with the token store down nothing is sent, and every push says why")
    func storeDown() async throws {
        let rig = try Rig()
        rig.table.setDown(true)
        let outcomes = await rig.send(pushes(3))
        #expect(outcomes.allSatisfy { $0.notProcessed?.contains("the database does not answer") ?? false })
        #expect(rig.simulator.requests.isEmpty)
        rig.table.setDown(false)
        #expect(await rig.send(push()) == .accepted)
    }

    @Test("10 000 pushes are processed exactly once each")
    func tenThousand() async throws {
        let rig = try Rig()
        let outcomes = await rig.send(pushes(10_000))
        #expect(outcomes.count == 10_000)
        #expect(outcomes.allSatisfy { $0 == .accepted })
        #expect(rig.processed.count == 10_000)
        #expect(rig.processed.values.allSatisfy { $0 == 1 })
        #expect(rig.simulator.requests.count == 10_000)
    }

    @Test("Twenty senders' calls at once, through one sender: each caller gets its own outcomes, in order")
    func concurrentCalls() async throws {
        let rig = try Rig()
        for number in stride(from: 10, through: 2000, by: 10) {
            rig.simulator.add(Fault(.reject(Rejection(400, "R\(number)")), token: push(number).token.hex))
        }
        let sender = rig.sender
        await withTaskGroup(of: Void.self) { group in
            for part in 0..<20 {
                group.addTask {
                    let numbers = Array((part * 100 + 1)...(part * 100 + 100))
                    let outcomes = await sender.send(numbers.map { push($0) }, deadline: .now + .seconds(30))
                    let expected: [PushOutcome] = numbers.map {
                        $0.isMultiple(of: 10) ? .rejected(.init(status: 400, reason: "R\($0)")) : .accepted
                    }
                    #expect(outcomes == expected)
                }
            }
        }
        #expect(rig.processed.count == 1800)
    }

    @Test("An empty batch is answered with nothing")
    func emptyBatch() async throws {
        let rig = try Rig()
        #expect(await rig.send([]).isEmpty)
    }
}

@Suite("Settings of the sender") struct PushSenderSettingsTests {
    static let mistakes: [(String, @Sendable (inout PushSender.Configuration) -> Void, String)] = [
        ("http", { $0.productionURL = URL(string: "http://localhost:1") }, "production URL"),
        ("no URL", { $0.sandboxURL = nil }, "sandbox URL"),
        ("a path", { $0.productionURL = URL(string: "https://localhost/3/device") }, "production URL"),
        ("no connection", { $0.connectionsPerKey = 0 }, "between 1 and 16"),
        ("too many connections", { $0.connectionsPerKey = 17 }, "between 1 and 16"),
        ("no time", { $0.requestDeadline = .zero }, "deadlines"),
        ("a CA file that is not there", { $0.caFile = "/nonexistent/ca.pem" }, "/nonexistent/ca.pem"),
    ]

    @Test("Each mistake is named", arguments: mistakes)
    func refuses(
        name: String, adjust: @Sendable (inout PushSender.Configuration) -> Void, text: String
    ) throws {
        let error = try #require(throws: APNsError.self) { try Rig { configuration, _ in adjust(&configuration) } }
        #expect(error.description.contains(text))
    }
}
