import COpenSSL
import Foundation
import Simulator

/// Signs provider tokens for the tests, right and wrong ones.
struct ProviderTokenMint {
    let keyPair: SigningKeyPair
    var keyID = "KEY0000001"
    var teamID = "TEAM000001"

    init() throws { keyPair = try SigningKeyPair() }

    var trusted: TrustedKey {
        TrustedKey(keyID: keyID, teamID: teamID, publicKeyPEM: keyPair.publicKeyPEM)
    }

    func token(
        issuedAt: Date = Date(), algorithm: String = "ES256", keyID: String? = nil, teamID: String? = nil,
        issuedAtAsText: Bool = false
    ) -> String {
        let seconds = Int64(issuedAt.timeIntervalSince1970)
        let header = #"{"alg":"\#(algorithm)","kid":"\#(keyID ?? self.keyID)"}"#
        let time = issuedAtAsText ? "\"\(seconds)\"" : "\(seconds)"
        let claims = #"{"iss":"\#(teamID ?? self.teamID)","iat":\#(time)}"#
        let signed = "\(base64URL(Array(header.utf8))).\(base64URL(Array(claims.utf8)))"
        return "\(signed).\(base64URL(sign(Array(signed.utf8))))"
    }

    private func base64URL(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func sign(_ message: [UInt8]) -> [UInt8] {
        let pem = Array(keyPair.privateKeyPEM.utf8)
        let bio = BIO_new_mem_buf(pem, Int32(pem.count))
        defer { BIO_free(bio) }
        let key = PEM_read_bio_PrivateKey(bio, nil, nil, nil)
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: 80)
        var length = der.count
        EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key)
        EVP_DigestSign(context, &der, &length, message, message.count)
        var cursor: UnsafePointer<UInt8>?
        var raw = [UInt8](repeating: 0, count: 64)
        der.withUnsafeBufferPointer { buffer in
            cursor = buffer.baseAddress
            let signature = d2i_ECDSA_SIG(nil, &cursor, length)
            defer { ECDSA_SIG_free(signature) }
            BN_bn2binpad(ECDSA_SIG_get0_r(signature), &raw, 32)
            raw.withUnsafeMutableBufferPointer { raw in
                _ = BN_bn2binpad(ECDSA_SIG_get0_s(signature), raw.baseAddress! + 32, 32)
            }
        }
        return raw
    }
}
