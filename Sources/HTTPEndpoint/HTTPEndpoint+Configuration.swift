extension HTTPEndpoint {
    /// How the handler listens and what it bears.
    public struct Configuration: Sendable {
        /// Where it listens.
        public var listen: ListenAddress
        /// The secrets that open `POST /tick`: the current one first, then the previous one while it rotates.
        public var secrets: [String]
        /// How long `POST /tick` waits before it answers 202; nil waits for the summary, however long it takes.
        ///
        /// Defaults to 2 seconds, below pg_net's shortest time-out. Nil is for platforms that freeze a worker after
        /// its answer.
        public var responseLimit: Duration? = .seconds(2)
        /// Whether `{"now": T}` in the body is taken; for tests and simulations alone.
        ///
        /// Defaults to false.
        public var takesTestClock = false
        /// The most bytes a body may have; more is answered with 413.
        ///
        /// Defaults to 64 KB.
        public var bodyLimit = 65_536
        /// The most bytes a request's line and headers may have; more is answered with 431 or 414.
        ///
        /// Defaults to 16 KB.
        public var headLimit = 16_384
        /// Connections open at once; further ones wait to be accepted.
        ///
        /// Defaults to 64.
        public var connectionLimit = 64
        /// Connections from one address; further ones are closed.
        ///
        /// Defaults to 48, since a proxy is one address.
        public var connectionsPerAddress = 48
        /// Within this a request must be here whole and an answer taken, however busily bytes drip.
        ///
        /// Defaults to 10 s.
        public var deadline: Duration = .seconds(10)
        /// Silence that ends a connection, in seconds.
        ///
        /// Defaults to 5.
        public var silenceSeconds = 5
        /// Ticks that run at once in this process; a further one is answered with 503.
        ///
        /// Defaults to 4.
        public var runningTicks = 4
        /// What `POST /rpc/NAME` offers; nil: there is nothing at these paths.
        public var rpc: RPCRoutes?
        /// Calls of `/rpc` at work at once; a further one is answered with 503.
        ///
        /// Defaults to 32.
        public var runningCalls = 32

        /// The two that have no default; the limits can be set afterwards.
        public init(listen: ListenAddress, secrets: [String]) {
            self.listen = listen
            self.secrets = secrets
        }
    }
}
