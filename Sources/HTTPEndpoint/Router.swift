import Foundation

/// What each request means: routes, authorisation and the form of answers, with no socket in sight.
package struct Router: Sendable {
    private let configuration: HTTPEndpoint.Configuration
    private let secrets: Secrets
    private let ticks: RunningTicks
    private let ready: OneAtATime<[String]>
    private let metrics: OneAtATime<String>
    private let calls: Turnstile
    private let openAPI: [UInt8]
    package let counters = RequestCounters()

    package init(
        configuration: HTTPEndpoint.Configuration, tick: @escaping @Sendable (TickRequest) async -> TickResponse,
        ready: @escaping @Sendable () async -> [String], metrics: @escaping @Sendable () async -> String
    ) throws(HTTPEndpointError) {
        self.configuration = configuration
        secrets = try Secrets(configuration.secrets)
        ticks = RunningTicks(limit: configuration.runningTicks, tick: tick)
        self.ready = OneAtATime(ready)
        self.metrics = OneAtATime(metrics)
        calls = Turnstile(limit: configuration.runningCalls)
        openAPI = OpenAPI(configuration).document
    }

    /// The answer to a request that its head alone condemns, or nil: nothing is read or run for such a request.
    package func refusal(of head: RequestHead) -> Response? {
        guard let route = Route(head.path, rpc: configuration.rpc) else { return notFound }
        guard route.methods.contains(head.method) else {
            return route.error(
                405, "method_not_allowed", "\(route.path) does not take this method", hint: "use \(route.methods[0])",
                headers: ["allow": route.methods.joined(separator: ", ")])
        }
        guard route != .tick || secrets.open(head) else {
            return .error(
                401, "unauthorized", "the secret is missing or wrong",
                hint: "send CRON_SECRET as Authorization: Bearer … or as x-cron-secret",
                headers: ["www-authenticate": "Bearer"])
        }
        return Int(head.headers["content-length"] ?? "0").map { $0 > configuration.bodyLimit } ?? true
            ? tooLarge(for: route) : nil
    }

    private var notFound: Response {
        .error(
            404, "not_found", "there is nothing at this path",
            hint: "the paths are \(Route.paths(rpc: configuration.rpc).joined(separator: ", "))")
    }

    /// The answer to a body over the limit.
    private func tooLarge(for route: Route) -> Response {
        route.error(
            413, "body_too_large", "the body has more than \(configuration.bodyLimit) bytes",
            hint: route == .tick ? "send {} or nothing" : "send the arguments alone")
    }

    /// The answer to a whole request; it counts it too.
    package func answer(_ head: RequestHead, body: [UInt8] = []) async -> Response {
        let route = Route(head.path, rpc: configuration.rpc)
        let response: Response
        if let refusal = refusal(of: head) {
            response = refusal
        } else if let route, body.count > configuration.bodyLimit {
            response = tooLarge(for: route)
        } else {
            response = await answer(route, head, body)
        }
        counters.count(path: route?.path ?? "other", response.status, refusal: response.refusal)
        return response
    }

    /// Waits until no tick runs, or for as long as the limit says; false where some go on.
    package func finishTicks(within limit: Duration) async -> Bool {
        await ticks.finish(within: limit)
    }

    private func answer(_ route: Route?, _ head: RequestHead, _ body: [UInt8]) async -> Response {
        switch route {
        case .tick: await answerTick(body)
        case .healthz: .json(200, ["status": "alive"])
        case .readyz: await answerReady()
        case .metrics: await answerMetrics()
        case .openapi: Response(status: 200, headers: ["content-type": "application/json"], body: openAPI)
        case .rpc(let operation): await answerCall(of: operation, head, body)
        case nil: notFound
        }
    }

    private func answerCall(of operation: RPCOperation, _ head: RequestHead, _ body: [UInt8]) async -> Response {
        guard let rpc = configuration.rpc else { return notFound }
        guard calls.enter() else {
            return Route.rpc(operation).error(
                503, "busy", "\(configuration.runningCalls) calls are at work in this process",
                hint: "try again in a second", headers: ["retry-after": "1"])
        }
        defer { calls.leave() }
        let answer = await rpc.call(
            RPCRequest(name: operation.name, authorization: head.headers["authorization"], body: body))
        var headers = ["content-type": "application/json"]
        if answer.status == 204 { headers = [:] }
        headers["www-authenticate"] = answer.challenge
        var response = Response(status: answer.status, headers: headers, body: answer.body)
        response.refusal = answer.code
        return response
    }

    private func answerTick(_ body: [UInt8]) async -> Response {
        let request: TickRequest
        do {
            request = try TickBody.read(body, takesTestClock: configuration.takesTestClock)
        } catch {
            return .error(400, error.code, error.message, hint: error.hint)
        }
        guard let work = ticks.start(request) else {
            return .error(
                503, "busy", "\(configuration.runningTicks) ticks run already in this process",
                hint: "call once a minute, and see in the log why ticks take so long", headers: ["retry-after": "60"])
        }
        let answer: TickResponse? =
            if let limit = configuration.responseLimit { await work.value(within: limit) } else { await work.value }
        guard let answer else {
            return .json(202, ["status": "running", "message": "the tick goes on; its summary will be in the log"])
        }
        return Response(
            status: answer.status, headers: ["content-type": "application/json"], body: answer.body)
    }

    private func answerReady() async -> Response {
        let late = ["the check did not end within \(configuration.deadline)"]
        let problems = await ready.value(within: configuration.deadline) ?? late
        return .json(problems.isEmpty ? 200 : 503, Readiness(ready: problems.isEmpty, problems: problems))
    }

    private func answerMetrics() async -> Response {
        guard let text = await metrics.value(within: configuration.deadline) else {
            return .error(
                503, "late", "the metrics were not there within \(configuration.deadline)", hint: "look at /readyz")
        }
        return Response(
            status: 200, headers: ["content-type": "text/plain; version=0.0.4; charset=utf-8"],
            body: Array((text + counters.prometheus).utf8))
    }
}

private struct Readiness: Encodable {
    var ready: Bool
    var problems: [String]
}
