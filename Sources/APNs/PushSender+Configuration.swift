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
        public var connectionsPerKey = 8
        /// A connection that was silent for this long is asked by a PING whether it lives before it is used again, so
        /// that no push is lost in a socket that a firewall has dropped.
        ///
        /// Defaults to 60 s.
        public var idleProbe: Duration = .seconds(60)

        /// The defaults, with these keys.
        public init(credentials: [Credential]) { self.credentials = credentials }
    }
}
