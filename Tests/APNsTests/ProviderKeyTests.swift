import COpenSSL
import Foundation
import Testing

@testable import APNs

/// A DER signature of two numbers, written by hand: SEQUENCE { INTEGER r, INTEGER s }.
private func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    [0x30, UInt8(4 + r.count + s.count), 0x02, UInt8(r.count)] + r + [0x02, UInt8(s.count)] + s
}

/// OpenSSL's own verdict on a raw signature, with the public key alone.
private func verifies(_ signature: [UInt8], of message: [UInt8], publicKey: String) throws -> Bool {
    let pem = Array(publicKey.utf8)
    let bio = try #require(BIO_new_mem_buf(pem, Int32(pem.count)))
    defer { BIO_free(bio) }
    let key = try #require(PEM_read_bio_PUBKEY(bio, nil, nil, nil))
    defer { EVP_PKEY_free(key) }
    let pair = try #require(ECDSA_SIG_new())
    defer { ECDSA_SIG_free(pair) }
    ECDSA_SIG_set0(pair, BN_bin2bn(signature, 32, nil), BN_bin2bn(Array(signature[32...]), 32, nil))
    var encoded = [UInt8](repeating: 0, count: 80)
    let count = encoded.withUnsafeMutableBufferPointer { buffer in
        var end = buffer.baseAddress
        return i2d_ECDSA_SIG(pair, &end)
    }
    let context = try #require(EVP_MD_CTX_new())
    defer { EVP_MD_CTX_free(context) }
    try #require(EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1)
    return EVP_DigestVerify(context, encoded, Int(count), message, message.count) == 1
}

@Suite("Keys as people paste them") struct ProviderKeyTests {
    static let pasted: [(String, String)] = [
        ("as the file has it", KeyFixtures.p256),
        ("without its last line end", String(KeyFixtures.p256.dropLast())),
        ("with blank lines and spaces around", "\n  \(KeyFixtures.p256)\n\n"),
        ("with CRLF", KeyFixtures.p256.replacingOccurrences(of: "\n", with: "\r\n")),
        ("with literal \\n", KeyFixtures.p256.replacingOccurrences(of: "\n", with: "\\n")),
        ("with literal \\r\\n", KeyFixtures.p256.replacingOccurrences(of: "\n", with: "\\r\\n")),
        ("with spaces for line ends", KeyFixtures.p256.replacingOccurrences(of: "\n", with: " ")),
        ("on one line", KeyFixtures.p256.replacingOccurrences(of: "\n", with: "")),
        ("in quotes", "\"\(KeyFixtures.p256)\""),
        ("after a byte order mark", "\u{FEFF}" + KeyFixtures.p256),
        ("in base64", Data(KeyFixtures.p256.utf8).base64EncodedString()),
        ("in base64 with line ends", Data(KeyFixtures.p256.utf8).base64EncodedString(options: .lineLength64Characters)),
        (
            "in base64, of literal \\n",
            Data(KeyFixtures.p256.replacingOccurrences(of: "\n", with: "\\n").utf8).base64EncodedString()
        ),
        ("in the older form, after its parameters", KeyFixtures.sec1),
    ]

    @Test("Each form gives the same key", arguments: pasted)
    func accepts(form: String, text: String) throws {
        let key = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: text)
        #expect(try key.publicKeyPEM() == KeyFixtures.p256Public)
    }

    static let refused: [(String, String, String)] = [
        ("empty", "", "empty"),
        ("blank", " \n ", "empty"),
        ("not a key at all", "hello", "neither PEM"),
        ("base64 of something else", Data("hello, this is no key".utf8).base64EncodedString(), "neither PEM"),
        ("RSA", KeyFixtures.rsa, "not an EC key"),
        ("RSA in the older form", KeyFixtures.rsaTraditional, "RSA key"),
        ("Ed25519", KeyFixtures.ed25519, "not an EC key"),
        ("another curve", KeyFixtures.p384, "curve is secp384r1"),
        ("encrypted", KeyFixtures.encrypted, "password"),
        ("encrypted in the older form", KeyFixtures.encryptedTraditional, "password"),
        ("cut off before its END line", String(KeyFixtures.p256.prefix(150)), "cut off"),
        (
            "with a line missing",
            KeyFixtures.p256.split(separator: "\n").enumerated().filter { $0.offset != 2 }
                .map { String($0.element) }.joined(separator: "\n"), "cut off"
        ),
        ("a public key", KeyFixtures.p256Public, "no private key"),
    ]

    @Test("Each unusable key is refused with its reason and nothing of the key", arguments: refused)
    func refuses(form: String, text: String, reason: String) throws {
        let error = try #require(throws: APNsError.self) {
            try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: text)
        }
        #expect(error.description.contains(reason))
        #expect(error.description.contains("KEY1234567"))
        for line in text.split(separator: "\n") where line.count > 20 && !line.hasPrefix("-----") {
            #expect(!error.description.contains(line))
        }
    }

    @Test("Identifiers that would break the token's JSON are refused", arguments: ["", "AB\"C", "AB C", "ÄB"])
    func refusesIdentifiers(_ text: String) {
        #expect(throws: APNsError.self) {
            try ProviderKey(teamID: text, keyID: "KEY1234567", privateKey: KeyFixtures.p256)
        }
        #expect(throws: APNsError.self) {
            try ProviderKey(teamID: "TEAM123456", keyID: text, privateKey: KeyFixtures.p256)
        }
    }

    @Test("I8: neither description nor dump shows more than identifiers")
    func staysSecret() throws {
        let key = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: KeyFixtures.p256)
        let token = try ProviderToken.mint(key: key, clock: Date(timeIntervalSince1970: 1_700_000_000))
        let stored = StoredProviderToken(token: token, clock: token.issuedAt)
        var dumped = ""
        for value: Any in [key, token, stored, ProviderTokenStore.Reading.stored(stored)] {
            dump(value, to: &dumped)
            dumped += "\(value) \(String(reflecting: value))"
        }
        #expect(key.description == "key KEY1234567")
        #expect(dumped.contains("KEY1234567"))
        for part in token.jwt.split(separator: ".") { #expect(!dumped.contains(part)) }
    }
}

