public import Foundation

/// Decides whose call it is.
public struct TokenVerifier: Sendable {
    /// The keys at hand: the secret's and the file's.
    public var keys: KeySet?
    /// The keys behind a URL.
    public var remote: RemoteKeys?
    /// The audience that a token must name; nil: any.
    public var audience: String?
    /// The issuer that a token must name; nil: any.
    public var issuer: String?
    /// The wall clock.
    public var now: @Sendable () -> Date

    /// How far two clocks may be apart, in seconds.
    static let leeway = 30.0

    /// A verifier without an audience or issuer.
    public init(keys: KeySet?, remote: RemoteKeys?, now: @escaping @Sendable () -> Date) {
        self.keys = keys
        self.remote = remote
        self.now = now
    }

    /// The claims of the caller.
    ///
    /// - Parameter authorization: The header's value.
    /// - Returns: JSON text, as it came.
    /// - Throws: ``TokenError``.
    func claims(_ authorization: String?) async throws(TokenError) -> String {
        guard let authorization, authorization.prefix(7).lowercased() == "bearer " else { throw .missing }
        let token = try SignedToken(authorization.dropFirst(7).trimmingCharacters(in: .whitespaces))
        guard ["HS256", "ES256", "RS256"].contains(token.algorithm) else {
            throw .invalid("JWT is signed with an algorithm that is not HS256, ES256 or RS256")
        }
        guard try await isSigned(token) else { throw .invalid("JWT is signed by no known key") }
        return try checked(token.payload)
    }

    private func isSigned(_ token: SignedToken) async throws(TokenError) -> Bool {
        let local = keys ?? .empty
        let fetched = await remote?.current()
        guard keys != nil || fetched != nil else { throw .keysUnavailable }
        var candidates = local.joined(with: fetched).candidates(for: token)
        if candidates.isEmpty, let remote {
            candidates = local.joined(with: await remote.renewed()).candidates(for: token)
        }
        return candidates.contains { $0.verifies(token.signature, of: token.message) }
    }

    private func checked(_ payload: [UInt8]) throws(TokenError) -> String {
        let claims: Claims
        do {
            claims = try JSONDecoder().decode(Claims.self, from: Data(payload))
        } catch {
            throw .claims("JWT claims cannot be read")
        }
        // Postgres reads the same text: it must be UTF-8, which JSONDecoder does not ask for.
        guard let text = String(validating: payload, as: UTF8.self), !payload.contains(0) else {
            throw .claims("JWT claims are not UTF-8")
        }
        let time = now().timeIntervalSince1970
        if let expires = claims.exp, time > expires + Self.leeway { throw .claims("JWT expired") }
        if let begins = claims.nbf, time < begins - Self.leeway { throw .claims("JWT not yet valid") }
        if let issued = claims.iat, time < issued - Self.leeway { throw .claims("JWT issued at future") }
        if let audience, !(claims.aud?.names.contains(audience) ?? false) { throw .claims("JWT not in audience") }
        if let issuer, claims.iss != issuer { throw .claims("JWT not from the issuer") }
        guard let sub = claims.sub, !sub.isEmpty else { throw .claims("JWT has no sub") }
        guard claims.role == nil || claims.role == "authenticated" else { throw .role }
        return text
    }

    private struct Claims: Decodable {
        var sub: String?
        var exp: Double?
        var nbf: Double?
        var iat: Double?
        var iss: String?
        var aud: Audience?
        var role: String?
    }

    /// One name or several (RFC 7519 section 4.1.3).
    private struct Audience: Decodable {
        var names: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            do {
                names = [try value.decode(String.self)]
            } catch {
                names = try value.decode([String].self)
            }
        }
    }
}
