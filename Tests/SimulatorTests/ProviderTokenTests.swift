import Foundation
import LiveActivity
import Simulator
import Testing

/// Provider tokens: signature, claims, age, churn, and what a connection is bound to.
@Suite struct ProviderTokenTests {
    let clock = TurnedClock(Date(timeIntervalSince1970: 1_780_000_000))
    let mint: ProviderTokenMint
    let simulator: APNsSimulator

    init() throws {
        mint = try ProviderTokenMint()
        var options = SimulatorOptions { Date() }
        options.keys = [mint.trusted]
        options.unknownTokens = .accept
        options.wallClock = { [clock] in clock.now }
        simulator = try APNsSimulator(options)
    }

    func connect(_ environment: APNsEnvironment = .production) throws -> HTTP2Client {
        try HTTP2Client(
            port: environment == .production ? simulator.productionPort : simulator.sandboxPort,
            authorityPEM: simulator.authorityPEM)
    }

    /// The reason of the answer; empty where the push was accepted.
    func push(_ bearer: String?, on client: HTTP2Client) throws -> String? {
        let draft = Draft(token: "abcd", authorization: bearer, body: Payload.start())
        let outcome = try client.send(draft.request)
        return outcome.status == 200 ? "" : outcome.reason
    }

    @Test func acceptsATokenThatIsRight() throws {
        #expect(try push(mint.token(issuedAt: clock.now), on: connect()) == "")
    }

    @Test func takesIssueTimesWrittenAsText() throws {
        #expect(try push(mint.token(issuedAt: clock.now, issuedAtAsText: true), on: connect()) == "")
    }

    @Test func wantsAToken() throws {
        #expect(try push(nil, on: connect()) == "MissingProviderToken")
    }

    @Test func refusesAnotherSchemeAndGarbage() throws {
        let client = try connect()
        let draft = Draft(token: "abcd", authorization: nil, body: Payload.start())
        for value in ["basic abc", "bearer", "bearer a.b.c", "bearer ..", mint.token(issuedAt: clock.now)] {
            #expect(try client.send(draft.with("authorization", value).request).reason == "InvalidProviderToken")
        }
    }

    @Test func refusesWrongClaims() throws {
        let client = try connect()
        let now = clock.now
        #expect(try push(mint.token(issuedAt: now, algorithm: "HS256"), on: client) == "InvalidProviderToken")
        #expect(try push(mint.token(issuedAt: now, keyID: "OTHER"), on: client) == "InvalidProviderToken")
        #expect(try push(mint.token(issuedAt: now, teamID: "OTHER"), on: client) == "InvalidProviderToken")
    }

    @Test func refusesAForeignSignature() throws {
        let forger = try ProviderTokenMint()
        #expect(try push(forger.token(issuedAt: clock.now), on: connect()) == "InvalidProviderToken")
        var parts = mint.token(issuedAt: clock.now).split(separator: ".").map(String.init)
        parts[2] = String(parts[2].reversed())
        #expect(try push(parts.joined(separator: "."), on: connect()) == "InvalidProviderToken")
    }

    @Test func letsATokenLiveForAnHour() throws {
        let client = try connect()
        let bearer = mint.token(issuedAt: clock.now)
        clock.advance(3600)
        #expect(try push(bearer, on: client) == "")
        clock.advance(1)
        #expect(try push(bearer, on: client) == "ExpiredProviderToken")
    }

    @Test func toleratesAClockThatIsALittleAhead() throws {
        #expect(try push(mint.token(issuedAt: clock.now + 60), on: connect()) == "")
        #expect(try push(mint.token(issuedAt: clock.now + 62), on: connect()) == "InvalidProviderToken")
    }

    @Test func barsAConnectionForChurn() throws {
        let (client, other) = (try connect(), try connect())
        let first = mint.token(issuedAt: clock.now)
        #expect(try push(first, on: client) == "")
        clock.advance(1199)
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "TooManyProviderTokenUpdates")
        // The connection is barred, for the old token too; another one is not.
        #expect(try push(first, on: client) == "TooManyProviderTokenUpdates")
        #expect(try push(first, on: other) == "")
        clock.advance(1200)
        #expect(try push(first, on: client) == "")
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "")
    }

    @Test func allowsANewTokenEveryTwentyMinutes() throws {
        let client = try connect()
        for _ in 0..<4 {
            #expect(try push(mint.token(issuedAt: clock.now), on: client) == "")
            clock.advance(1200)
        }
    }

    @Test func allowsATokenThatWasOldWhenFirstSeen() throws {
        let client = try connect()
        #expect(try push(mint.token(issuedAt: clock.now - 1500), on: client) == "")
        clock.advance(60)
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "")
    }

    @Test func countsTwoTokensOfOneSecondAsTwo() throws {
        let client = try connect()
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "")
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "TooManyProviderTokenUpdates")
    }

    @Test func bindsAConnectionToTeamAndKey() throws {
        var (second, stranger) = (try ProviderTokenMint(), try ProviderTokenMint())
        second.keyID = "KEY0000002"
        (stranger.keyID, stranger.teamID) = ("KEY0000003", "TEAM000002")
        try simulator.trust(second.trusted)
        try simulator.trust(stranger.trusted)
        let client = try connect()
        #expect(try push(mint.token(issuedAt: clock.now), on: client) == "")
        #expect(try push(second.token(issuedAt: clock.now), on: client) == "UnrelatedKeyIdInToken")
        #expect(try push(stranger.token(issuedAt: clock.now), on: client) == "InvalidProviderToken")
        #expect(try push(second.token(issuedAt: clock.now), on: connect()) == "")
    }

    @Test func knowsWhereAKeyMayBeUsed() throws {
        var key = mint.trusted
        key.environments = [.sandbox]
        key.bundleIDs = ["app.other"]
        try simulator.trust(key)
        let bearer = mint.token(issuedAt: clock.now)
        #expect(try push(bearer, on: connect(.production)) == "BadEnvironmentKeyIdInToken")
        #expect(try push(bearer, on: connect(.sandbox)) == "TopicDisallowed")
        simulator.revoke(keyID: key.keyID)
        #expect(try push(bearer, on: connect(.sandbox)) == "InvalidProviderToken")
    }

    @Test func readsKeyOptions() throws {
        let path = NSTemporaryDirectory() + "cuecard-key-\(UUID().uuidString).pem"
        try mint.keyPair.publicKeyPEM.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        let short = try TrustedKey(option: "ABC=\(path)")
        #expect(short == TrustedKey(keyID: "ABC", publicKeyPEM: mint.keyPair.publicKeyPEM))
        let long = try TrustedKey(option: "ABC=\(path):TEAM:sandbox")
        #expect(long.teamID == "TEAM")
        #expect(long.environments == [.sandbox])
        for wrong in ["ABC", "ABC=", "ABC=\(path):TEAM:moon", "ABC=\(path):a:both:c"] {
            #expect(throws: SimulatorError.badKeyOption(wrong)) { try TrustedKey(option: wrong) }
        }
        #expect(throws: SimulatorError.self) { try TrustedKey(option: "ABC=/nowhere.pem") }
        let notAKey = TrustedKey(keyID: "ABC", publicKeyPEM: "text")
        #expect(throws: SimulatorError.badPublicKey(keyID: "ABC")) { try simulator.trust(notAKey) }
    }
}
