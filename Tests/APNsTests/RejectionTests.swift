import APNs
import Foundation
import LiveActivity
import Simulator
import Testing

@Suite("Rejections") struct RejectionTests {
    private func reject(
        _ rig: Rig, _ status: Int, _ reason: String, since: Date? = nil, retryAfter: Int? = nil, times: Int? = 1
    ) {
        let rejection = Simulator.Rejection(status, reason, since: since, retryAfter: retryAfter)
        rig.simulator.add(Fault(.reject(rejection), times: times))
    }

    @Test("Status, reason, time and Retry-After come through; nothing is repeated on its own")
    func comesThrough() async throws {
        let rig = try Rig()
        let since = Date(timeIntervalSince1970: 1_700_000_000.25)
        reject(rig, 410, "Unregistered", since: since)
        reject(rig, 429, "TooManyRequests", retryAfter: 17)
        reject(rig, 503, "ServiceUnavailable")
        reject(rig, 500, "")
        let expected: [PushOutcome] = [
            .rejected(.init(status: 410, reason: "Unregistered", since: since)),
            .rejected(.init(status: 429, reason: "TooManyRequests", retryAfter: 17)),
            .rejected(.init(status: 503, reason: "ServiceUnavailable")), .rejected(.init(status: 500, reason: "")),
        ]
        for (number, outcome) in expected.enumerated() { #expect(await rig.send(push(number + 1)) == outcome) }
        #expect(rig.simulator.requests.count == 4)
        #expect(rig.connections.count == 1)
    }

    @Test("The server's own checks: a payload over 4096 bytes is 413, a priority of 7 is 400")
    func serversChecks() async throws {
        let rig = try Rig()
        var large = push(1)
        large.payload = [UInt8](repeating: 0x20, count: 4097)
        var odd = push(2)
        odd.priority = 7
        #expect(
            await rig.send([large, odd]) == [
                .rejected(.init(status: 413, reason: "PayloadTooLarge")),
                .rejected(.init(status: 400, reason: "BadPriority")),
            ])
    }

    @Test(
        "IdleTimeout and UnrelatedKeyIdInToken: one repeat on a new connection",
        arguments: [
            (400, "IdleTimeout"), (403, "UnrelatedKeyIdInToken"),
        ])
    func changesConnection(status: Int, reason: String) async throws {
        let rig = try Rig()
        #expect(await rig.send(push(1)) == .accepted)
        reject(rig, status, reason)
        #expect(await rig.send(push(2)) == .accepted)
        #expect(rig.simulator.requests.map(\.connection) == [1, 1, 2])
        #expect(rig.processed[push(2).token.hex] == 1)
        // Where it comes again it is reported, after that one repeat.
        rig.simulator.forgetRequests()
        reject(rig, status, reason, times: nil)
        #expect(await rig.send(push(3)) == .rejected(.init(status: status, reason: reason)))
        #expect(rig.simulator.requests.count == 2)
    }

    @Test("Shutdown is reported at once, and the next push has a new connection")
    func shutdown() async throws {
        let rig = try Rig()
        reject(rig, 503, "Shutdown")
        #expect(await rig.send(push(1)) == .rejected(.init(status: 503, reason: "Shutdown")))
        #expect(await rig.send(push(2)) == .accepted)
        #expect(rig.simulator.requests.map(\.connection) == [1, 2])
    }

    @Test("I7: neither 429 mints a token")
    func noMintForTooMany() async throws {
        let rig = try Rig()
        reject(rig, 429, "TooManyProviderTokenUpdates", times: 5)
        for number in 1...6 { _ = await rig.send(push(number)) }
        #expect(rig.table.history.count == 1)
        #expect(Set(rig.simulator.requests.compactMap { $0.header("authorization") }).count == 1)
    }

    @Test("ExpiredProviderToken on a young token is a clock fault: reported, nothing minted, nothing repeated")
    func expiredYoung() async throws {
        let rig = try Rig()
        reject(rig, 403, "ExpiredProviderToken")
        #expect(await rig.send(push(1)) == .rejected(.init(status: 403, reason: "ExpiredProviderToken")))
        #expect(rig.table.history.count == 1)
        #expect(rig.simulator.requests.count == 1)
    }

    @Test("ExpiredProviderToken on an old token: one mint, one repeat of those that met it, for all of a batch")
    func expiredOld() async throws {
        let table = SharedTokenTable()
        let rig = try Rig(table: table)
        let old = try ProviderToken.mint(key: rig.key, clock: Date() - 25 * 60)
        table.put(old, for: rig.key.id)
        reject(rig, 403, "ExpiredProviderToken", times: 30)
        #expect(await rig.send(pushes(40)).allSatisfy { $0 == .accepted })
        #expect(table.history.count == 1)
        let requests = rig.simulator.requests
        #expect(requests.count == 70)
        #expect(requests.filter { $0.header("authorization") == "bearer " + old.jwt }.count == 40)
        #expect(rig.processed.count == 40)
        #expect(rig.processed.values.allSatisfy { $0 == 1 })
    }

    @Test("ExpiredProviderToken again, with the new token: reported, and no third attempt")
    func expiredTwice() async throws {
        let table = SharedTokenTable()
        let rig = try Rig(table: table)
        table.put(try ProviderToken.mint(key: rig.key, clock: Date() - 25 * 60), for: rig.key.id)
        reject(rig, 403, "ExpiredProviderToken", times: nil)
        #expect(await rig.send(push(1)) == .rejected(.init(status: 403, reason: "ExpiredProviderToken")))
        #expect(table.history.count == 1)
        #expect(rig.simulator.requests.count == 2)
    }

    @Test("A key that APNs does not know is InvalidProviderToken, and stays so")
    func unknownKey() async throws {
        let rig = try Rig()
        rig.simulator.revoke(keyID: rig.key.id.key)
        let outcome = await rig.send(push(1))
        #expect(outcome == .rejected(.init(status: 403, reason: "InvalidProviderToken")))
        #expect(rig.simulator.requests.count == 1)
    }
}
