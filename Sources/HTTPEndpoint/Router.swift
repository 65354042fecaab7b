import Foundation

/// What each request means: routes, authorisation and the form of answers, with no socket in sight.
package struct Router: Sendable {
    private let configuration: HTTPEndpoint.Configuration
    private let secrets: Secrets
    private let ticks: RunningTicks
    private let ready: OneAtATime<[String]>
    private let metrics: OneAtATime<String>
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
    }

    /// The answer to a request that its head alone condemns, or nil: nothing is read or run for such a request.
    package func refusal(of head: RequestHead) -> Response? {
        guard let route = Route(rawValue: head.path) else { return notFound }
        guard route.methods.contains(head.method) else {
            return .error(
                405, "method_not_allowed", "\(route.rawValue) does not take this method",
                hint: "use \(route.methods[0])", headers: ["allow": route.methods.joined(separator: ", ")])
        }
        guard route != .tick || secrets.open(head) else {
            return .error(
                401, "unauthorized", "the secret is missing or wrong",
                hint: "send CRON_SECRET as Authorization: Bearer … or as x-cron-secret",
                headers: ["www-authenticate": "Bearer"])
        }
        return Int(head.headers["content-length"] ?? "0").map { $0 > configuration.bodyLimit } ?? true
            ? tooLarge : nil
    }

    private var notFound: Response {
        .error(
            404, "not_found", "there is nothing at this path",
            hint: "the paths are \(Route.allCases.map(\.rawValue).joined(separator: ", "))")
    }

    /// The answer to a body over the limit.
    package var tooLarge: Response {
        .error(
            413, "body_too_large", "the body has more than \(configuration.bodyLimit) bytes", hint: "send {} or nothing"
        )
    }

    /// The answer to a whole request; it counts it too.
    package func answer(_ head: RequestHead, body: [UInt8] = []) async -> Response {
        let response: Response
        if let refusal = refusal(of: head) {
            response = refusal
        } else if body.count > configuration.bodyLimit {
            response = tooLarge
        } else {
            response = await answerKnown(head, body: body)
        }
        counters.count(head, response.status)
        return response
    }

    /// Waits until no tick runs, or for as long as the limit says; false where some go on.
    package func finishTicks(within limit: Duration) async -> Bool {
        await ticks.finish(within: limit)
    }

    private func answerKnown(_ head: RequestHead, body: [UInt8]) async -> Response {
        switch Route(rawValue: head.path) {
        case .tick: await answerTick(body)
        case .healthz: .json(200, ["status": "alive"])
        case .readyz: await answerReady()
        case .metrics: await answerMetrics()
        case nil: notFound
        }
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

private enum Route: String, CaseIterable {
    case tick = "/tick"
    case healthz = "/healthz"
    case readyz = "/readyz"
    case metrics = "/metrics"

    var methods: [String] { self == .tick ? ["POST"] : ["GET", "HEAD"] }
}

private struct Readiness: Encodable {
    var ready: Bool
    var problems: [String]
}
