import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UserRPC

@Suite("Users' tokens") struct TokenVerifierTests {
    static let secret = "a secret of more than thirty-two bytes"
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func verifier(_ keys: KeySet?, remote: RemoteKeys? = nil) -> TokenVerifier {
        TokenVerifier(keys: keys, remote: remote, now: { Self.now })
    }

    private func refusal(_ token: String, by verifier: TokenVerifier) async -> TokenError? {
        do {
            _ = try await verifier.claims("Bearer \(token)")
            return nil
        } catch {
            return error
        }
    }

    @Test("the examples of RFC 7515 (A.1 and A.3) are signed well: only their claims lack a sub")
    func examples() async throws {
        let keys = try KeySet(json: Data(Self.rfc7515Keys.utf8), takesSecrets: true)
        var verifier = verifier(keys)
        verifier.now = { Date(timeIntervalSince1970: 1_300_819_379) }
        for token in Self.rfc7515Tokens {
            #expect(await refusal(token, by: verifier) == .claims("JWT has no sub"))
            let last = token.last == "A" ? "B" : "A"
            let changed = token.dropLast(10) + last + token.suffix(9)
            #expect(await refusal(String(changed), by: verifier) == .invalid("JWT is signed by no known key"))
        }
    }

    @Test("HS256 by a secret, and the claims as they came")
    func secret() async throws {
        let verifier = verifier(try KeySet(secret: Self.secret))
        let claims = #"{"sub":"mina","role":"authenticated","exp":1800000100,"x":"é"}"#
        let token = try await hs256(claims, secret: Self.secret)
        #expect(try await verifier.claims("Bearer \(token)") == claims)
        #expect(try await verifier.claims("bearer \(token)") == claims)
        let other = try await hs256(claims, secret: Self.secret + "x")
        #expect(await refusal(other, by: verifier) == .invalid("JWT is signed by no known key"))
    }

