internal import Foundation
public import LiveActivity
internal import Synchronization

/// APNs and the phones behind it, on 127.0.0.1.
///
/// A real HTTP/2-over-TLS server with two listeners, one for each environment. It judges every request as Apple
/// does, plays faults on demand, keeps a log of all it received, and lets phones hold cards as iOS would. It runs
/// on a thread of its own until ``stop()`` or until nobody holds it any more.
public final class APNsSimulator: Sendable {
    /// The port of the production listener.
    public let productionPort: Int
    /// The port of the sandbox listener.
    public let sandboxPort: Int
    /// The certificate, in PEM, that clients must trust.
    public let authorityPEM: String
    let state: SharedState
    private let server: Server

    /// Makes the certificates, opens both listeners and starts the thread.
    ///
    /// - Throws: ``SimulatorError``: a port in use, an unreadable key, a CA file that cannot be written.
    public init(_ options: SimulatorOptions) throws(SimulatorError) {
        let certificates = try Certificates()
        let context = try TLSContext(certificates)
        authorityPEM = certificates.authorityPEM
        if let path = options.caFile { try Self.write(certificates.authorityPEM, to: path) }
        let state = SharedState(try SimulatorState(options))
        let production = try ListeningSocket(port: options.productionPort, environment: .production)
        let sandbox: ListeningSocket
        do {
            sandbox = try ListeningSocket(port: options.sandboxPort, environment: .sandbox)
        } catch {
            production.close()
            throw error
        }
        productionPort = production.port
        sandboxPort = sandbox.port
        self.state = state
        server = try Server(sockets: [production, sandbox], context: context, traits: options.traits) { request in
            state.access { $0.receive(request) }
        }
    }

    deinit { server.stop() }

    /// Closes all connections and ends the thread; the log stays readable.
    public func stop() { server.stop() }

    /// The base URL that takes the place of Apple's host, such as `https://localhost:2197`.
    public func url(_ environment: APNsEnvironment) -> String {
        "https://localhost:\(environment == .production ? productionPort : sandboxPort)"
    }

    private static func write(_ pem: String, to path: String) throws(SimulatorError) {
        do {
            try Data(pem.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw .file(path: path, reason: "the CA certificate cannot be written there")
        }
    }
}

// MARK: - Keys, tokens, faults and connections

extension APNsSimulator {
    /// Accepts provider tokens signed by this key from now on.
    ///
    /// - Throws: ``SimulatorError/badPublicKey(keyID:)``.
    public func trust(_ key: TrustedKey) throws(SimulatorError) {
        try state.access { state throws(SimulatorError) in try state.providerTokens.trust(key) }
    }

    /// Refuses the tokens of a key from now on, as when it was revoked on the developer portal.
    public func revoke(keyID: String) { state.access { $0.providerTokens.revoke(keyID) } }

    /// Adds a fault to those in force.
    public func add(_ fault: Fault) { state.access { $0.faults.add(fault) } }

    /// Ends all faults.
    public func removeFaults() { state.access { $0.faults.removeAll() } }

    /// From now on a push to this token is answered with `death`, by default a 410 `Unregistered`.
    public func invalidate(
        token: String, _ environment: APNsEnvironment, _ death: Rejection = Rejection(410, "Unregistered")
    ) {
        state.access { $0.phones.tokens.kill(token.lowercased(), environment, death) }
    }

    /// How connections behave that are opened from now on.
    public func setTraits(_ traits: ConnectionTraits) { server.traits.withLock { $0 = traits } }

    /// Closes every open connection at once, without a word.
    public func dropConnections() { server.perform(.drop) }

    /// Leaves every open connection as it is, but reads and answers nothing on it any more.
    public func freezeConnections() { server.perform(.freeze) }
}

// MARK: - What was seen

extension APNsSimulator {
    /// Everything seen so far.
    public var snapshot: SimulatorSnapshot { state.access { $0.snapshot } }

    /// Every request so far, in the order of arrival.
    public var requests: [ReceivedRequest] { snapshot.requests }

    /// Empties the log; phones, keys and faults stay.
    public func forgetRequests() { state.access { $0.forgetRequests() } }

    /// Waits until the condition holds, looking after everything that happens.
    ///
    /// - Returns: what was seen when it held.
    /// - Throws: ``SimulatorError/timedOut(seen:)`` after `limit`.
    @discardableResult
    public func wait(
        within limit: Duration = .seconds(10), until condition: @escaping @Sendable (SimulatorSnapshot) -> Bool
    ) async throws -> SimulatorSnapshot {
        let id = UUID()
        let deadline = Task { [state] in
            try await Task.sleep(for: limit)
            state.access { $0.expireWaiter(id) }
        }
        defer { deadline.cancel() }
        return try await withCheckedThrowingContinuation { continuation in
            state.access { $0.add(.init(condition: condition, continuation: continuation), id: id) }
        }
    }
}
