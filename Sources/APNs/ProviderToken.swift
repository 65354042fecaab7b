public import Foundation

/// A signed JWT that APNs takes as the sender's credential for up to an hour.
///
/// The string is a secret: the description shows when it was issued, and nothing of it.
public struct ProviderToken: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The JWT, for the `authorization` header and the shared store.
    ///
    /// Never log it.
    public let jwt: String
    /// When it was minted, by the store's clock, in whole seconds; its `iat` lies ``backdating`` seconds earlier.
    public let issuedAt: Date

    /// Takes a token that was minted before, perhaps by another process.
    public init(jwt: String, issuedAt: Date) {
        self.jwt = jwt
        self.issuedAt = issuedAt
    }

    /// How far `iat` is set back, in seconds, so that no clock of Apple's sees it in the future.
    public static let backdating: Int64 = 30

    /// Signs a new token: ES256, header `alg` and `kid`, claims `iss` and `iat` (RFC 7519, RFC 7518 section 3.4).
    ///
    /// Two tokens of one second differ, since ECDSA signatures are random.
    ///
    /// - Parameters:
    ///   - key: who signs.
    ///   - clock: the present time, by the clock that all processes share.
    /// - Returns: the token.
    /// - Throws: ``APNsError/signing(keyID:)``.
    public static func mint(key: ProviderKey, clock: Date) throws(APNsError) -> ProviderToken {
        let seconds = Int64(clock.timeIntervalSince1970.rounded(.down))
        let header = #"{"alg":"ES256","kid":"\#(key.id.key)"}"#
        let claims = #"{"iss":"\#(key.id.team)","iat":\#(seconds - backdating)}"#
        let message = base64URL(Array(header.utf8)) + "." + base64URL(Array(claims.utf8))
        let signature = try key.signature(of: Array(message.utf8))
        return ProviderToken(
            jwt: message + "." + base64URL(signature), issuedAt: Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
    }

    /// When it was issued.
    public var description: String { "provider token of \(issuedAt)" }

    /// Shows no more than the description, also to `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["issuedAt": issuedAt]) }
}