    @Test("ES256 and RS256 by a key set", arguments: Signer.Kind.allCases)
    func keySet(kind: Signer.Kind) async throws {
        let (signer, stranger) = (try await Signer(kind, id: "k1"), try await Signer(kind, id: "k1"))
        let verifier = verifier(try await KeySet(json: jwks([signer.jwk()]), takesSecrets: false))
        #expect(try await verifier.claims("Bearer \(signer.token(#"{"sub":"mina"}"#))") == #"{"sub":"mina"}"#)
        #expect(
            await refusal(try stranger.token(#"{"sub":"mina"}"#), by: verifier)
                == .invalid("JWT is signed by no known key"))
    }

    @Test("a public key is no secret, none is no algorithm, and one kind of key never checks the other's tokens")
    func confusion() async throws {
        let (rsa, ec) = (try await Signer(.rs256, id: "r"), try await Signer(.es256, id: "e"))
        let verifier = verifier(try await KeySet(json: jwks([rsa.jwk(), ec.jwk()]), takesSecrets: true))
        let claims = #"{"sub":"mina"}"#
        for secret in [try await rsa.publicPEM(), try await ec.publicPEM(), try await rsa.jwk()["n"] ?? ""] {
            let forged = try await hs256(claims, secret: secret)
            #expect(await refusal(forged, by: verifier) == .invalid("JWT is signed by no known key"))
        }
        let none = base64URL(Data(#"{"alg":"none"}"#.utf8)) + "." + base64URL(Data(claims.utf8)) + "."
        #expect(await refusal(none, by: verifier) == .invalid("JWT is not base64url"))
        for name in ["none", "None", "HS512", "RS512", "PS256", "ES384", ""] {
            let token = try await rsa.token(claims, algorithm: name)
            #expect(
                await refusal(token, by: verifier)
                    == .invalid("JWT is signed with an algorithm that is not HS256, ES256 or RS256"))
        }
        #expect(
            await refusal(try rsa.token(claims, algorithm: "ES256", kid: "r"), by: verifier)
                == .invalid("JWT is signed by no known key"))
    }

    @Test(
        "claims that do not hold",
        arguments: [
            (#"{"sub":"m","exp":1799999969}"#, "JWT expired"), (#"{"sub":"m","nbf":1800000031}"#, "JWT not yet valid"),
            (#"{"sub":"m","iat":1800000031}"#, "JWT issued at future"), (#"{"exp":1800000100}"#, "JWT has no sub"),
            (#"{"sub":""}"#, "JWT has no sub"), (#"{"sub":7}"#, "JWT claims cannot be read"),
            (#"{"sub":"m","exp":"1800000100"}"#, "JWT claims cannot be read"),
            (#"["sub"]"#, "JWT claims cannot be read"),
            ("nonsense", "JWT claims cannot be read"), ("", "JWT claims cannot be read"),
        ])
    func badClaims(claims: String, message: String) async throws {
        let verifier = verifier(try KeySet(secret: Self.secret))
        #expect(await refusal(try hs256(claims, secret: Self.secret), by: verifier) == .claims(message))
    }

    @Test("clocks may be half a minute apart")
    func leeway() async throws {
        let verifier = verifier(try KeySet(secret: Self.secret))
        for claims in [#"{"sub":"m","exp":1799999971}"#, #"{"sub":"m","nbf":1800000029,"iat":1800000029}"#] {
            #expect(await refusal(try hs256(claims, secret: Self.secret), by: verifier) == nil)
        }
    }

    @Test("audience and issuer, where they are asked for")
    func audience() async throws {
        var verifier = verifier(try KeySet(secret: Self.secret))
        verifier.audience = "app"
        verifier.issuer = "https://id"
        for (claims, error) in [
            (#"{"sub":"m","aud":"app","iss":"https://id"}"#, nil),
            (#"{"sub":"m","aud":["x","app"],"iss":"https://id"}"#, nil),
            (#"{"sub":"m","aud":"apps","iss":"https://id"}"#, TokenError.claims("JWT not in audience")),
            (#"{"sub":"m","iss":"https://id"}"#, .claims("JWT not in audience")),
            (#"{"sub":"m","aud":"app","iss":"https://ie"}"#, .claims("JWT not from the issuer")),
            (#"{"sub":"m","aud":"app"}"#, .claims("JWT not from the issuer")),
        ] {
            #expect(await refusal(try hs256(claims, secret: Self.secret), by: verifier) == error)
        }
    }

    @Test("another role than authenticated may not call")
    func role() async throws {
        let verifier = verifier(try KeySet(secret: Self.secret))
        let token = try await hs256(#"{"sub":"m","role":"service_role"}"#, secret: Self.secret)
        #expect(await refusal(token, by: verifier) == .role)
    }

    @Test(
        "what is no token", arguments: ["", "a", "a.b", "a.b.c.d", "..", "e30.e30.e30", "a+b.c.d", "é.é.é", "=.=.="])
    func noToken(text: String) async throws {
        let verifier = verifier(try KeySet(secret: Self.secret))
        guard case .invalid = await refusal(text, by: verifier) else {
            Issue.record("taken: \(text)")
            return
        }
        let long = String(repeating: "a", count: 9000)
        #expect(await refusal(long, by: verifier) == .invalid("JWT is longer than 8192 bytes"))
        await #expect(throws: TokenError.missing) { try await verifier.claims(nil) }
        await #expect(throws: TokenError.missing) { try await verifier.claims("Basic abc") }
    }

    @Test("an unknown key id brings the rotated set, at most once a minute; the known set outlives a failure")
    func rotation() async throws {
        let (old, new) = (try await Signer(.es256, id: "old"), try await Signer(.es256, id: "new"))
        let published = Mutex(
            Result<KeySet, KeySet.Problem>.success(try await KeySet(json: jwks([old.jwk()]), takesSecrets: false)))
        let fetches = Atomic<Int>(0)
        let time = Mutex(Duration.seconds(0))
        let remote = RemoteKeys(
            report: { _ in }, elapsed: { time.withLock { $0 } },
            fetch: {
                fetches.add(1, ordering: .relaxed)
                return published.withLock { $0 }
            })
        let verifier = verifier(nil, remote: remote)
        let (oldToken, newToken) = (try await old.token(#"{"sub":"m"}"#), try await new.token(#"{"sub":"m"}"#))
        #expect(await refusal(oldToken, by: verifier) == nil)
        #expect(fetches.load(ordering: .relaxed) == 1)

        published.withLock { $0 = .failure(KeySet.Problem(description: "down")) }
        time.withLock { $0 = .seconds(61) }
        #expect(await refusal(newToken, by: verifier) == .invalid("JWT is signed by no known key"))
        #expect(await refusal(newToken, by: verifier) == .invalid("JWT is signed by no known key"))
        #expect(fetches.load(ordering: .relaxed) == 2)
        #expect(await refusal(oldToken, by: verifier) == nil)

        let rotated = try await KeySet(json: jwks([new.jwk()]), takesSecrets: false)
        published.withLock { $0 = .success(rotated) }
        time.withLock { $0 = .seconds(122) }
        #expect(await refusal(newToken, by: verifier) == nil)
        #expect(await refusal(oldToken, by: verifier) == .invalid("JWT is signed by no known key"))
        #expect(fetches.load(ordering: .relaxed) == 3)
    }

    @Test("a set that never came is no user's fault")
    func unavailable() async throws {
        let remote = RemoteKeys(
            report: { _ in }, elapsed: { .zero }, fetch: { .failure(KeySet.Problem(description: "down")) })
        let token = try await hs256(#"{"sub":"m"}"#, secret: Self.secret)
        #expect(await refusal(token, by: verifier(nil, remote: remote)) == .keysUnavailable)
    }

    @Test("key sets that are of no use say so; a secret in one that came over a network counts for nothing")
    func keySets() async throws {
        let oct = #"{"keys":[{"kty":"oct","k":"\#(base64URL(Data(Self.secret.utf8)))"}]}"#
        _ = try KeySet(json: Data(oct.utf8), takesSecrets: true)
        let offCurve = String(repeating: "A", count: 43)
        for text in [
            oct, "", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","crv":"P-384","x":"","y":""}]}"#,
            #"{"keys":[{"kty":"EC","crv":"P-256","x":"\#(offCurve)","y":"\#(offCurve)"}]}"#,
            #"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}"#,
        ] {
            #expect(throws: KeySet.Problem.self) { try KeySet(json: Data(text.utf8), takesSecrets: false) }
        }
        #expect(throws: KeySet.Problem.self) { try KeySet(secret: "short") }
    }

    private static let joe =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    private static let rfc7515Tokens = [
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(joe).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        "eyJhbGciOiJFUzI1NiJ9.\(joe).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q",
    ]
    private static let rfc7515Keys = """
        {"keys": [
        {"kty": "oct", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"},
        {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        ]}
        """
}
