public import Foundation
public import LiveActivity

extension PushSender {
    /// A key, and what is sent with it.
    public struct Credential: Sendable {
        /// The push service it is used for.
        public var environment: APNsEnvironment
        /// The apps it serves; nil means every app that no other credential of the environment names.
        public var bundleIDs: Set<String>?
        /// The key itself.
        public var key: ProviderKey

        /// Puts a credential together.
        public init(environment: APNsEnvironment, bundleIDs: Set<String>? = nil, key: ProviderKey) {
            self.environment = environment
            self.bundleIDs = bundleIDs
            self.key = key
        }
    }

    /// The settings of a sender.
    public struct Configuration: Sendable {
        /// The keys.
        ///
        /// A push for which none fits is never sent.
        public var credentials: [Credential]
        /// Where production pushes go: `https`, a host, perhaps a port.
        ///
        /// Defaults to Apple's `api.push.apple.com`.
        public var productionURL = URL(string: "https://api.push.apple.com")
        /// Where sandbox pushes go.
        ///
        /// Defaults to Apple's `api.sandbox.push.apple.com`.
        public var sandboxURL = URL(string: "https://api.sandbox.push.apple.com")
        /// A PEM file of root certificates to trust beside the system's.
        ///
        /// Defaults to nil, none.
        public var caFile: String?
        /// How long an answer may take once a push is on its way.
        ///
        /// Defaults to 10 s.
        public var requestDeadline: Duration = .seconds(10)
        /// How long a new connection may take: name look-up, TCP, TLS and the server's first SETTINGS.
        ///
        /// Defaults to 5 s.
        public var connectDeadline: Duration = .seconds(5)
        /// The most connections of one key and environment, from 1 to 16; they are opened as they are needed.
        ///
        /// Defaults to 8.
        public var connectionsPerLane = 8
        /// A connection that was silent for this long is asked by a PING whether it lives before it is used again, so
        /// that no push is lost in a socket that a firewall has dropped.
        ///
        /// Defaults to 60 s.
        public var idleProbe: Duration = .seconds(60)

        /// The defaults, with these keys.
        public init(credentials: [Credential]) { self.credentials = credentials }
    }
}

/// The checked settings of one lane: one key in one environment, which never shares a connection with another.
struct LaneSettings: Sendable {
    struct ID: Sendable, Hashable {
        let environment: APNsEnvironment
        let key: ProviderKey.ID
    }

    let id: ID
    let host: String
    let port: Int
    let tls: TLSContext
    let requestDeadline: Duration
    let connectDeadline: Duration
    let connections: Int
    let idleProbe: Duration

    /// Host, and the port where it is not 443; sent as `:authority`, and safe to show.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    init(
        _ environment: APNsEnvironment, key: ProviderKey, in configuration: PushSender.Configuration, tls: TLSContext
    ) throws(APNsError) {
        let url = environment == .production ? configuration.productionURL : configuration.sandboxURL
        guard let url, url.scheme == "https", let host = url.host, !host.isEmpty, ["", "/"].contains(url.path) else {
            throw .setting("the \(environment.rawValue) URL of APNs must be https://HOST or https://HOST:PORT")
        }
        guard (1...16).contains(configuration.connectionsPerLane) else {
            throw .setting("the connections of a lane must be between 1 and 16")
        }
        guard configuration.requestDeadline > .zero, configuration.connectDeadline > .zero else {
            throw .setting("the deadlines of requests and connections must be above zero")
        }
        id = ID(environment: environment, key: key.id)
        self.host = host.trimmingCharacters(in: ["[", "]"])
        port = url.port ?? 443
        self.tls = tls
        requestDeadline = configuration.requestDeadline
        connectDeadline = configuration.connectDeadline
        connections = configuration.connectionsPerLane
        idleProbe = configuration.idleProbe
    }
}
