public import LiveActivity

/// Sends pushes to APNs over a few long-lived HTTP/2 connections.
///
/// Every push gets one of three outcomes: accepted, rejected with Apple's reason, or failed, known not to be processed
/// or unknown. What is proven not to be processed is repeated here, within its deadline and a bounded number of times;
/// what is unknown never is. Nothing else is decided here: what a rejection means for a token or a key is the caller's.
///
/// One thread serves all connections. One key in one environment has a pool of its own.
public final class PushSender: Sendable {
    private struct Route: Sendable {
        let credential: Credential
        let pool: PoolSettings
    }

    private let routes: [Route]
    private let tokens: ProviderTokens
    private let loop: PushLoop

    /// Starts the sender's thread; connections are made when there is something to send.
    ///
    /// - Parameters:
    ///   - configuration: keys, hosts and limits.
    ///   - tokens: where the provider tokens come from.
    /// - Throws: ``APNsError/setting(_:)`` for a malformed URL, a limit out of range, an unreadable CA file, or where no
    ///   file descriptor is left.
    public init(configuration: Configuration, tokens: ProviderTokens) throws(APNsError) {
        let tls = try TLSContext(caFile: configuration.caFile)
        var routes: [Route] = []
        for credential in configuration.credentials {
            let pool = try PoolSettings(credential.environment, key: credential.key, in: configuration, tls: tls)
            routes.append(Route(credential: credential, pool: pool))
        }
        self.routes = routes
        self.tokens = tokens
        loop = try PushLoop()
    }

    deinit { loop.beginClosing() }

    /// Ends the sender and its thread: what still waits is reported as not processed, connections are closed.
    public func close() { loop.close() }

    /// Whether there is a key for an app in an environment.
    public func hasKey(for bundleID: String, in environment: APNsEnvironment) -> Bool {
        route(for: bundleID, in: environment) != nil
    }

    /// Sends pushes and waits for all outcomes, in the same order.
    ///
    /// It returns a request deadline after `deadline` at the latest, plus what the token store takes. Cancelling the
    /// task changes nothing, since what is on its way has to be accounted for.
    ///
    /// - Parameters:
    ///   - pushes: any mix of environments and apps. One for which there is no key is not sent.
    ///   - deadline: what is not on its way by then is reported as not processed.
    /// - Returns: an outcome for each push.
    public func send(_ pushes: [Push], deadline: ContinuousClock.Instant) async -> [PushOutcome] {
        var outcomes = pushes.map { PushOutcome.failed(.notProcessed("no key for \($0.environment.rawValue)")) }
        var parts: [PoolSettings.ID: (route: Route, indices: [Int])] = [:]
        for (index, push) in pushes.enumerated() {
            guard let route = route(for: push.bundleID, in: push.environment) else { continue }
            parts[route.pool.id, default: (route, [])].indices.append(index)
        }
        await withTaskGroup(of: [(Int, PushOutcome)].self) { group in
            for part in parts.values {
                group.addTask {
                    let sent = await self.send(part.indices.map { pushes[$0] }, over: part.route, deadline: deadline)
                    return Array(zip(part.indices, sent))
                }
            }
            for await part in group {
                for (index, outcome) in part { outcomes[index] = outcome }
            }
        }
        return outcomes
    }

    /// A credential that names the app goes before one for every app.
    private func route(for bundleID: String, in environment: APNsEnvironment) -> Route? {
        let candidates = routes.filter { $0.credential.environment == environment }
        return candidates.first { $0.credential.bundleIDs?.contains(bundleID) ?? false }
            ?? candidates.first { $0.credential.bundleIDs == nil }
    }

    private func send(_ pushes: [Push], over route: Route, deadline: ContinuousClock.Instant) async -> [PushOutcome] {
        let key = route.credential.key
        do {
            let token = try await tokens.token(for: key)
            var outcomes = await submit(pushes, over: route.pool, with: token, deadline: deadline)
            let expired = outcomes.indices.filter { outcomes[$0].isExpiredProviderToken }
            guard !expired.isEmpty else { return outcomes }
            let fresh: ProviderToken?
            do {
                fresh = try await tokens.replacement(of: token, for: key)
            } catch {
                return outcomes  // APNs' own answer says more than the store's failure.
            }
            guard let fresh else { return outcomes }
            let again = await submit(expired.map { pushes[$0] }, over: route.pool, with: fresh, deadline: deadline)
            for (index, outcome) in zip(expired, again) { outcomes[index] = outcome }
            return outcomes
        } catch {
            return Array(repeating: .failed(.notProcessed(error.description)), count: pushes.count)
        }
    }

    private func submit(
        _ pushes: [Push], over pool: PoolSettings, with token: ProviderToken, deadline: ContinuousClock.Instant
    ) async -> [PushOutcome] {
        await withCheckedContinuation { continuation in
            loop.submit(
                Submission(pool: pool, token: token, pushes: pushes, deadline: deadline) {
                    continuation.resume(returning: $0)
                })
        }
    }
}

extension PushOutcome {
    fileprivate var isExpiredProviderToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.meaning == .providerTokenExpired
    }
}
