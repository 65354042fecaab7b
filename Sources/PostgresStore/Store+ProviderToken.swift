public import Foundation

extension Store {
    /// The provider token in use for a key, as all processes share it.
    public struct ProviderTokenRow: Decodable, Sendable {
        /// The database's clock, by which ages are measured; Unix seconds.
        public var clock: TimeInterval
        /// Nil: none was ever stored.
        public var token: String?
        /// Unix seconds.
        public var issuedAt: TimeInterval?

        enum CodingKeys: String, CodingKey {
            case clock
            case token
            case issuedAt = "issued_at"
        }
    }

    /// The token in use for a key, if any; the fingerprint tells two private keys of one id apart.
    public func providerToken(team: String, key: String, fingerprint: String) async throws -> ProviderTokenRow {
        let rows = try await connection.run(
            Statement("provider_token", "select cuecard.provider_token($1, $2, $3)", [team, key, fingerprint]),
            timeout: .seconds(5),
            isRepeatable: true)
        return try decode(ProviderTokenRow.self, rows, "provider_token")
    }

    /// Offers a fresh token; answers the one that everybody uses.
    public func offerProviderToken(
        _ token: String, team: String, key: String, fingerprint: String
    ) async throws -> ProviderTokenRow {
        let rows = try await connection.run(
            Statement(
                "offer_provider_token", "select cuecard.offer_provider_token($1, $2, $3, $4)",
                [team, key, fingerprint, token]), timeout: .seconds(5), isRepeatable: true)
        return try decode(ProviderTokenRow.self, rows, "offer_provider_token")
    }
}
