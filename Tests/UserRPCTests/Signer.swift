import Foundation
import TestSupport

/// A key pair and tokens made with it by the `openssl` command, which knows nothing of the code under test.
struct Signer {
    enum Kind: String, CaseIterable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    let kind: Kind
    let id: String
    private let key = TemporaryFile(ending: ".pem")

    init(_ kind: Kind, id: String) async throws {
        self.kind = kind
        self.id = id
        let options =
            kind == .rs256
            ? ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
            : ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        try await Self.openssl(["genpkey"] + options + ["-out", key.path])
    }

    /// The public half as a member of a JWKS.
    func jwk() async throws -> [String: String] {
        let file = TemporaryFile(ending: ".der")
        try await Self.openssl(["pkey", "-in", key.path, "-pubout", "-outform", "DER", "-out", file.path])
        let der = try Data(contentsOf: URL(fileURLWithPath: file.path))
        switch kind {
        case .es256:
            let point = der.suffix(64)
            return [
                "kty": "EC", "crv": "P-256", "kid": id, "x": base64URL(point.prefix(32)),
                "y": base64URL(point.suffix(32)),
            ]
        case .rs256:
            // What follows the modulus is the exponent 65537: 02 03 01 00 01.
            return ["kty": "RSA", "kid": id, "n": base64URL(der.dropLast(5).suffix(256)), "e": "AQAB"]
        }
    }

    /// The public half as PEM.
    func publicPEM() async throws -> String { try await Self.openssl(["pkey", "-in", key.path, "-pubout"]) }

    func token(_ claims: String, algorithm: String? = nil, kid: String? = nil) async throws -> String {
        let head = #"{"alg":"\#(algorithm ?? kind.rawValue)","kid":"\#(kid ?? id)"}"#
        let message = base64URL(Data(head.utf8)) + "." + base64URL(Data(claims.utf8))
        let (input, output) = (TemporaryFile(ending: ".txt"), TemporaryFile(ending: ".sig"))
        try Data(message.utf8).write(to: URL(fileURLWithPath: input.path))
        try await Self.openssl(["dgst", "-sha256", "-sign", key.path, "-out", output.path, input.path])
        let signature = try Data(contentsOf: URL(fileURLWithPath: output.path))
        return message + "." + base64URL(kind == .es256 ? Self.raw(signature) : signature)
    }

    /// r and s of `30 len 02 len r 02 len s`, each as 32 bytes.
    private static func raw(_ der: Data) -> Data {
        let bytes = Array(der)
        let rEnd = 4 + Int(bytes[3])
        func fit(_ number: ArraySlice<UInt8>) -> [UInt8] {
            let digits = Array(number.suffix(32))
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
        return Data(fit(bytes[4..<rEnd]) + fit(bytes[(rEnd + 2)...]))
    }

    @discardableResult
    private static func openssl(_ arguments: [String]) async throws -> String {
        let result = try await Child.run(URL(fileURLWithPath: "/usr/bin/openssl"), arguments)
        guard result.code == 0 else { throw CommandFailed(words: result.errors) }
        return result.output
    }
}

/// An HS256 token, its code made by the `openssl` command.
func hs256(_ claims: String, secret: String, algorithm: String = "HS256") async throws -> String {
    let message = base64URL(Data(#"{"alg":"\#(algorithm)"}"#.utf8)) + "." + base64URL(Data(claims.utf8))
    let hex = secret.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    let (input, output) = (TemporaryFile(ending: ".txt"), TemporaryFile(ending: ".mac"))
    try Data(message.utf8).write(to: URL(fileURLWithPath: input.path))
    let result = try await Child.run(
        URL(fileURLWithPath: "/usr/bin/openssl"),
        ["dgst", "-sha256", "-mac", "HMAC", "-macopt", "hexkey:\(hex)", "-binary", "-out", output.path, input.path])
    guard result.code == 0 else { throw CommandFailed(words: result.errors) }
    return message + "." + base64URL(try Data(contentsOf: URL(fileURLWithPath: output.path)))
}

func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
}

func jwks(_ keys: [[String: String]]) throws -> Data { try JSONEncoder().encode(["keys": keys]) }

struct CommandFailed: Error {
    var words: String
}
