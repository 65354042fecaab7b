internal import COpenSSL
internal import Foundation

/// A certificate authority made for one simulator, and the server certificate it signed for localhost.
///
/// Both live in memory and are forgotten with the process; only the authority's certificate is ever written out.
final class Certificates {
    let authorityPEM: String
    let certificate: OpaquePointer
    let key: OpaquePointer

    init() throws(SimulatorError) {
        let authorityKey = try Self.newKey()
        defer { EVP_PKEY_free(authorityKey) }
        let authority = try Self.sign(
            name: "Cuecard simulator CA", key: authorityKey, issuer: nil, issuerKey: authorityKey,
            extensions: [
                (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
                (NID_subject_key_identifier, "hash"),
            ])
        defer { X509_free(authority) }
        authorityPEM = try Self.pem(authority)
        let serverKey = try Self.newKey()
        do {
            certificate = try Self.sign(
                name: "localhost", key: serverKey, issuer: authority, issuerKey: authorityKey,
                extensions: [
                    (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
                    (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1"),
                    (NID_authority_key_identifier, "keyid"),
                ])
        } catch {
            EVP_PKEY_free(serverKey)
            throw error
        }
        key = serverKey
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(key)
    }

    private static func newKey() throws(SimulatorError) -> OpaquePointer {
        guard let key = cuecard_server_new_key() else { throw .cryptography("make a P-256 key") }
        return key
    }

    /// A certificate valid from an hour ago for a year; `issuer` nil means self-signed.
    private static func sign(
        name: String, key: OpaquePointer, issuer: OpaquePointer?, issuerKey: OpaquePointer,
        extensions: [(nid: Int32, text: String)]
    ) throws(SimulatorError) -> OpaquePointer {
        guard let certificate = X509_new() else { throw .cryptography("make a certificate") }
        let subject = X509_get_subject_name(certificate)
        let isFilled =
            X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_int64(
                X509_get_serialNumber(certificate), Int64.random(in: 1...Int64.max)) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * 86_400) != nil
            && X509_NAME_add_entry_by_NID(subject, NID_commonName, V_ASN1_UTF8STRING, name, -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0) } ?? subject) == 1
            && X509_set_pubkey(certificate, key) == 1
            && extensions.allSatisfy {
                cuecard_server_add_extension(certificate, issuer ?? certificate, $0.nid, $0.text) == 1
            }
            && X509_sign(certificate, issuerKey, EVP_sha256()) > 0
        guard isFilled else {
            X509_free(certificate)
            throw .cryptography("sign the certificate for \(name)")
        }
        return certificate
    }

    private static func pem(_ certificate: OpaquePointer) throws(SimulatorError) -> String {
        guard let bio = BIO_new(BIO_s_mem()), PEM_write_bio_X509(bio, certificate) == 1 else {
            throw .cryptography("write the CA certificate")
        }
        defer { BIO_free(bio) }
        return text(of: bio)
    }

    /// What was written into a memory BIO.
    static func text(of bio: OpaquePointer) -> String {
        var bytes: UnsafeMutablePointer<CChar>?
        let count = cuecard_server_bio_bytes(bio, &bytes)
        guard let bytes, count > 0 else { return "" }
        let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
        return String(decoding: buffer, as: UTF8.self)
    }
}

/// OpenSSL's server context: TLS 1.2 or newer, `h2` by ALPN and nothing else.
///
/// `@unchecked Sendable`: OpenSSL guards an `SSL_CTX` with its own lock, and nothing changes it after `init`.
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ certificates: Certificates) throws(SimulatorError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw .cryptography("make a TLS context") }
        pointer = context
        let isReady =
            cuecard_server_set_modes(context) == 1
            && SSL_CTX_use_certificate(context, certificates.certificate) == 1
            && SSL_CTX_use_PrivateKey(context, certificates.key) == 1
        guard isReady else { throw .cryptography("load the server certificate") }
        SSL_CTX_set_alpn_select_cb(context, selectH2, nil)
    }

    deinit { SSL_CTX_free(pointer) }
}

/// Takes `h2` where the client offers it and refuses the handshake otherwise (RFC 7540 section 3.3).
private func selectH2(
    _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outLength: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredLength: UInt32,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    var index = 0
    while let offered, index < Int(offeredLength) {
        let length = Int(offered[index])
        if length == 2, offered[index + 1] == UInt8(ascii: "h"), offered[index + 2] == UInt8(ascii: "2") {
            out?.pointee = offered + index + 1
            outLength?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        index += length + 1
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
