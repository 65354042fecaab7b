import Foundation

/// A JWT in its compact form (RFC 7519), taken apart and not yet believed.
struct SignedToken {
    /// Nothing longer is looked at.
    static let longest = 8192

    var algorithm: String
    var keyID: String?
    /// What is signed.
    var message: [UInt8]
    var signature: [UInt8]
    /// The claims as they came.
    var payload: [UInt8]

    init(_ text: String) throws(TokenError) {
        guard text.utf8.count <= Self.longest else { throw .invalid("JWT is longer than \(Self.longest) bytes") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .invalid("JWT does not have three parts") }
        guard let head = Base64URL.bytes(parts[0]), let payload = Base64URL.bytes(parts[1]),
            let signature = Base64URL.bytes(parts[2]), !signature.isEmpty
        else { throw .invalid("JWT is not base64url") }
        let header: Header
        do {
            header = try JSONDecoder().decode(Header.self, from: Data(head))
        } catch {
            throw .invalid("JWT has no readable header")
        }
        // RFC 7515 section 4.1.11: what is critical and unknown must be refused.
        guard header.crit == nil else { throw .invalid("JWT has a critical header") }
        algorithm = header.alg
        keyID = header.kid
        message = Array("\(parts[0]).\(parts[1])".utf8)
        self.signature = signature
        self.payload = payload
    }

    private struct Header: Decodable {
        var alg: String
        var kid: String?
        var crit: [String]?
    }
}

/// Base64 for URLs, without padding (RFC 4648 section 5).
enum Base64URL {
    /// Nil where it is none.
    static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        guard text.utf8.allSatisfy({ isLetter($0) }) else { return nil }
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        let standard = String(text).replacing("-", with: "+").replacing("_", with: "/")
        return Data(base64Encoded: standard + padding).map { Array($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
