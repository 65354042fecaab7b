/// The HTTP handler: `POST /tick`, `GET /healthz`, `/readyz`, `/metrics`, `/openapi.json`, and `POST /rpc/NAME` if set.
///
/// One thread of the HTTP library's listens, reads and writes for all connections, and never waits for anything else:
/// a request that is here whole becomes a task, and its connection sleeps until the task has the answer. So a slow
/// client or a slow tick holds up nobody, and a flood costs one thread's reading.
///
/// It knows bytes and closures, and nothing of what a tick does. Every error is JSON with `code`, `message` and
/// `hint`. `POST /tick` needs the secret; the others are open, tell no secret, and cost one question at a time. A
/// caller's leaving cancels nothing.
public final class HTTPEndpoint: Sendable {
    /// The port it listens on, also where the configuration asked for any.
    public let port: UInt16
    private let router: Router
    private let server: HTTPServer

    /// Listens and serves from now on.
    ///
    /// - Parameters:
    ///   - configuration: Where, with which secrets, within which limits.
    ///   - tick: Plays one tick; it goes on whatever becomes of its caller.
    ///   - ready: What is not ready, one line each; nothing means ready.
    ///   - metrics: The process's metrics in Prometheus's text form; the handler's own are added.
    /// - Throws: ``HTTPEndpointError``.
    public init(
        configuration: Configuration, tick: @escaping @Sendable (TickRequest) async -> TickResponse,
        ready: @escaping @Sendable () async -> [String], metrics: @escaping @Sendable () async -> String
    ) throws(HTTPEndpointError) {
        let router = try Router(configuration: configuration, tick: tick, ready: ready, metrics: metrics)
        var limits = HTTPServer.Limits()
        limits.body = configuration.bodyLimit
        limits.head = configuration.headLimit
        limits.connections = configuration.connectionLimit
        limits.connectionsPerAddress = configuration.connectionsPerAddress
        limits.deadline = configuration.deadline
        limits.silenceSeconds = configuration.silenceSeconds
        server = try HTTPServer(
            listen: configuration.listen, limits: limits, refuse: router.refusal, cut: router.counters.countCut,
            left: router.counters.countUnasked, answer: router.answer)
        self.router = router
        port = server.port
    }

    /// Stops accepting and lets what runs finish: requests, and ticks whose callers have their 202 already.
    ///
    /// - Parameter limit: How long it waits; at the limit connections are closed, and ticks are left to their leases.
    /// - Returns: Whether everything finished.
    public func stop(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        async let requests = server.stop(within: limit)
        // Those that run end soon, so that requests which wait for them do; and then those that a request still began.
        _ = await router.finishTicks(within: limit)
        let areAnswered = await requests
        return await router.finishTicks(within: max(.zero, deadline - .now)) && areAnswered
    }
}
