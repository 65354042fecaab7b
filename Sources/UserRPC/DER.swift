/// The few forms of ASN.1 DER that keys and signatures take (X.690).
enum DER {
    /// A P-256 public key by its point (RFC 5480).
    static func p256(x: [UInt8], y: [UInt8]) -> [UInt8] {
        let ecPublicKey: [UInt8] = [0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]
        let prime256v1: [UInt8] = [0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        return sequence(sequence(ecPublicKey + prime256v1) + bitString([0x04] + x + y))
    }

    /// An RSA public key by its numbers (RFC 8017).
    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let rsaEncryption: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00]
        return sequence(sequence(rsaEncryption) + bitString(sequence(integer(modulus) + integer(exponent))))
    }

    /// An ECDSA signature from its 64 bytes, r then s (RFC 7518 section 3.4); nil where they are not 64.
    static func signature(raw: [UInt8]) -> [UInt8]? {
        raw.count == 64 ? sequence(integer(Array(raw.prefix(32))) + integer(Array(raw.suffix(32)))) : nil
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { element(0x30, content) }
    private static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0x00] + content) }

    /// A number that is not negative: no needless zeros before it, and one where its first bit is set.
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        let isBare = digits.first.map { $0 < 0x80 } ?? false
        return element(0x02, isBare ? digits : [0x00] + digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
            }
        return [tag] + length + content
    }
}
