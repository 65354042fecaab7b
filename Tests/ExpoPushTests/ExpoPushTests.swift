import ExpoPush
import Foundation
import HTTPEndpoint
import LiveActivity
import Testing

@Suite("Wakes through Expo")
struct ExpoPushTests {
    @Test("a wake is silent, of normal priority, and kept for nobody")
    func message() async throws {
        let service = try ExpoService { try tickets($0.tokens) }
        let outcomes = await service.client(accessToken: "an access token")
            .send([ExpoMessage(token: token(1), data: ["run": "r"])])
        #expect(outcomes == [.accepted(receipt: token(1))])
        let asked = try #require(service.asked.first)
        #expect(service.asked.count == 1)
        #expect(asked.head.method == "POST")
        #expect(asked.head.path == "/--/api/v2/push/send")
        #expect(asked.head.headers["authorization"] == "Bearer an access token")
        #expect(asked.head.headers["content-type"] == "application/json")
        let sent = try JSONSerialization.jsonObject(with: Data(asked.body.utf8)) as? [NSDictionary]
        let wanted: NSDictionary = [
            "to": token(1), "_contentAvailable": true, "priority": "normal", "ttl": 0, "data": ["run": "r"],
        ]
        #expect(sent == [wanted])
    }

    @Test("no access token, no authorization; the address of send will do as well")
    func plain() async throws {
        let service = try ExpoService { try tickets($0.tokens) }
        let client = ExpoPushClient(url: service.url + "/send")
        #expect(await client.send([ExpoMessage(token: token(1))]) == [.accepted(receipt: token(1))])
        #expect(service.asked.first?.head.headers["authorization"] == nil)
        #expect(service.asked.first?.head.path == "/--/api/v2/push/send")
        #expect(await client.send([]) == [])
        #expect(service.asked.count == 1)
    }

    @Test("batches of at most 100, every message once, outcomes in order")
    func batches() async throws {
        let service = try ExpoService { try tickets($0.tokens) }
        let tokens = (0..<950).map(token)
        let outcomes = await service.client().send(tokens.map { ExpoMessage(token: $0) })
        #expect(outcomes == tokens.map { .accepted(receipt: $0) })
        #expect(try service.asked.map { try $0.tokens.count }.sorted() == [50] + Array(repeating: 100, count: 9))
        #expect(try service.asked.flatMap { try $0.tokens }.sorted() == tokens.sorted())
    }

