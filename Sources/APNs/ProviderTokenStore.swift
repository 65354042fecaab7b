public import Foundation

/// A provider token as the shared store has it.
public struct StoredProviderToken: Sendable, Equatable {
    /// The token; every process sends this very string.
    public var token: ProviderToken
    /// The store's own clock at the reading.
    ///
    /// Ages are measured against it, never against a host's clock.
    public var clock: Date

    /// Puts a reading together.
    public init(token: ProviderToken, clock: Date) {
        self.token = token
        self.clock = clock
    }
}

/// The place where all processes and hosts share one provider token for each key.
///
/// Each closure needs a time limit of its own, since a batch of pushes waits for it.
public struct ProviderTokenStore: Sendable {
    /// What a look into the store shows; its clock always does.
    public enum Reading: Sendable, Equatable {
        /// No token was ever stored for the key.
        case empty(clock: Date)
        /// The newest token, of whatever age.
        case stored(StoredProviderToken)
    }

    /// Reads the newest token of a key, and the store's clock.
    public var load: @Sendable (ProviderKey.ID) async throws -> Reading

    /// Offers a freshly minted token and gives back the one to use.
    ///
    /// The store keeps the candidate only where it has none, or where its own is at least
    /// ``ProviderTokens/minimumLifetime`` old by its clock; otherwise it gives back its own. It decides atomically:
    /// of competing candidates the first wins, and the others are never sent.
    public var offer: @Sendable (ProviderKey.ID, ProviderToken) async throws -> StoredProviderToken

    /// Puts a store together.
    public init(
        load: @escaping @Sendable (ProviderKey.ID) async throws -> Reading,
        offer: @escaping @Sendable (ProviderKey.ID, ProviderToken) async throws -> StoredProviderToken
    ) {
        self.load = load
        self.offer = offer
    }
}
