import Foundation
import LiveActivity

/// The checked settings of one pool of connections: a key in an environment never shares one with another.
struct PoolSettings: Sendable {
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
        guard (1...16).contains(configuration.connectionsPerKey) else {
            throw .setting("the connections of a key must be between 1 and 16")
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
        connections = configuration.connectionsPerKey
        idleProbe = configuration.idleProbe
    }
}
