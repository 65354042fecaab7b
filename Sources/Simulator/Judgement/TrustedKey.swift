internal import COpenSSL
internal import Foundation
public import LiveActivity

/// A public key that signs provider tokens, as the developer portal would hold it.
public struct TrustedKey: Sendable, Equatable {
    /// The `kid` of its tokens; ten characters at Apple's.
    public var keyID: String
    /// The `iss` of its tokens; nil accepts any.
    public var teamID: String?
    /// Where the key may be used; a team key of the older kind serves both.
    public var environments: Set<APNsEnvironment>
    /// The bundle ids it may push to; nil means all of its team's.
    public var bundleIDs: Set<String>?
    /// The public key in PEM (`-----BEGIN PUBLIC KEY-----`).
    public var publicKeyPEM: String

    /// A team key of both environments and all bundle ids where nothing else is said.
    public init(
        keyID: String, teamID: String? = nil, environments: Set<APNsEnvironment> = [.sandbox, .production],
        bundleIDs: Set<String>? = nil, publicKeyPEM: String
    ) {
        self.keyID = keyID
        self.teamID = teamID
        self.environments = environments
        self.bundleIDs = bundleIDs
        self.publicKeyPEM = publicKeyPEM
    }

    /// Reads a `--public-key` option: `KEYID=PATH[:TEAM[:sandbox|production|both]]`.
    ///
    /// - Throws: ``SimulatorError/badKeyOption(_:)`` or ``SimulatorError/file(path:reason:)``.
    public init(option: String) throws(SimulatorError) {
        let sides = option.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2 else { throw .badKeyOption(option) }
        let parts = sides[1].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), !parts[0].isEmpty else { throw .badKeyOption(option) }
        let environments: Set<APNsEnvironment>
        switch parts.count == 3 ? parts[2] : "both" {
        case "sandbox": environments = [.sandbox]
        case "production": environments = [.production]
        case "both": environments = [.sandbox, .production]
        default: throw .badKeyOption(option)
        }
        let pem: String
        do {
            pem = try String(contentsOfFile: parts[0], encoding: .utf8)
        } catch {
            throw .file(path: parts[0], reason: "the public key cannot be read")
        }
        let team = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
        self.init(keyID: sides[0], teamID: team, environments: environments, publicKeyPEM: pem)
    }
}

/// A P-256 public key ready to verify ES256 signatures (RFC 7518 section 3.4).
///
/// `@unchecked Sendable`: OpenSSL guards an `EVP_PKEY` with its own lock, and nothing changes it after `init`.
final class VerifyingKey: @unchecked Sendable {
    private let key: OpaquePointer

    init(_ trusted: TrustedKey) throws(SimulatorError) {
        let pem = Array(trusted.publicKeyPEM.utf8)
        guard let bio = BIO_new_mem_buf(pem, Int32(pem.count)) else { throw .cryptography("read a public key") }
        defer { BIO_free(bio) }
        guard let key = PEM_read_bio_PUBKEY(bio, nil, nil, nil) else { throw .badPublicKey(keyID: trusted.keyID) }
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        let isP256 =
            EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
            && name.prefix(length).map { UInt8(bitPattern: $0) } == Array("prime256v1".utf8)
        guard isP256 else {
            EVP_PKEY_free(key)
            throw .badPublicKey(keyID: trusted.keyID)
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether the raw 64-byte r‖s signature fits the message.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64, let der = Self.der(signature) else { return false }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, der, der.count, message, message.count) == 1
    }

    private static func der(_ raw: [UInt8]) -> [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let (r, s) = (BN_bin2bn(raw, 32, nil), BN_bin2bn(Array(raw[32...]), 32, nil))
        guard ECDSA_SIG_set0(signature, r, s) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 80)
        let count = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return i2d_ECDSA_SIG(signature, &cursor)
        }
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }
}
