internal import Foundation
internal import LiveActivity

/// What one connection is bound to by its first authenticated push, and whether it was barred for churn.
struct ConnectionRecord: Sendable {
    var teamID: String?
    var keyID: String?
    var barredUntil: Date?
}

/// The judge of provider tokens: signature, claims, age, churn, and the binding of connections.
///
/// Source: "Establishing a token-based connection to APNs" (Apple).
struct ProviderTokenRules: Sendable {
    /// A token is refused when it is older than this.
    static let lifetime: TimeInterval = 3600
    /// Two new tokens of one key lie at least this far apart.
    static let renewalInterval: TimeInterval = 1200

    private struct Claims: Sendable {
        var keyID: String
        var teamID: String
        var issuedAt: Date
    }

    /// What was last seen new of one key.
    private struct Renewal: Sendable {
        var tokens: Set<String>
        var issuedAt: Date
        var seenAt: Date
    }

    private(set) var keys: [String: (trusted: TrustedKey, verifier: VerifyingKey)] = [:]
    /// Verified token strings: a signature is checked once, the claims at every use.
    private var verified: [String: Claims] = [:]
    private var renewals: [String: Renewal] = [:]
    private let futureTolerance: TimeInterval

    init(futureTolerance: TimeInterval) { self.futureTolerance = futureTolerance }

    mutating func trust(_ key: TrustedKey) throws(SimulatorError) {
        keys[key.keyID] = (key, try VerifyingKey(key))
        verified = verified.filter { $0.value.keyID != key.keyID }
    }

    mutating func revoke(_ keyID: String) {
        keys[keyID] = nil
        verified = verified.filter { $0.value.keyID != keyID }
    }

    /// Judges the `authorization` header and binds the connection where it passes.
    ///
    /// - Returns: the bundle ids its key may push to; nil means all.
    mutating func check(
        _ authorization: String?, environment: APNsEnvironment, connection: inout ConnectionRecord, now: Date
    ) throws(Rejection) -> Set<String>? {
        let token = try Self.bearer(authorization)
        let claims = try read(token)
        guard let key = keys[claims.keyID]?.trusted, key.teamID == nil || key.teamID == claims.teamID else {
            throw Rejection(403, "InvalidProviderToken")
        }
        let age = now.timeIntervalSince(claims.issuedAt)
        guard age <= Self.lifetime else { throw Rejection(403, "ExpiredProviderToken") }
        guard age >= -futureTolerance else { throw Rejection(403, "InvalidProviderToken") }
        guard key.environments.contains(environment) else { throw Rejection(403, "BadEnvironmentKeyIdInToken") }
        try Self.checkBinding(of: connection, to: claims.teamID, claims.keyID)
        try checkChurn(token, claims, connection: &connection, now: now)
        connection.teamID = claims.teamID
        connection.keyID = claims.keyID
        return key.bundleIDs
    }

    private static func bearer(_ authorization: String?) throws(Rejection) -> String {
        guard let authorization, !authorization.isEmpty else { throw Rejection(403, "MissingProviderToken") }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw Rejection(403, "InvalidProviderToken") }
        return String(parts[1])
    }

    private mutating func read(_ token: String) throws(Rejection) -> Claims {
        if let claims = verified[token] { return claims }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Self.json(parts[0]), let body = Self.json(parts[1]),
            let signature = base64URL(parts[2]), head["alg"]?.string == "ES256",
            let keyID = head["kid"]?.string, let teamID = body["iss"]?.string, let issuedAt = Self.issuedAt(body),
            let verifier = keys[keyID]?.verifier,
            verifier.verifies(signature, of: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw Rejection(403, "InvalidProviderToken") }
        let claims = Claims(keyID: keyID, teamID: teamID, issuedAt: issuedAt)
        if verified.count >= 1000 { verified.removeAll() }
        verified[token] = claims
        return claims
    }

    /// A number; known clients also send it as a string of digits and are served.
    private static func issuedAt(_ body: JSON) -> Date? {
        let seconds = body["iat"]?.integer ?? body["iat"]?.string.flatMap { Int64($0) }
        return seconds.map { Date(timeIntervalSince1970: TimeInterval($0)) }
    }

    private static func json(_ part: Substring) -> JSON? {
        base64URL(part).flatMap { JSON(received: $0) }
    }

    private static func checkBinding(
        of connection: ConnectionRecord, to teamID: String, _ keyID: String
    ) throws(Rejection) {
        if let bound = connection.teamID, bound != teamID { throw Rejection(403, "InvalidProviderToken") }
        if let bound = connection.keyID, bound != keyID { throw Rejection(403, "UnrelatedKeyIdInToken") }
    }

    /// A new token within 20 minutes of the last new one bars the connection it came on.
    ///
    /// Both the issue times and the first uses must lie too close together: a token may be old when it is first
    /// seen here.
    private mutating func checkChurn(
        _ token: String, _ claims: Claims, connection: inout ConnectionRecord, now: Date
    ) throws(Rejection) {
        if let until = connection.barredUntil, now < until { throw Rejection(429, "TooManyProviderTokenUpdates") }
        guard var renewal = renewals[claims.keyID] else {
            renewals[claims.keyID] = Renewal(tokens: [token], issuedAt: claims.issuedAt, seenAt: now)
            return
        }
        guard !renewal.tokens.contains(token) else { return }
        let isTooSoon =
            claims.issuedAt.timeIntervalSince(renewal.issuedAt) < Self.renewalInterval
            && now.timeIntervalSince(renewal.seenAt) < Self.renewalInterval
        guard !isTooSoon else {
            connection.barredUntil = now + Self.renewalInterval
            throw Rejection(429, "TooManyProviderTokenUpdates")
        }
        renewal.tokens.insert(token)
        renewal.issuedAt = claims.issuedAt
        renewal.seenAt = now
        renewals[claims.keyID] = renewal
    }
}

/// Decodes base64url without padding (RFC 7515 section 2).
private func base64URL(_ text: Substring) -> [UInt8]? {
    guard !text.contains("=") else { return nil }
    var base64 = String(text).replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.count % 4) % 4)
    return Data(base64Encoded: base64).map { [UInt8]($0) }
}