@Suite("ES256") struct ES256Tests {
    static let one = [UInt8](repeating: 0, count: 31) + [1]
    static let high = [UInt8](repeating: 0xff, count: 32)
    static let numbers: [(String, r: [UInt8], s: [UInt8], raw: [UInt8])] = [
        (
            "full length", [0x7f] + high.dropLast(), [0x01] + high.dropLast(),
            [0x7f] + high.dropLast() + [0x01] + high.dropLast()
        ),
        ("a zero before each high bit", [0] + high, [0] + high, high + high),
        ("very short", [1], [1], one + one),
        ("one byte short", [0x7f] + high.prefix(30), [0] + high, [0, 0x7f] + high.prefix(30) + high),
        (
            "a zero before a high bit, and short", [0, 0x80], [0x7f],
            [UInt8](repeating: 0, count: 31) + [0x80]
                + [UInt8](repeating: 0, count: 31) + [0x7f]
        ),
    ]

    @Test("DER becomes 64 bytes, whatever the numbers' length", arguments: numbers)
    func convertsDER(name: String, r: [UInt8], s: [UInt8], raw: [UInt8]) {
        #expect(ECPrivateKey.rawSignature(der: der(r, s)) == raw)
    }

    @Test("What is not a signature of P-256 is refused")
    func refusesOddDER() {
        #expect(ECPrivateKey.rawSignature(der: []) == nil)
        #expect(ECPrivateKey.rawSignature(der: [0x30, 0x02, 0x02]) == nil)
        #expect(ECPrivateKey.rawSignature(der: der([0x01] + Self.high, [1])) == nil)
    }

    @Test("2000 signatures verify, short numbers among them")
    func verifiesMany() throws {
        let key = try ECPrivateKey(pem: KeyFixtures.p256)
        var short = 0
        for index in 0..<2000 {
            let message = Array("message \(index)".utf8)
            let signature = try #require(key.signature(of: message))
            #expect(try verifies(signature, of: message, publicKey: KeyFixtures.p256Public))
            if signature[0] == 0 || signature[32] == 0 { short += 1 }
        }
        // Each of the two numbers starts with a zero byte once in 256: none in 2000 signatures has odds of e^-15.
        #expect(short > 0)
    }

    @Test("A provider token holds what Apple asks for, and nothing else")
    func mints() throws {
        let key = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: KeyFixtures.p256)
        let token = try ProviderToken.mint(key: key, clock: Date(timeIntervalSince1970: 1_700_000_000.9))
        let parts = token.jwt.split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        #expect(try decoded(parts[0]) == Data(#"{"alg":"ES256","kid":"KEY1234567"}"#.utf8))
        #expect(try decoded(parts[1]) == Data(#"{"iss":"TEAM123456","iat":1699999970}"#.utf8))
        #expect(token.issuedAt == Date(timeIntervalSince1970: 1_700_000_000))
        let signature = try Array(decoded(parts[2]))
        try #require(signature.count == 64)
        let message = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(try verifies(signature, of: message, publicKey: KeyFixtures.p256Public))
        #expect(try !verifies(signature, of: message + [0], publicKey: KeyFixtures.p256Public))
    }

    private func decoded(_ part: String) throws -> Data {
        #expect(!part.contains("="))
        let standard = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return try #require(Data(base64Encoded: standard + String(repeating: "=", count: (4 - standard.count % 4) % 4)))
    }
}
