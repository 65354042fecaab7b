import APNs
import Foundation
import Simulator
import Testing

@Suite("One provider token a key") struct ProviderTokensTests {
    let key: ProviderKey
    let clock = HandClock()
    let table: SharedTokenTable

    init() throws {
        key = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: KeyFixtures.p256)
        table = SharedTokenTable { [clock] in clock.date }
    }

    private func cache(lifetime: Duration = .seconds(30 * 60)) throws -> ProviderTokens {
        try ProviderTokens(store: table.store, lifetime: lifetime) { [clock] in clock.elapsed }
    }

    @Test("FR-80: 50 callers at the moment of expiry share one mint")
    func oneMintForFifty() async throws {
        let tokens = try cache()
        let first = try await tokens.token(for: key)
        clock.move(to: .seconds(31 * 60))
        let used = try await withThrowingTaskGroup(of: ProviderToken.self) { group in
            for _ in 0..<50 { group.addTask { try await tokens.token(for: key) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(used.count == 50)
        #expect(Set(used.map(\.jwt)).count == 1)
        #expect(used[0] != first)
        #expect(table.history == [first, used[0]])
        #expect(table.offers == 2)
        #expect(table.loads == 2)
    }

    @Test("FR-42: a first send at 45 minutes, sends until 100: tokens are at least 20 minutes apart")
    func firstSendLate() async throws {
        let tokens = try cache()
        var changes: [(minute: Int, jwt: String)] = []
        for minute in 45...100 {
            clock.move(to: .seconds(minute * 60))
            let token = try await tokens.token(for: key)
            if changes.last?.jwt != token.jwt { changes.append((minute, token.jwt)) }
        }
        #expect(changes.map(\.minute) == [45, 75])
        #expect(Set(changes.map(\.jwt)).count == 2)
    }

    @Test("FR-44, I7: 20 processes on one store, 60 ticks: two tokens an hour")
    func manyProcesses() async throws {
        let processes = try (0..<20).map { _ in try cache() }
        var used: Set<String> = []
        for minute in 0..<60 {
            clock.move(to: .seconds(minute * 60))
            let now = try await withThrowingTaskGroup(of: ProviderToken.self) { group in
                for process in processes { group.addTask { try await process.token(for: key) } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1.jwt) }
            }
            #expect(now.count <= 2)  // A process may still hold the one before.
            used.formUnion(now)
        }
        #expect(used == Set(table.history.map(\.jwt)))  // No loser of a race was ever used.
        #expect(used.count == 2)
    }

    @Test("FR-44: a worker thrown away after each tick takes the stored token")
    func oneProcessATick() async throws {
        for minute in 0..<60 {
            clock.move(to: .seconds(minute * 60))
            _ = try await cache().token(for: key)
        }
        #expect(table.history.count == 2)
    }

    @Test("FR-44: with the store down nothing is minted, and the error says so")
    func storeDown() async throws {
        let tokens = try cache()
        table.setDown(true)
        let error = await #expect(throws: APNsError.self) { try await tokens.token(for: key) }
        #expect(error == .tokenStore(keyID: "KEY1234567", problem: "the database does not answer"))
        #expect(table.offers == 0)
        table.setDown(false)
        _ = try await tokens.token(for: key)
        #expect(table.history.count == 1)
        clock.move(to: .seconds(29 * 60))
        table.setDown(true)
        _ = try await tokens.token(for: key)  // What is in memory goes on serving its time …
        clock.move(to: .seconds(30 * 60))
        await #expect(throws: APNsError.self) { try await tokens.token(for: key) }  // … and no longer.
        #expect(table.history.count == 1)
    }

    @Test("FR-44: another key id has a token of its own at once")
    func keyRotation() async throws {
        let tokens = try cache()
        let next = try ProviderKey(teamID: "TEAM123456", keyID: "KEY7654321", privateKey: KeyFixtures.p256)
        let first = try await tokens.token(for: key)
        let second = try await tokens.token(for: next)
        #expect(first != second)
        #expect(try await tokens.token(for: key) == first)
    }

    @Test("The same key in another form is the same key; another private key under its id has a token of its own")
    func fingerprint() async throws {
        let tokens = try cache()
        let older = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: KeyFixtures.sec1)
        let wrong = try ProviderKey(
            teamID: "TEAM123456", keyID: "KEY1234567", privateKey: SigningKeyPair().privateKeyPEM)
        #expect(older.id == key.id)
        let first = try await tokens.token(for: key)
        #expect(try await tokens.token(for: older) == first)
        #expect(try await tokens.token(for: wrong) != first)
        #expect(try await tokens.token(for: key) == first)
    }

    @Test("The age counts by the store's clock, not by when this process read it")
    func ageFromTheStore() async throws {
        let old = try ProviderToken.mint(key: key, clock: clock.date - 25 * 60)
        table.put(old, for: key.id)
        let tokens = try cache()
        #expect(try await tokens.token(for: key) == old)
        clock.move(to: .seconds(4 * 60))
        #expect(try await tokens.token(for: key) == old)
        clock.move(to: .seconds(5 * 60))
        #expect(try await tokens.token(for: key) != old)
    }

    @Test("`iat` lies 30 s before the store's clock, however wrong this host's clock is")
    func issuedByTheStoresClock() async throws {
        let token = try await cache().token(for: key)
        let claims = try #require(token.jwt.split(separator: ".").dropFirst().first)
        let text = String(claims) + String(repeating: "=", count: (4 - claims.count % 4) % 4)
        #expect(Data(base64Encoded: text) == Data(#"{"iss":"TEAM123456","iat":1799999970}"#.utf8))
    }

    @Test("ExpiredProviderToken within 20 minutes is a fault of a clock: nothing is minted")
    func expiredYoung() async throws {
        let tokens = try cache()
        let first = try await tokens.token(for: key)
        clock.move(to: .seconds(20 * 60))
        #expect(try await tokens.replacement(of: first, for: key) == nil)
        #expect(table.history == [first])
    }

    @Test("ExpiredProviderToken after 20 minutes mints once, for all who met it")
    func expiredOld() async throws {
        let tokens = try cache()
        let first = try await tokens.token(for: key)
        clock.move(to: .seconds(20 * 60 + 1))
        let second = try #require(try await tokens.replacement(of: first, for: key))
        #expect(second != first)
        #expect(try await tokens.replacement(of: first, for: key) == second)
        #expect(try await tokens.token(for: key) == second)
        #expect(table.history == [first, second])
    }

    @Test("ExpiredProviderToken: where another process has replaced it, its token is taken")
    func expiredElsewhere() async throws {
        let (here, there) = (try cache(), try cache())
        let first = try await here.token(for: key)
        clock.move(to: .seconds(25 * 60))
        #expect(try await there.token(for: key) == first)
        let second = try #require(try await there.replacement(of: first, for: key))
        #expect(try await here.replacement(of: first, for: key) == second)
        #expect(table.history == [first, second])
    }

    @Test("A lifetime outside 20 to 55 minutes is refused", arguments: [19, 56])
    func refusesLifetime(minutes: Int) {
        #expect(throws: APNsError.self) { try cache(lifetime: .seconds(minutes * 60)) }
    }
}
