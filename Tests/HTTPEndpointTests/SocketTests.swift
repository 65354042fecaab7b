import Foundation
import HTTPEndpoint
import Synchronization
import TestSupport
import Testing

@Suite("Handler, over a socket")
struct SocketTests {
    let ticks = Ticks()
    let gate = Gate()

    /// Its ticks wait at the gate when `waits`.
    private func endpoint(
        waits: Bool = false, check: Gate? = nil, _ change: (inout HTTPEndpoint.Configuration) -> Void = { _ in }
    ) throws -> HTTPEndpoint {
        let (ticks, gate) = (ticks, gate)
        return try HTTPEndpoint(
            configuration: .forTests(change),
            tick: { request in
                ticks.begin(request)
                if waits { await gate.pass() }
                ticks.finish()
                return TickResponse(body: Array(#"{"started":1}"#.utf8))
            },
            ready: {
                await check?.pass()
                return []
            }, metrics: { "up 1\n" })
    }

    private let tick =
        "POST /tick HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(secret)\r\nContent-Length: 2\r\n\r\n{}"

    @Test("POST /tick brings the summary, one request a connection")
    func summary() async throws {
        let endpoint = try endpoint()
        let answer = try await Client.ask(endpoint.port, tick)
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n{\"started\":1}"))
        #expect(answer.lowercased().contains("connection: close"))
        #expect(await endpoint.stop(within: .seconds(30)))
        #expect(ticks.finished == 1)
    }

    @Test("a query changes nothing, a chunked body is read, HTTP/1.0 is served")
    func variants() async throws {
        let endpoint = try endpoint { $0.takesTestClock = true }
        let chunked =
            "POST /tick?a=b HTTP/1.1\r\nHost: h\r\nx-cron-secret: \(secret)\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "8\r\n{\"now\": \r\n6\r\n\"then\"\r\n1\r\n}\r\n0\r\n\r\n"
        #expect(try await Client.ask(endpoint.port, chunked).hasPrefix("HTTP/1.1 200"))
        #expect(ticks.asked == [TickRequest(now: "then")])
        #expect(try await Client.ask(endpoint.port, "GET /healthz HTTP/1.0\r\n\r\n").hasPrefix("HTTP/1.1 200"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("HEAD has GET's head and no body")
    func head() async throws {
        let endpoint = try endpoint()
        let answer = try await Client.ask(endpoint.port, "HEAD /healthz HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(answer.contains("Content-Length: 18\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("a wrong secret is 401 after its small body, and at once before a large one")
    func wrongSecret() async throws {
        let endpoint = try endpoint()
        let wrong = "POST /tick HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer no\r\nContent-Length: "
        #expect(try await Client.ask(endpoint.port, wrong + "2\r\n\r\n{}").hasPrefix("HTTP/1.1 401"))
        // Nothing of the body is ever sent.
        #expect(try await Client.ask(endpoint.port, wrong + "10000000\r\n\r\n").hasPrefix("HTTP/1.1 401"))
        #expect(await endpoint.stop(within: .seconds(30)))
        #expect(ticks.asked == [])
    }

    @Test("too large: a body announced, a body that only grows, and a head")
    func tooLarge() async throws {
        let endpoint = try endpoint()
        let start = "POST /tick HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \(secret)\r\n"
        #expect(try await Client.ask(endpoint.port, start + "Content-Length: 65537\r\n\r\n").hasPrefix("HTTP/1.1 413"))
        let chunk = "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n"
        let growing = start + "Transfer-Encoding: chunked\r\n\r\n" + chunk + chunk + chunk + "0\r\n\r\n"
        #expect(try await Client.ask(endpoint.port, growing).hasPrefix("HTTP/1.1 413"))
        let head = "GET /healthz HTTP/1.1\r\nHost: h\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n"
        #expect(try await Client.ask(endpoint.port, head).hasPrefix("HTTP/1.1 4"))
        // A body without end is cut off.
        let client = try Client(port: endpoint.port)
        client.send(start + "Transfer-Encoding: chunked\r\n\r\n")
        var sent = 0
        while sent < 10_000, client.send(chunk) { sent += 1 }
        #expect(sent < 10_000)
        #expect(await endpoint.stop(within: .seconds(30)))
        #expect(ticks.asked == [])
    }

    @Test(
        "what is not HTTP is refused",
        arguments: ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /healthz HTTP/1.1\r\n\r\n"])
    func notHTTP(text: String) async throws {
        let endpoint = try endpoint()
        let answer = try await Client.ask(endpoint.port, text)
        #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 5"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("a caller's leaving cancels nothing")
    func callerLeaves() async throws {
        let endpoint = try endpoint(waits: true)
        let client = try Client(port: endpoint.port)
        client.send(tick)
        try await eventually("the tick began") { ticks.asked.count == 1 }
        client.close()
        gate.open()
        #expect(await endpoint.stop(within: .seconds(30)))
        #expect(ticks.finished == 1)
    }

    @Test("a tick that takes long is 202 at the limit, and stopping waits for it")
    func stopWaits() async throws {
        let endpoint = try endpoint(waits: true) { $0.responseLimit = .milliseconds(20) }
        #expect(try await Client.ask(endpoint.port, tick).hasPrefix("HTTP/1.1 202 Accepted\r\n"))
        #expect(ticks.finished == 0)
        async let stopped = endpoint.stop(within: .seconds(30))
        try await eventually("nothing listens any more") { (try? Client(port: endpoint.port)) == nil }
        #expect(ticks.finished == 0)
        gate.open()
        #expect(await stopped)
        #expect(ticks.finished == 1)
    }

    @Test("a tick that a request begins while the handler stops is waited for as well")
    func stopWaitsForALateTick() async throws {
        let check = Gate()
        let endpoint = try endpoint(waits: true, check: check) { $0.responseLimit = .milliseconds(20) }
        // Another request keeps the handler from being done at once.
        async let checked = Client.ask(endpoint.port, "GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n")
        let client = try Client(port: endpoint.port)
        client.send(String(tick.dropLast(2)))
        try await eventually("the check began") { check.isAwaited }
        let isStopped = Mutex(false)
        async let stopped = {
            let isDone = await endpoint.stop(within: .seconds(30))
            isStopped.withLock { $0 = true }
            return isDone
        }()
        try await eventually("nothing listens any more") { (try? Client(port: endpoint.port)) == nil }
        client.send("{}")
        #expect(await client.rest().hasPrefix("HTTP/1.1 202"))
        check.open()
        #expect(try await checked.hasPrefix("HTTP/1.1 200"))
        try await Task.sleep(for: .milliseconds(300))
        #expect(!isStopped.withLock { $0 })
        gate.open()
        #expect(await stopped)
        #expect(ticks.finished == 1)
    }

    @Test("at the limit of a stop the caller is told 503, and the tick is left alone")
    func stopLimit() async throws {
        let endpoint = try endpoint(waits: true)
        async let answer = Client.ask(endpoint.port, tick)
        try await eventually("the tick began") { ticks.asked.count == 1 }
        #expect(await endpoint.stop(within: .milliseconds(50)) == false)
        #expect(try await answer.hasPrefix("HTTP/1.1 503"))
        gate.open()
        try await eventually("the tick ended") { ticks.finished == 1 }
    }

    @Test("silent and dripping clients are cut, and others are served meanwhile")
    func slowClients() async throws {
        let endpoint = try endpoint { $0.deadline = .milliseconds(600) }
        let silent = try Client(port: endpoint.port)
        let dripping = try Client(port: endpoint.port)
        dripping.send("POST /tick HTTP/1.1\r\nHost: h\r\n")
        #expect(try await Client.ask(endpoint.port, tick).hasPrefix("HTTP/1.1 200"))
        try await eventually("the dripping client is cut") {
            try await Task.sleep(for: .milliseconds(50))
            return !dripping.send("X: y\r\n")
        }
        #expect(await silent.rest() == "")
        let metrics = try await Client.ask(endpoint.port, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(metrics.contains("cuecard_http_connections_cut_total 2\n"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("connections beyond the limit wait, and are served when one leaves")
    func connectionLimit() async throws {
        let endpoint = try endpoint { $0.connectionLimit = 4 }
        var holders = try (1...4).map { _ in try Client(port: endpoint.port) }
        async let answer = Client.ask(endpoint.port, tick)
        try await Task.sleep(for: .milliseconds(50))
        holders.removeAll()
        #expect(try await answer.hasPrefix("HTTP/1.1 200"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("many callers at once each get their answer")
    func manyCallers() async throws {
        let endpoint = try endpoint()
        let port = endpoint.port
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 1...200 {
                group.addTask {
                    try await Client.ask(port, "GET /readyz HTTP/1.1\r\nHost: h\r\n\r\n").hasPrefix("HTTP/1.1 200")
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        // One address may hold 48 connections; the others are closed unanswered, and none is left hanging.
        #expect(good >= 48)
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("a port in use, an address of elsewhere and an unknown name are told apart")
    func cannotListen() async throws {
        let endpoint = try endpoint()
        let address = ListenAddress(host: "127.0.0.1", port: endpoint.port)
        let error = #expect(throws: HTTPEndpointError.portInUse(address)) { try self.endpoint { $0.listen = address } }
        #expect(error?.description.contains("127.0.0.1:\(endpoint.port) is in use") == true)
        for host in ["203.0.113.1", "no-such-host.invalid"] {
            let error = #expect(throws: HTTPEndpointError.self) {
                try self.endpoint { $0.listen = ListenAddress(host: host, port: 0) }
            }
            #expect(error?.description.hasPrefix("LISTEN: cannot listen on \(host):0: ") == true)
        }
        #expect(await endpoint.stop(within: .seconds(30)))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("every address of the machine, and a name", arguments: ["", "localhost"])
    func otherHosts(host: String) async throws {
        let endpoint = try endpoint { $0.listen = ListenAddress(host: host, port: 0) }
        #expect(try await Client.ask(endpoint.port, tick).hasPrefix("HTTP/1.1 200"))
        #expect(await endpoint.stop(within: .seconds(30)))
    }

    @Test("a flood of bad requests is answered cheaply and counted, by reason and as connections without a request")
    func flood() async throws {
        let endpoint = try endpoint()
        for _ in 1...100 {
            _ = try await Client.ask(endpoint.port, "POST /tick HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n")
            _ = try await Client.ask(endpoint.port, "nonsense\r\n\r\n")
        }
        let metrics = try await Client.ask(endpoint.port, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(metrics.contains("cuecard_http_refused_requests_total{reason=\"unauthorized\"} 100\n"))
        #expect(metrics.contains("cuecard_http_connections_unasked_total 100\n"))
        #expect(ticks.asked == [])
        #expect(await endpoint.stop(within: .seconds(30)))
    }
}
