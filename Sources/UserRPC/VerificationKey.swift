import COpenSSL

/// A key that tells whether a signature is good, for one algorithm alone.
///
/// A public key has no way to check HS256, so that nobody can sign with its bytes as a secret.
enum VerificationKey: Sendable {
    case hs256(secret: [UInt8])
    case es256(PublicKey)
    case rs256(PublicKey)

    var algorithm: String {
        switch self {
        case .hs256: "HS256"
        case .es256: "ES256"
        case .rs256: "RS256"
        }
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        switch self {
        case .hs256(let secret):
            guard let code = Self.authenticationCode(of: message, secret), code.count == signature.count else {
                return false
            }
            return CRYPTO_memcmp(code, signature, code.count) == 0
        case .es256(let key):
            return DER.signature(raw: signature).map { key.verifies($0, of: message) } ?? false
        case .rs256(let key):
            return key.verifies(signature, of: message)
        }
    }

    private static func authenticationCode(of message: [UInt8], _ secret: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        guard HMAC(EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &length) != nil else {
            return nil
        }
        return length == 32 ? code : nil
    }
}

/// A public key that OpenSSL holds.
///
/// `@unchecked Sendable` without a lock: it never changes, and each check has a context of its own.
final class PublicKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Reads a SubjectPublicKeyInfo; nil where it is none, or its point is not on the curve.
    init?(der: [UInt8]) {
        ERR_clear_error()
        defer { ERR_clear_error() }
        let read = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let read else { return nil }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    var bits: Int { Int(EVP_PKEY_get_bits(key)) }

    /// Over SHA-256; for RSA with PKCS #1 padding.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
}
