/// A key from Apple's developer site that signs provider tokens.
///
/// Source: "Establishing a token-based connection to APNs" (Apple). Its description shows the key id only.
public struct ProviderKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// What a provider token belongs to: one token at a time for each of these, across all processes.
    public struct ID: Sendable, Hashable {
        /// Apple's team id, ten characters.
        public let team: String
        /// Apple's key id, ten characters.
        public let key: String
        /// SHA-256 of the public half, in hex: a wrong private key that once had this id shares no token with the right one.
        public let fingerprint: String
    }

    /// Team and key id.
    public let id: ID
    private let privateKey: ECPrivateKey

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - teamID: the `iss` of its tokens.
    ///   - keyID: the `kid` of its tokens.
    ///   - privateKey: an EC P-256 private key as PEM, with line ends as `\n`, CRLF, or the two characters `\` and `n`;
    ///     or base64 of such PEM.
    /// - Throws: ``APNsError`` for an identifier that is empty or holds anything but ASCII letters and digits, and for
    ///   a key that is empty, cut off, encrypted, RSA, or of another curve.
    public init(teamID: String, keyID: String, privateKey: String) throws(APNsError) {
        guard Self.isIdentifier(teamID) else {
            throw .malformedTeamID("the team id must be the ten letters and digits that Apple shows")
        }
        guard Self.isIdentifier(keyID) else {
            throw .malformedKeyID("the key id must be the ten letters and digits that Apple shows")
        }
        do {
            self.privateKey = try ECPrivateKey(pem: PrivateKeyText.pem(from: privateKey))
        } catch {
            throw .unusableKey(keyID: keyID, problem: error.text)
        }
        guard let fingerprint = self.privateKey.fingerprint() else { throw .signing(keyID: keyID) }
        id = ID(team: teamID, key: keyID, fingerprint: fingerprint)
    }

    private static let identifierBytes = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    /// Whether a token can carry it: its length is Apple's affair.
    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { identifierBytes.contains($0) }
    }

    /// The key id.
    public var description: String { "key \(id.key)" }

    /// Shows the identifiers alone, also to `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }

    /// The public half as PEM, for whoever checks this key's signatures, such as a simulator.
    ///
    /// - Throws: ``APNsError/signing(keyID:)`` where OpenSSL cannot write it.
    public func publicKeyPEM() throws(APNsError) -> String {
        guard let pem = privateKey.publicKeyPEM() else { throw .signing(keyID: id.key) }
        return pem
    }

    /// The raw r and s over `message`.
    func signature(of message: [UInt8]) throws(APNsError) -> [UInt8] {
        guard let signature = privateKey.signature(of: message) else { throw .signing(keyID: id.key) }
        return signature
    }
}
