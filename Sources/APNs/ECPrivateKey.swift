import COpenSSL

/// A P-256 private key that OpenSSL holds.
///
/// `@unchecked Sendable` without a lock: the key never changes once it is read, and each signature has a context of
/// its own.
final class ECPrivateKey: @unchecked Sendable {
    private let key: OpaquePointer

    /// Reads an unencrypted PEM private key.
    init(pem: String) throws(PrivateKeyText.Problem) {
        ERR_clear_error()
        var text = pem
        let read = text.withUTF8 { bytes -> OpaquePointer? in
            guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { BIO_free(bio) }
            // Without a callback of ours OpenSSL would ask for a password on the terminal.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        ERR_clear_error()
        guard let read else {
            throw PrivateKeyText.Problem("it cannot be decoded; it seems cut off or changed, paste the whole .p8 file")
        }
        if let problem = Self.problem(of: read) {
            EVP_PKEY_free(read)
            throw PrivateKeyText.Problem(problem)
        }
        key = read
    }

    deinit { EVP_PKEY_free(key) }

    private static func problem(of key: OpaquePointer) -> String? {
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else {
            return "it is not an EC key; APNs takes Apple's .p8 key (EC P-256)"
        }
        let curve = curveName(of: key)
        return curve == "prime256v1" ? nil : "its curve is \(curve); APNs takes P-256 only, as in Apple's .p8 key"
    }

    private static func curveName(of key: OpaquePointer) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
            var length = 0
            guard EVP_PKEY_get_utf8_string_param(key, OSSL_PKEY_PARAM_GROUP_NAME, name.baseAddress, 64, &length) == 1,
                let start = name.baseAddress
            else { return "unknown" }
            return String(cString: start)
        }
    }

    /// The ECDSA signature over SHA-256 as 64 bytes, r then s (RFC 7518 section 3.4); nil where OpenSSL fails.
    func signature(of message: [UInt8]) -> [UInt8]? {
        ERR_clear_error()
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return nil }
        var length = 80  // 72 is the longest DER form of two 32-byte numbers.
        var der = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &der, &length, message, message.count) == 1 else { return nil }
        return Self.rawSignature(der: Array(der.prefix(length)))
    }

    /// r and s of a DER signature, each as 32 bytes; nil where it is not one, or a number does not fit.
    ///
    /// DER drops leading zeros and adds one before a high bit, so that the two numbers have no fixed place in it.
    static func rawSignature(der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            guard let pair = d2i_ECDSA_SIG(nil, &start, bytes.count) else { return nil }
            defer { ECDSA_SIG_free(pair) }
            var raw = [UInt8](repeating: 0, count: 64)
            let fits = raw.withUnsafeMutableBufferPointer { raw in
                guard let base = raw.baseAddress else { return false }
                return BN_bn2binpad(ECDSA_SIG_get0_r(pair), base, 32) == 32
                    && BN_bn2binpad(ECDSA_SIG_get0_s(pair), base + 32, 32) == 32
            }
            return fits ? raw : nil
        }
    }

    /// SHA-256 of the public half (DER, RFC 5480), in hex; nil where OpenSSL fails.
    func fingerprint() -> String? {
        var der: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(key, &der)
        guard length > 0, let der else { return nil }
        defer { CRYPTO_free(der, nil, 0) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(der, Int(length), &digest, nil, EVP_sha256(), nil) == 1 else { return nil }
        return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The public half as PEM; nil where OpenSSL fails.
    func publicKeyPEM() -> String? {
        guard let bio = BIO_new(BIO_s_mem()) else { return nil }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PUBKEY(bio, key) == 1 else { return nil }
        var data: UnsafeMutablePointer<CChar>?
        let length = cuecard_bio_mem_data(bio, &data)
        guard let data else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: data, count: length), as: UTF8.self)
    }
}