    @Test("FR-60: a refused message is found by its position, and its token is not repeated in full")
    func position() async throws {
        let service = try ExpoService { _ in
            json(
                #"""
                {"data":[{"status":"ok","id":"a"},
                {"status":"error","message":"\"ExponentPushToken[number-2]\" is not registered",
                 "details":{"error":"DeviceNotRegistered","expoPushToken":"ExponentPushToken[number-2]"}},
                {"status":"error","message":"new"},{"status":"ok","id":"d"}]}
                """#)
        }
        let outcomes = await service.client().send((1...4).map { ExpoMessage(token: token($0)) })
        #expect(outcomes.first == .accepted(receipt: "a"))
        #expect(outcomes.last == .accepted(receipt: "d"))
        guard case .rejected(let rejection) = outcomes[1], case .rejected(let other) = outcomes[2] else {
            Issue.record("the second and third were refused, not \(outcomes)")
            return
        }
        #expect(rejection.code == "DeviceNotRegistered")
        #expect(rejection.message == "\"ExponentPushToken[numb…]\" is not registered")
        #expect(other.code == "unspecified")
    }

    @Test("FR-59: one token of another project: the other 99 are sent, it is set aside, and no more is tried")
    func foreignToken() async throws {
        let foreign = token(42)
        let service = try ExpoService { asked in
            let tokens = try asked.tokens
            guard tokens.contains(foreign) else { return tickets(tokens) }
            let own = tokens.filter { $0 != foreign }.map { "\"\($0)\"" }.joined(separator: ",")
            return json(
                """
                {"errors":[{"code":"PUSH_TOO_MANY_EXPERIENCE_IDS","message":"All push notification messages …",
                "details":{"@them/other":["\(foreign)"],"@us/ours":[\(own)]}}]}
                """, status: 400)
        }
        let tokens = (1...100).map(token)
        let outcomes = await service.client().send(tokens.map { ExpoMessage(token: $0) })
        for (sent, outcome) in zip(tokens, outcomes) where sent != foreign {
            #expect(outcome == .accepted(receipt: sent))
        }
        guard case .rejected(let rejection) = outcomes[41] else {
            Issue.record("the foreign one was refused, not \(outcomes[41])")
            return
        }
        #expect(rejection.code == "PUSH_TOO_MANY_EXPERIENCE_IDS")
        #expect(rejection.status == 400)
        #expect(try service.asked.map { try $0.tokens.count } == [100, 99])
    }

    @Test("a service that calls every batch mixed is asked twice and no more")
    func endlessSplit() async throws {
        let service = try ExpoService { asked in
            let tokens = try asked.tokens.map { "\"\($0)\"" }
            return json(
                """
                {"errors":[{"code":"PUSH_TOO_MANY_EXPERIENCE_IDS","message":"",
                "details":{"@a/a":[\(tokens[0])],"@b/b":[\(tokens.dropFirst().joined(separator: ","))]}}]}
                """, status: 400)
        }
        let outcomes = await service.client().send((1...5).map { ExpoMessage(token: token($0)) })
        #expect(service.asked.count == 2)
        #expect(outcomes.count == 5)
        for outcome in outcomes {
            guard case .rejected = outcome else {
                Issue.record("refused, not \(outcome)")
                return
            }
        }
    }

    @Test(
        "a refused request refuses each message, with its status and code, whatever the body",
        arguments: [
            (401, #"{"errors":[{"code":"UNAUTHORIZED","message":"m","details":{"a":1}}]}"#, "UNAUTHORIZED"),
            (429, #"{"errors":[{"code":"TOO_MANY_REQUESTS","message":"m"}]}"#, "TOO_MANY_REQUESTS"),
            (429, "slow down", "HTTP 429"), (503, "<html>", "HTTP 503"), (404, "", "HTTP 404"),
            (302, "", "HTTP 302"), (200, #"{"errors":[{"message":"m"}]}"#, "HTTP 200"),
        ])
    func refused(status: Int, body: String, code: String) async throws {
        let service = try ExpoService { _ in json(body, status: status) }
        let outcomes = await service.client().send([ExpoMessage(token: token(1)), ExpoMessage(token: token(2))])
        #expect(service.asked.count == 1)
        #expect(outcomes.count == 2)
        for outcome in outcomes {
            guard case .rejected(let rejection) = outcome else {
                Issue.record("refused, not \(outcome)")
                return
            }
            #expect(rejection.code == code)
            #expect(rejection.status == status)
        }
    }

    @Test(
        "a success that cannot be read is unknown, for Expo may have taken it",
        arguments: [
            "", "{}", "[]", #"{"data":[]}"#, #"{"data":[{"status":"ok"}]}"#, #"{"data":{"status":"ok","id":"a"}}"#,
        ])
    func unreadable(body: String) async throws {
        let service = try ExpoService { _ in json(body) }
        let outcomes = await service.client().send([ExpoMessage(token: token(1))])
        guard case .failed(.unknown) = outcomes.first else {
            Issue.record("unknown, not \(outcomes)")
            return
        }
    }

    @Test("roots of one's own are those that libcurl reads")
    func roots() async throws {
        let service = try ExpoService { _ in tickets([token(1)]) }
        let url = service.url.replacing("http:", with: "https:")
        let client = ExpoPushClient(url: url, rootsFile: "/nowhere/roots.pem")
        guard case .failed(.notProcessed(let detail)) = await client.send([ExpoMessage(token: token(1))]).first else {
            Issue.record("it was sent without roots")
            return
        }
        #expect(detail.contains("CA cert"))
        #expect(service.asked.isEmpty)
    }

    @Test("nobody there: not processed; no answer in time: unknown")
    func noAnswer() async throws {
        // Bound and not listened on: it refuses, and no other test can get it meanwhile.
        let held = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(held) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(held, $0, length) == 0 && getsockname(held, $0, &length) == 0
            }
        }
        try #require(isBound)
        let unreachable = ExpoPushClient(url: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
        guard case .failed(.notProcessed) = await unreachable.send([ExpoMessage(token: token(1))]).first else {
            Issue.record("it was never sent")
            return
        }
        let silent = try HTTPServer(listen: ListenAddress(host: "127.0.0.1", port: 0)) { _, _ in
            try? await Task.sleep(for: .seconds(6))
            return Response(status: 200)
        }
        let client = ExpoPushClient(url: "http://127.0.0.1:\(silent.port)", deadline: .seconds(2))
        guard case .failed(.unknown) = await client.send([ExpoMessage(token: token(1))]).first else {
            Issue.record("it may have been processed")
            return
        }
    }

    @Test("FR-61: the receipt tells the truth; a missing one says nothing")
    func receipts() async throws {
        let service = try ExpoService { _ in
            json(
                """
                {"data":{"a":{"status":"ok"},
                "b":{"status":"error","message":"m","details":{"error":"DeviceNotRegistered"}}}}
                """)
        }
        let receipts = await service.client().receipts(["a", "b", "c"])
        #expect(receipts.problems == [])
        #expect(receipts.known.count == 2)
        #expect(receipts.known["a"] == .accepted)
        #expect(
            receipts.known["b"]
                == .rejected(ExpoRejection(code: "DeviceNotRegistered", message: "m", status: 200)))
        #expect(service.asked.first?.head.path == "/--/api/v2/push/getReceipts")
        #expect(service.asked.first?.body == #"{"ids":["a","b","c"]}"#)
    }

    @Test("receipts go by thousands, and a failed call hides no other's")
    func manyReceipts() async throws {
        let service = try ExpoService { asked in
            asked.body.contains("\"0\"")
                ? json(#"{"data":{"0":{"status":"ok"}}}"#)
                : json(#"{"errors":[{"code":"PUSH_TOO_MANY_RECEIPTS","message":"no"}]}"#, status: 400)
        }
        let receipts = await service.client().receipts((0..<1500).map(String.init))
        #expect(receipts.known == ["0": .accepted])
        #expect(receipts.problems == ["PUSH_TOO_MANY_RECEIPTS no"])
        #expect(service.asked.count == 2)
    }
}
