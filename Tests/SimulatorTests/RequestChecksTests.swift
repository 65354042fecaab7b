import Foundation
import LiveActivity
import Simulator
import Testing

/// Each check of APNs, one spoilt part at a time.
@Suite struct RequestChecksTests {
    static let token = String(repeating: "ab", count: 80)
    let bearer: String
    let simulator: APNsSimulator
    let client: HTTP2Client

    init() throws {
        let mint = try ProviderTokenMint()
        bearer = mint.token()
        var options = SimulatorOptions { Date() }
        options.keys = [mint.trusted]
        options.unknownTokens = .accept
        simulator = try APNsSimulator(options)
        client = try HTTP2Client(port: simulator.productionPort, authorityPEM: simulator.authorityPEM)
    }

    var start: Draft { Draft(token: Self.token, authorization: bearer, body: Payload.start()) }
    var wake: Draft {
        Draft(
            token: Self.token, authorization: bearer, type: "background", topic: "app.example", priority: "5",
            body: Payload.wake)
    }

    func expect(_ draft: Draft, _ status: Int, _ reason: String) throws {
        let outcome = try client.send(draft.request)
        #expect(outcome.status == status)
        #expect(outcome.reason == reason)
    }

    @Test func acceptsAPushThatIsRight() throws {
        let draft = start
        let outcome = try client.send(draft.request)
        #expect(outcome.status == 200)
        #expect(
            outcome
                == .answered(
                    status: 200,
                    fields: [
                        HeaderField(":status", "200"),
                        HeaderField("apns-id", draft.fields.first { $0.name == "apns-id" }!.value),
                    ], body: ""))
    }

    @Test(arguments: [0, 10, 96]) func acceptsTokensOfOtherLengths(less: Int) throws {
        var draft = start
        draft.path = "/3/device/" + Self.token.dropLast(less)
        #expect(try client.send(draft.request).status == 200)
    }

    @Test func echoesAndMakesIDs() throws {
        let outcome = try client.send(start.with("apns-id", nil).request)
        #expect(UUID(uuidString: outcome.field("apns-id") ?? "") != nil)
        #expect(outcome.field("apns-unique-id") == nil)
        let sandbox = try HTTP2Client(port: simulator.sandboxPort, authorityPEM: simulator.authorityPEM)
        #expect(try sandbox.send(start.request).field("apns-unique-id") != nil)
    }

    @Test func refusesOtherMethods() throws {
        var draft = start
        draft.method = "PUT"
        try expect(draft, 405, "MethodNotAllowed")
    }

    @Test(arguments: [
        ("/2/device/abab", 404, "BadPath"), ("/", 404, "BadPath"), ("/3/devices/abab", 404, "BadPath"),
        ("/3/device/", 400, "MissingDeviceToken"), ("/3/device", 400, "MissingDeviceToken"),
        ("/3/device/abc", 400, "BadDeviceToken"), ("/3/device/xyzw", 400, "BadDeviceToken"),
    ]) func judgesThePath(path: String, status: Int, reason: String) throws {
        var draft = start
        draft.path = path
        try expect(draft, status, reason)
    }

    @Test(
        arguments: [
            ("apns-push-type", nil, "InvalidPushType"), ("apns-push-type", "live", "InvalidPushType"),
            ("apns-push-type", "alert", "InvalidPushType"),
            ("apns-topic", nil, "MissingTopic"), ("apns-topic", "app.example", "InvalidPushType"),
            ("apns-topic", "app/example", "BadTopic"),
            ("apns-priority", "7", "BadPriority"), ("apns-priority", "1", "BadPriority"),
            ("apns-priority", "high", "BadPriority"),
            ("apns-expiration", "soon", "BadExpirationDate"), ("apns-expiration", "1.5", "BadExpirationDate"),
            ("apns-id", "123", "BadMessageId"), ("apns-id", String(repeating: "a", count: 36), "BadMessageId"),
            ("apns-collapse-id", String(repeating: "a", count: 65), "BadCollapseId"),
        ] as [(String, String?, String)]) func judgesEachHeader(name: String, value: String?, reason: String) throws
    {
        try expect(start.with(name, value), 400, reason)
    }

    @Test(
        arguments: [
            ("apns-priority", nil), ("apns-priority", "5"), ("apns-expiration", "0"), ("apns-expiration", nil),
            ("apns-id", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"),
            ("apns-collapse-id", String(repeating: "a", count: 64)),
        ] as [(String, String?)]) func allowsWhatAppleAllows(name: String, value: String?) throws
    {
        #expect(try client.send(start.with(name, value).request).status == 200)
    }

    @Test func refusesARepeatedHeader() throws {
        var draft = start
        draft.fields.append(HeaderField("apns-priority", "5"))
        try expect(draft, 400, "DuplicateHeaders")
    }

    @Test func wantsLowPriorityForBackground() throws {
        #expect(try client.send(wake.request).status == 200)
        try expect(wake.with("apns-priority", "10"), 400, "BadPriority")
        try expect(wake.with("apns-priority", nil), 400, "BadPriority")
        try expect(wake.with("apns-topic", "app.example.push-type.liveactivity"), 400, "InvalidPushType")
    }

    @Test func limitsTheSize() throws {
        try expect(start.with(body: ""), 400, "PayloadEmpty")
        let whole = Payload.start()
        let padded = whole + String(repeating: " ", count: 4096 - whole.utf8.count)
        #expect(try client.send(start.with(body: padded).request).status == 200)
        try expect(start.with(body: padded + " "), 413, "PayloadTooLarge")
    }

    @Test func checksTheKeyBeforeTheRest() throws {
        let draft = start.with("authorization", nil).with("apns-topic", nil).with(body: "")
        try expect(draft, 403, "MissingProviderToken")
    }

    @Test func answersWithTheTimeOfATokensDeath() throws {
        let since = Date(timeIntervalSince1970: 1_700_000_000.25)
        simulator.invalidate(token: Self.token, .production, Rejection(410, "Unregistered", since: since))
        let outcome = try client.send(start.request)
        #expect(outcome.status == 410)
        guard case .answered(_, _, let body) = outcome else { return }
        #expect(body == #"{"reason":"Unregistered","timestamp":1700000000250}"#)
        let sandbox = try HTTP2Client(port: simulator.sandboxPort, authorityPEM: simulator.authorityPEM)
        #expect(try sandbox.send(start.request).status == 200)
    }

    @Test func writesDownWhatCame() throws {
        let draft = start
        _ = try client.send([draft.request])
        _ = try client.send([draft.with("apns-priority", "3").request])
        let requests = simulator.requests
        #expect(requests.map(\.verdict) == [.accepted, .rejected(Rejection(400, "BadPriority"))])
        #expect(requests.map(\.answer) == [.status(200), .status(400)])
        #expect(requests.map(\.isProcessed) == [true, false])
        #expect(requests.map(\.stream) == [1, 3])
        let first = try #require(requests.first)
        #expect(first.environment == .production)
        #expect(first.connection == 1)
        #expect(first.kind == .start)
        #expect(first.token == Self.token)
        #expect(String(decoding: first.body, as: UTF8.self) == draft.body)
        #expect(first.header("apns-topic") == "app.example.push-type.liveactivity")
        #expect(!first.description.contains(Self.token))
        #expect(!first.description.contains("bearer"))
    }
}
