import TestSupport
import Testing

@testable import HTTPEndpoint

@Suite("Router, without a socket")
struct RouterTests {
    let ticks = Ticks()

    private func router(
        _ change: (inout HTTPEndpoint.Configuration) -> Void = { _ in },
        ready: @escaping @Sendable () async -> [String] = { [] },
        tick: (@Sendable (TickRequest) async -> TickResponse)? = nil
    ) throws -> Router {
        let ticks = ticks
        return try Router(
            configuration: .forTests(change),
            tick: { request in
                ticks.begin(request)
                defer { ticks.finish() }
                return await tick?(request) ?? TickResponse(body: Array(#"{"started":1}"#.utf8))
            },
            ready: ready, metrics: { "up 1\n" })
    }

    private func post(_ headers: [String: String]) -> RequestHead {
        RequestHead(method: "POST", path: "/tick", headers: headers)
    }

    private let authorised = ["authorization": "Bearer \(secret)"]

    @Test(
        "the secret opens /tick, in either header, in either case of the scheme",
        arguments: [
            ["authorization": "Bearer \(secret)"], ["authorization": "bearer \(secret)"], ["x-cron-secret": secret],
        ])
    func opens(headers: [String: String]) async throws {
        let answer = try await router().answer(post(headers))
        #expect(answer.status == 200)
        #expect(try fields(answer.body) == ["started": "1"])
        #expect(answer.headers["content-type"] == "application/json")
        #expect(ticks.asked == [TickRequest()])
    }

    @Test(
        "anything but the secret is 401 and runs nothing",
        arguments: [
            [:], ["authorization": "Bearer"], ["authorization": "Bearer "], ["authorization": secret],
            ["authorization": "Basic \(secret)"], ["authorization": "Bearer \(secret)x"],
            ["authorization": "Bearer \(secret.dropLast())"], ["authorization": "Bearer  \(secret)"],
            ["x-cron-secret": ""], ["x-cron-secret": "\(secret)\(secret)"], ["authorization": "Bearer A LONG SECRET"],
        ])
    func shut(headers: [String: String]) async throws {
        let answer = try await router().answer(post(headers))
        #expect(answer.status == 401)
        let body = try fields(answer.body)
        #expect(body["code"] == "unauthorized")
        #expect(body.keys.sorted() == ["code", "hint", "message"])
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(secret))
        #expect(ticks.asked == [])
    }

    @Test("while a secret rotates both open, and a third does not")
    func rotation() async throws {
        let router = try router { $0.secrets = ["new", "old"] }
        for (given, status) in [("new", 200), ("old", 200), (secret, 401)] {
            #expect(await router.answer(post(["x-cron-secret": given])).status == status)
        }
    }

    @Test("no secret or an empty one is no way to serve", arguments: [[], [""], ["good", ""]])
    func emptySecret(secrets: [String]) {
        #expect(throws: HTTPEndpointError.noSecret) { try router { $0.secrets = secrets } }
    }

    @Test("other paths are 404, other methods 405 with what is allowed")
    func routes() async throws {
        let router = try router()
        for path in ["/", "/tick/", "/Tick", "/openapi", "/healthz/x"] {
            let answer = await router.answer(RequestHead(method: "GET", path: path))
            #expect(answer.status == 404)
            #expect(try fields(answer.body)["code"] == "not_found")
        }
        for (method, path, allowed) in [
            ("GET", "/tick", "POST"), ("PUT", "/tick", "POST"), ("POST", "/healthz", "GET, HEAD"),
            ("OPTIONS", "/metrics", "GET, HEAD"), ("get", "/readyz", "GET, HEAD"),
        ] {
            let answer = await router.answer(RequestHead(method: method, path: path))
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == allowed)
        }
    }

    @Test("a body over the limit is 413, whether announced or only sent")
    func bodySize() async throws {
        let router = try router { $0.bodyLimit = 10 }
        let announced = router.refusal(of: post(authorised.merging(["content-length": "11"]) { $1 }))
        #expect(announced?.status == 413)
        #expect(router.refusal(of: post(authorised.merging(["content-length": "10"]) { $1 })) == nil)
        #expect(await router.answer(post(authorised), body: Array(repeating: 32, count: 11)).status == 413)
        #expect(ticks.asked == [])
    }

