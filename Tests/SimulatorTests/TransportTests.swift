import Foundation
import LiveActivity
import Simulator
import Testing

/// TLS, HTTP/2 and the faults on demand.
@Suite struct TransportTests {
    static let refusedStream: UInt32 = 7
    let bearer: String
    let simulator: APNsSimulator

    init() throws {
        let mint = try ProviderTokenMint()
        bearer = mint.token()
        var options = SimulatorOptions { Date() }
        options.keys = [mint.trusted]
        options.unknownTokens = .accept
        simulator = try APNsSimulator(options)
    }

    func connect() throws -> HTTP2Client {
        try HTTP2Client(port: simulator.productionPort, authorityPEM: simulator.authorityPEM)
    }

    func push(_ token: String = "abcd") -> HTTP2Client.Request {
        Draft(token: token, authorization: bearer, body: Payload.start()).request
    }

    /// A connection whose first request has been served, so that it may have many streams.
    func warmConnection() throws -> HTTP2Client {
        let client = try connect()
        _ = try client.send(push())
        try client.pump(until: .now + .seconds(5)) { client.streamLimits.count > 1 }
        return client
    }

    @Test func provesItselfForBothNames() throws {
        for host in ["localhost", "127.0.0.1"] {
            _ = try HTTP2Client(
                port: simulator.productionPort, authorityPEM: simulator.authorityPEM, host: host)
        }
        #expect(throws: HTTP2Client.ConnectFailure.self) {
            try HTTP2Client(
                port: simulator.productionPort, authorityPEM: simulator.authorityPEM, host: "api.push.apple.com")
        }
        let other = try APNsSimulator(SimulatorOptions { Date() })
        #expect(throws: HTTP2Client.ConnectFailure.self) {
            try HTTP2Client(port: simulator.productionPort, authorityPEM: other.authorityPEM)
        }
    }

    @Test func speaksHTTP2Alone() throws {
        #expect(throws: HTTP2Client.ConnectFailure.self) {
            try HTTP2Client(
                port: simulator.productionPort, authorityPEM: simulator.authorityPEM, offering: "http/1.1")
        }
    }

    @Test func writesItsAuthorityAndNamesItsPorts() throws {
        var options = SimulatorOptions { Date() }
        options.caFile = NSTemporaryDirectory() + "cuecard-ca-\(UUID().uuidString).pem"
        let path = try #require(options.caFile)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let simulator = try APNsSimulator(options)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == simulator.authorityPEM)
        #expect(simulator.url(.sandbox) == "https://localhost:\(simulator.sandboxPort)")
        options.productionPort = simulator.productionPort
        #expect(throws: SimulatorError.portInUse(simulator.productionPort)) { try APNsSimulator(options) }
    }

    @Test func allowsOneStreamUntilTheFirstSuccess() throws {
        let client = try connect()
        #expect(client.streamLimits == [1])
        #expect(try client.send(push("xyz")).reason == "BadDeviceToken")
        #expect(client.streamLimits == [1])
        #expect(try client.send(push()).status == 200)
        try client.pump(until: .now + .seconds(5)) { client.streamLimits.count > 1 }
        #expect(client.streamLimits == [1, 1000])
        let outcomes = try client.send((0..<200).map { _ in push() })
        #expect(outcomes.allSatisfy { $0.status == 200 })
    }

    @Test func keepsALimitOfOneWhereAskedTo() throws {
        simulator.setTraits(ConnectionTraits(firstStreamLimit: nil, streamLimit: 1, hasNarrowWindow: true))
        let client = try connect()
        #expect(client.streamLimits == [1])
        #expect(client.remoteWindow == 65_535)
        let outcomes = try client.send((0..<20).map { _ in push() })
        #expect(outcomes.allSatisfy { $0.status == 200 })
        #expect(client.streamLimits == [1])
    }

    @Test func hasAWideWindowByDefault() throws {
        #expect(try warmConnection().remoteWindow > 1 << 20)
    }

    @Test func rejectsOnDemand() throws {
        let client = try connect()
        simulator.add(Fault(.reject(Rejection(429, "TooManyRequests", retryAfter: 7)), token: "ABCD", kinds: [.start]))
        #expect(try client.send(push("beef")).status == 200)
        let outcome = try client.send(push())
        #expect(outcome.status == 429)
        #expect(outcome.reason == "TooManyRequests")
        #expect(outcome.field("retry-after") == "7")
        #expect(try client.send(push()).status == 200)
        #expect(simulator.requests.map(\.isProcessed) == [true, false, true])
    }

    @Test func countsBeforeItStrikes() throws {
        let client = try warmConnection()
        simulator.add(Fault(.reject(Rejection(500, "InternalServerError")), skip: 2, times: 3))
        let statuses = try (0..<7).map { _ in try client.send(push()).status }
        #expect(statuses == [200, 200, 500, 500, 500, 200, 200])
        simulator.add(Fault(.reject(Rejection(503, "Shutdown")), environment: .sandbox, times: nil))
        #expect(try client.send(push()).status == 200)
        simulator.add(Fault(.reject(Rejection(503, "Shutdown")), times: nil))
        #expect(try client.send(push()).status == 503)
        simulator.removeFaults()
        #expect(try client.send(push()).status == 200)
    }

    @Test func delaysAnAnswer() throws {
        let client = try warmConnection()
        simulator.add(Fault(.delay(.milliseconds(150)), token: "beef"))
        let started = ContinuousClock.now
        let outcomes = try client.send([push("beef"), push()])
        #expect(outcomes.map(\.status) == [200, 200])
        #expect(ContinuousClock.now - started >= .milliseconds(150))
    }

    @Test(arguments: [true, false]) func leavesARequestWithoutAnswer(isProcessed: Bool) throws {
        let client = try warmConnection()
        simulator.add(Fault(.noAnswer(processed: isProcessed), token: "beef"))
        let outcomes = try client.send([push("beef"), push()], within: .milliseconds(300))
        #expect(outcomes[0] == .unanswered)
        #expect(outcomes[1].status == 200)
        let request = try #require(simulator.requests.first { $0.token == "beef" })
        #expect(request.isProcessed == isProcessed)
        #expect(request.answer == .none)
        #expect(request.verdict == (isProcessed ? .accepted : .unread))
    }

    @Test(arguments: [true, false]) func resetsAStream(isProcessed: Bool) throws {
        let client = try warmConnection()
        simulator.add(Fault(.reset(code: Self.refusedStream, processed: isProcessed)))
        #expect(try client.send(push("beef")) == .reset(code: Self.refusedStream))
        #expect(try client.send(push()).status == 200)
        let request = try #require(simulator.requests.first { $0.token == "beef" })
        #expect(request.isProcessed == isProcessed)
        #expect(request.answer == .reset(code: Self.refusedStream))
    }

    @Test(arguments: [true, false]) func closesAConnection(isProcessed: Bool) throws {
        let client = try warmConnection()
        simulator.add(Fault(.close(processed: isProcessed)))
        #expect(try client.send(push("beef")) == .unanswered)
        #expect(client.isClosed)
        #expect(simulator.requests.last?.isProcessed == isProcessed)
        #expect(try connect().send(push()).status == 200)
    }

    @Test func goesAwayAfterTheTenth() throws {
        let client = try warmConnection()
        simulator.add(Fault(.goAway(processed: true), skip: 9))
        let outcomes = try client.send((0..<50).map { _ in push() })
        #expect(outcomes.prefix(10).allSatisfy { $0.status == 200 })
        // nghttp2's client closes streams above the last one as refused.
        #expect(outcomes.dropFirst(10).allSatisfy { $0 == .reset(code: Self.refusedStream) })
        #expect(client.goAwayStream == 21)
        try client.pump(until: .now + .seconds(5)) { client.isClosed }
        #expect(client.isClosed)
        #expect(simulator.requests.filter(\.isProcessed).count == 11)
    }

    @Test func goesAwayBeforeARequest() throws {
        let client = try warmConnection()
        simulator.add(Fault(.goAway(processed: false), skip: 2))
        let outcomes = try client.send((0..<5).map { _ in push() })
        #expect(outcomes.map(\.status) == [200, 200, nil, nil, nil])
        #expect(client.goAwayStream == 5)
        #expect(simulator.requests.filter(\.isProcessed).count == 3)
    }

    @Test func dropsAndFreezesConnections() throws {
        let client = try warmConnection()
        simulator.freezeConnections()
        #expect(try client.send(push(), within: .milliseconds(300)) == .unanswered)
        #expect(!client.isClosed)
        let other = try warmConnection()
        simulator.dropConnections()
        try other.pump(until: .now + .seconds(5)) { other.isClosed }
        #expect(other.isClosed)
        #expect(try connect().send(push()).status == 200)
    }

    @Test func waitsForEvents() async throws {
        let waiting = Task { [simulator] in
            try await simulator.wait { $0.accepted(.start).count == 2 }
        }
        let client = try warmConnection()
        _ = try client.send(push())
        #expect(try await waiting.value.requests.count == 2)
        await #expect(throws: SimulatorError.self) {
            try await simulator.wait(within: .milliseconds(50)) { $0.requests.count == 3 }
        }
    }
}
