import Foundation

/// The one provider token of each key: cached here, shared through a store, minted at most once in its lifetime.
///
/// APNs answers 429 to a team whose tokens change more than once in 20 minutes, and 403 to one older than an hour.
/// So nothing here mints because of a 429 or because the store is down.
/// Source: "Establishing a token-based connection to APNs" (Apple).
public actor ProviderTokens {
    /// No token replaces another one younger than this.
    public static let minimumLifetime: Duration = .seconds(20 * 60)
    /// A token older than this is never sent.
    public static let maximumLifetime: Duration = .seconds(55 * 60)

    private struct Entry {
        let token: ProviderToken
        /// Its age when it was read, by the store's clock, and the monotonic time of that reading.
        let age: Duration
        let readAt: Duration
    }

    private let store: ProviderTokenStore
    private let lifetime: Duration
    private let elapsed: @Sendable () -> Duration
    private var entries: [ProviderKey.ID: Entry] = [:]
    private var renewals: [ProviderKey.ID: Task<ProviderToken, any Error>] = [:]

    /// Makes an empty cache before a store.
    ///
    /// - Parameters:
    ///   - store: where all processes share their tokens.
    ///   - lifetime: how long a token is used, from ``minimumLifetime`` to ``maximumLifetime``. Defaults to 30 minutes.
    ///   - elapsed: a monotonic clock; nil takes the system's.
    /// - Throws: ``APNsError/setting(_:)`` for a lifetime out of range.
    public init(
        store: ProviderTokenStore, lifetime: Duration = .seconds(30 * 60), elapsed: (@Sendable () -> Duration)? = nil
    ) throws(APNsError) {
        guard (Self.minimumLifetime...Self.maximumLifetime).contains(lifetime) else {
            throw .setting("the provider token's lifetime must be between 20 and 55 minutes")
        }
        let start = ContinuousClock.now
        self.store = store
        self.lifetime = lifetime
        self.elapsed = elapsed ?? { ContinuousClock.now - start }
    }

    /// The token to send with now.
    ///
    /// However many callers wait, one load and at most one mint happen.
    ///
    /// - Throws: ``APNsError/tokenStore(keyID:problem:)`` where the store fails, ``APNsError/signing(keyID:)``.
    public func token(for key: ProviderKey) async throws(APNsError) -> ProviderToken {
        if let entry = entries[key.id], age(entry) < lifetime { return entry.token }
        return try await renewed(key, rejected: nil)
    }

    /// Another token, after APNs called one expired.
    ///
    /// Nil where that one is younger than ``minimumLifetime``: then a clock is wrong and a new token would not help.
    ///
    /// - Throws: as ``token(for:)``.
    public func replacement(of rejected: ProviderToken, for key: ProviderKey) async throws(APNsError) -> ProviderToken?
    {
        if let entry = entries[key.id] {
            if entry.token != rejected { return entry.token }
            if age(entry) <= Self.minimumLifetime { return nil }
        }
        let token = try await renewed(key, rejected: rejected)
        return token == rejected ? nil : token
    }

    private func age(_ entry: Entry) -> Duration { entry.age + (elapsed() - entry.readAt) }

    private func renewed(_ key: ProviderKey, rejected: ProviderToken?) async throws(APNsError) -> ProviderToken {
        let running = renewals[key.id]
        let renewal = running ?? Task { try await renew(key, rejected: rejected) }
        if running == nil { renewals[key.id] = renewal }
        defer { if running == nil { renewals[key.id] = nil } }
        do {
            return try await renewal.value
        } catch let error as APNsError {
            throw error
        } catch {
            throw .tokenStore(keyID: key.id.key, problem: String(describing: error))
        }
    }

    private func renew(_ key: ProviderKey, rejected: ProviderToken?) async throws -> ProviderToken {
        let clock: Date
        switch try await store.load(key.id) {
        case .empty(let storeClock):
            clock = storeClock
        case .stored(let stored):
            let entry = remember(stored, for: key)
            if entry.age < lifetime, stored.token != rejected { return stored.token }
            // Too young to be replaced: what its caller makes of it is a clock fault.
            if entry.age <= Self.minimumLifetime { return stored.token }
            clock = stored.clock
        }
        let candidate = try ProviderToken.mint(key: key, clock: clock)
        return remember(try await store.offer(key.id, candidate), for: key).token
    }

    private func remember(_ stored: StoredProviderToken, for key: ProviderKey) -> Entry {
        let age = Duration.seconds(stored.clock.timeIntervalSince(stored.token.issuedAt))
        let entry = Entry(token: stored.token, age: age, readAt: elapsed())
        entries[key.id] = entry
        return entry
    }
}