    @Test("a body is nothing or a JSON object", arguments: ["", "{}", " { } "])
    func goodBody(text: String) async throws {
        #expect(try await router().answer(post(authorised), body: Array(text.utf8)).status == 200)
    }

    @Test(
        "any other body is 400 and runs nothing",
        arguments: ["x", "[]", "{", #"{"now": 7}"#, #"{"now": null}"#, "\u{FFFF}"])
    func badBody(text: String) async throws {
        let answer = try await router { $0.takesTestClock = true }.answer(post(authorised), body: Array(text.utf8))
        #expect(answer.status == 400)
        #expect(try fields(answer.body)["code"] == "malformed_body")
        #expect(ticks.asked == [])
    }

    @Test("a field that means nothing is refused by name, so that nobody believes it did something")
    func unknownField() async throws {
        let answer = try await router().answer(post(authorised), body: Array(#"{"dry_run": true}"#.utf8))
        #expect(answer.status == 400)
        let body = try fields(answer.body)
        #expect(body["code"] == "unknown_field")
        #expect(body["message"]?.contains("dry_run") == true)
        #expect(ticks.asked == [])
    }

    @Test("secrets of any length are compared to their end")
    func comparison() {
        for (given, secret, isEqual) in [
            ("abc", "abc", true), ("abd", "abc", false), ("ab", "abc", false), ("abcabc", "abc", false),
            ("", "abc", false), ("xbc", "abc", false),
        ] {
            #expect(Secrets.equal(Array(given.utf8), Array(secret.utf8)) == isEqual)
        }
    }

    @Test("a call goes to its function with its header and body; what is wrong with it has PostgREST's form")
    func calls() async throws {
        let routes = RPCRoutes(operations: [RPCOperation("greet", summary: "", arguments: [.init("name", "text")])]) {
            RPCResponse(status: 200, body: Array("\"\($0.authorization ?? "-") \($0.body.count)\"".utf8))
        }
        let router = try router {
            $0.rpc = routes
            $0.bodyLimit = 10
        }
        let head = RequestHead(method: "POST", path: "/rpc/greet", headers: ["authorization": "Bearer x"])
        #expect(await router.answer(head, body: [1, 2]).body == Array("\"Bearer x 2\"".utf8))
        var get = head
        get.method = "GET"
        for (answer, status) in [
            (await router.answer(get), 405), (await router.answer(head, body: Array(repeating: 32, count: 11)), 413),
        ] {
            #expect(answer.status == status)
            #expect(try fields(answer.body).keys.sorted() == ["code", "details", "hint", "message"])
        }
        let other = RequestHead(method: "POST", path: "/rpc/other")
        #expect(await router.answer(other).status == 404)
        let metrics = await router.answer(RequestHead(method: "GET", path: "/metrics"))
        let text = String(decoding: metrics.body, as: UTF8.self)
        #expect(text.contains(#"cuecard_http_requests_total{path="/rpc/greet",status="405"} 1"#))
        #expect(text.contains(#"cuecard_http_refused_requests_total{reason="body_too_large"} 1"#))
    }

    @Test("calls beyond the limit are 503 at once")
    func busyCalls() async throws {
        let (gate, inside) = (Gate(), Ticks())
        let routes = RPCRoutes(operations: [RPCOperation("wait", summary: "", arguments: [])]) { _ in
            inside.begin(TickRequest())
            await gate.pass()
            return RPCResponse(status: 204, body: [])
        }
        let router = try router {
            $0.rpc = routes
            $0.runningCalls = 1
        }
        let head = RequestHead(method: "POST", path: "/rpc/wait")
        async let first = router.answer(head)
        try await eventually("the first is inside") { inside.asked.count == 1 }
        #expect(await router.answer(head).status == 503)
        gate.open()
        #expect(await first.status == 204)
    }

    @Test("the document names the functions only where they are offered")
    func document() async throws {
        let head = RequestHead(method: "GET", path: "/openapi.json")
        let bare = String(decoding: try await router().answer(head).body, as: UTF8.self)
        #expect(bare.contains(#""openapi":"3.1.0""#))
        #expect(bare.contains(#""/tick""#))
        #expect(!bare.contains("/rpc/"))
        let routes = RPCRoutes(operations: [RPCOperation("greet", summary: "", arguments: [])]) { _ in
            RPCResponse(status: 204, body: [])
        }
        let full = String(decoding: try await router { $0.rpc = routes }.answer(head).body, as: UTF8.self)
        #expect(full.contains(#""/rpc/greet""#))
    }

    @Test("now is taken with the test clock alone")
    func testClock() async throws {
        let body = Array(#"{"now": "2026-03-01T08:00:00Z"}"#.utf8)
        let refused = try await router().answer(post(authorised), body: body)
        #expect(refused.status == 400)
        #expect(try fields(refused.body)["code"] == "no_test_clock")
        #expect(ticks.asked == [])
        #expect(try await router { $0.takesTestClock = true }.answer(post(authorised), body: body).status == 200)
        #expect(ticks.asked == [TickRequest(now: "2026-03-01T08:00:00Z")])
    }

    @Test("a tick longer than the limit is answered with 202 and goes on to its end")
    func longTick() async throws {
        let gate = Gate()
        let router = try router(
            { $0.responseLimit = .milliseconds(10) },
            tick: { _ in
                await gate.pass()
                return TickResponse(body: [])
            })
        let answer = await router.answer(post(authorised))
        #expect(answer.status == 202)
        #expect(try fields(answer.body)["status"] == "running")
        #expect(ticks.finished == 0)
        gate.open()
        #expect(await router.finishTicks(within: .seconds(30)))
        #expect(ticks.finished == 1)
    }

    @Test("without a limit the answer is the summary, however late")
    func waits() async throws {
        let router = try router(
            { $0.responseLimit = nil },
            tick: { _ in
                try? await Task.sleep(for: .milliseconds(50))
                return TickResponse(status: 503, body: Array("{}".utf8))
            })
        #expect(await router.answer(post(authorised)).status == 503)
    }

    @Test("more ticks than may run at once are answered with 503")
    func busy() async throws {
        let gate = Gate()
        let router = try router(
            {
                $0.responseLimit = .milliseconds(1)
                $0.runningTicks = 2
            },
            tick: { _ in
                await gate.pass()
                return TickResponse(body: [])
            })
        var statuses: [Int] = []
        for _ in 1...3 { statuses.append(await router.answer(post(authorised)).status) }
        #expect(statuses == [202, 202, 503])
        gate.open()
        #expect(await router.finishTicks(within: .seconds(30)))
        #expect(await router.answer(post(authorised)).status != 503)
    }

    @Test("health is the process alone, readiness is what is told")
    func health() async throws {
        let router = try router(ready: { ["database: no answer"] })
        #expect(await router.answer(RequestHead(method: "GET", path: "/healthz")).status == 200)
        let unready = await router.answer(RequestHead(method: "GET", path: "/readyz"))
        #expect(unready.status == 503)
        #expect(
            String(decoding: unready.body, as: UTF8.self) == #"{"problems":["database: no answer"],"ready":false}"#)
        #expect(try await self.router().answer(RequestHead(method: "HEAD", path: "/readyz")).status == 200)
    }

    @Test("a check that hangs is not ready")
    func hangingCheck() async throws {
        let gate = Gate()
        let router = try router(
            { $0.deadline = .milliseconds(20) },
            ready: {
                await gate.pass()
                return []
            })
        #expect(await router.answer(RequestHead(method: "GET", path: "/readyz")).status == 503)
        gate.open()
    }

    @Test("metrics are the process's and the handler's own, and unknown paths share one series")
    func metrics() async throws {
        let router = try router()
        for path in ["/a", "/b"] { _ = await router.answer(RequestHead(method: "GET", path: path)) }
        _ = await router.answer(post([:]))
        let answer = await router.answer(RequestHead(method: "GET", path: "/metrics"))
        let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
        #expect(lines.first == "up 1")
        #expect(lines.contains(#"cuecard_http_requests_total{path="other",status="404"} 2"#))
        #expect(lines.contains(#"cuecard_http_requests_total{path="/tick",status="401"} 1"#))
    }
}
