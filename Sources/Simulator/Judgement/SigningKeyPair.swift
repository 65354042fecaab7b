internal import COpenSSL
internal import Foundation

/// A fresh P-256 key pair in PEM, for a demonstration or a test that has no key of Apple's.
public struct SigningKeyPair: Sendable {
    /// The private key as a `.p8` file holds it, a secret.
    public let privateKeyPEM: String
    /// What a ``TrustedKey`` takes.
    public let publicKeyPEM: String

    /// Makes a new pair.
    ///
    /// - Throws: ``SimulatorError/cryptography(_:)``.
    public init() throws(SimulatorError) {
        guard let key = cuecard_server_new_key() else { throw .cryptography("make a P-256 key") }
        defer { EVP_PKEY_free(key) }
        guard let secret = BIO_new(BIO_s_mem()), let open = BIO_new(BIO_s_mem()) else {
            throw .cryptography("write a key")
        }
        defer {
            BIO_free(secret)
            BIO_free(open)
        }
        let isWritten =
            PEM_write_bio_PrivateKey(secret, key, nil, nil, 0, nil, nil) == 1 && PEM_write_bio_PUBKEY(open, key) == 1
        guard isWritten else { throw .cryptography("write a key") }
        privateKeyPEM = Certificates.text(of: secret)
        publicKeyPEM = Certificates.text(of: open)
    }
}
