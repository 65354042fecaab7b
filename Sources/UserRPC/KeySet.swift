public import Foundation

/// The keys of a JSON Web Key Set (RFC 7517) that are of use here: EC P-256, RSA from 2048 bits, and secrets.
public struct KeySet: Sendable {
    struct Entry: Sendable {
        var id: String?
        var key: VerificationKey
    }

    let entries: [Entry]

    /// Why there is no set; the text names no value.
    public struct Problem: Error, CustomStringConvertible {
        /// One line.
        public let description: String
    }

    /// A set with one HS256 secret.
    ///
    /// - Throws: ``Problem`` where it is shorter than 32 bytes (RFC 7518 section 3.2).
    public init(secret: String) throws(Problem) {
        guard secret.utf8.count >= 32 else {
            throw Problem(description: "it is shorter than 32 bytes, so that it could be guessed")
        }
        entries = [Entry(id: nil, key: .hs256(secret: Array(secret.utf8)))]
    }

    /// Reads a key set; keys that are of no use here are passed over.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - takesSecrets: Whether symmetric keys count; never in what comes over a network.
    /// - Throws: ``Problem`` where it is none, or holds no usable key.
    public init(json: Data, takesSecrets: Bool) throws(Problem) {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: json)
        } catch {
            throw Problem(description: "it is no JSON Web Key Set: an object with a list \"keys\"")
        }
        entries = document.keys.prefix(64).compactMap { key in
            key.verification(takesSecrets: takesSecrets).map { Entry(id: key.kid, key: $0) }
        }
        guard !entries.isEmpty else {
            throw Problem(description: "it holds no key for ES256 (P-256) or RS256 (2048 bits or more)")
        }
    }

    private init(entries: [Entry]) { self.entries = entries }

    /// The keys of both.
    public func joined(with other: KeySet?) -> KeySet { KeySet(entries: entries + (other?.entries ?? [])) }

    /// No keys.
    static let empty = KeySet(entries: [])

    /// The keys that may have signed: of the token's algorithm, and its key id where both have one.
    ///
    /// A key without id serves any token; a token without id may be of any key.
    func candidates(for token: SignedToken) -> [VerificationKey] {
        let fitting = entries.filter { $0.key.algorithm == token.algorithm }
        guard let id = token.keyID else { return fitting.map(\.key) }
        let named = fitting.filter { $0.id == id }
        return (named.isEmpty ? fitting.filter { $0.id == nil } : named).map(\.key)
    }

    private struct Document: Decodable {
        var keys: [Key]
    }

    /// Every field is optional, so that one odd key does not hide the others.
    private struct Key: Decodable {
        var kty: String?
        var kid: String?
        var use: String?
        var alg: String?
        var crv: String?
        var x: String?
        var y: String?
        var n: String?
        var e: String?
        var k: String?

        func verification(takesSecrets: Bool) -> VerificationKey? {
            guard use == nil || use == "sig", let key = material(takesSecrets) else { return nil }
            return alg == nil || alg == key.algorithm ? key : nil
        }

        private func material(_ takesSecrets: Bool) -> VerificationKey? {
            switch kty {
            case "EC":
                guard crv == "P-256", let x = x.flatMap({ Base64URL.bytes($0) }), x.count == 32,
                    let y = y.flatMap({ Base64URL.bytes($0) }), y.count == 32
                else { return nil }
                return PublicKey(der: DER.p256(x: x, y: y)).map { .es256($0) }
            case "RSA":
                guard let n = n.flatMap({ Base64URL.bytes($0) }), n.count <= 1024,
                    let e = e.flatMap({ Base64URL.bytes($0) }), e.count <= 8,
                    let key = PublicKey(der: DER.rsa(modulus: n, exponent: e)), key.bits >= 2048
                else { return nil }
                return .rs256(key)
            case "oct":
                guard takesSecrets, let k = k.flatMap({ Base64URL.bytes($0) }), k.count >= 32 else { return nil }
                return .hs256(secret: k)
            default: return nil
            }
        }
    }
}
