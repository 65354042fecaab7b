import Foundation
import LiveActivity
import Planning
import PostgresStore
import Testing
import Tick

/// Wakes through Expo: what it says later, and what it says of tokens that are not the project's.
@Suite("Expo's receipts")
struct ReceiptTests {
    /// A phone with an Expo token alone, and a wake of it that Expo took so many minutes ago.
    private func world(minutesAgo minutes: Int) async throws -> World {
        let world = try await World.withEvent()
        try await world.register("ann", 1, expo: "ExponentPushToken[a]")
        try await world.sql("update cuecard.device set expo_registered_at = clock_timestamp() - interval '2 h'")
        try await world.sql(
            """
            insert into cuecard.attempt (id, tick_id, device_id, event, cause, outcome, decided_at, intended_at, answered_at, receipt_id)
            values ($1::uuid, $1::uuid, $2::uuid, 'wake', 'update', 'accepted', t, t, t, 'r1')
            """.replacing(
                "t, t, t",
                with: Array(repeating: "clock_timestamp() - interval '\(minutes) min'", count: 3).joined(
                    separator: ", ")),
            id(81), id(1))
        return world
    }

    @Test(
        "FR-61: a receipt is asked for once, and between 15 and 60 minutes later",
        arguments: [(14, 0), (16, 1), (59, 1), (61, 0)])
    func ripe(minutes: Int, asked: Int) async throws {
        let world = try await world(minutesAgo: minutes)
        let worker = try world.worker()
        #expect(
            try await worker.beginTick(UUID(), at: Date()).receipts.map(\.receipt)
                == Array(repeating: "r1", count: asked))
        #expect(try await worker.beginTick(UUID(), at: Date()).receipts == [])
    }

    @Test(
        "FR-61: DeviceNotRegistered in the receipt removes the token that was sent to",
        arguments: ["ok", "MessageTooBig", "DeviceNotRegistered"])
    func said(word: String) async throws {
        let world = try await world(minutesAgo: 20)
        let attempt = try #require(UUID(uuidString: id(81)))
        try await world.worker().recordReceipts([attempt: word])
        #expect(try await world.device(1, "expo_token is null") == (word == "DeviceNotRegistered" ? "t" : "f"))
        #expect(try await world.value("select receipt_reason from cuecard.attempt") == word)
    }

    @Test("FR-61: a missing receipt removes nothing, and a token told since the wake stays")
    func missingOrToldSince() async throws {
        let world = try await world(minutesAgo: 20)
        try await world.worker().recordReceipts([:])
        #expect(try await world.device(1, "expo_token is null") == "f")
        try await world.register("ann", 1, expo: "ExponentPushToken[b]")
        let attempt = try #require(UUID(uuidString: id(81)))
        try await world.worker().recordReceipts([attempt: "DeviceNotRegistered"])
        #expect(try await world.device(1, "expo_token") == "ExponentPushToken[b]")
    }

    @Test("FR-59: a token of another project is kept and not tried again for a day, or until another one is told")
    func quarantine() async throws {
        let now = Date(timeIntervalSince1970: 1_780_302_600)  // 2026-06-01 08:30Z
        let world = try await World.withEvent()
        try await world.register("ann", 1, expo: "ExponentPushToken[a]")
        let apns = APNs()
        apns.answerExpo = { _ in .init(.rejected(.init(status: 400, reason: "PUSH_TOO_MANY_EXPERIENCE_IDS"))) }
        // Three cards, hours apart, that must go and have no token.
        for hour in 0..<3 {
            try await world.run(
                20 + hour, event: id(70 + hour), occurrence: "2026-06-01 07:00", state: "ending",
                ["started_at": "'\((now + Double(hour) * 7200 - 3600).rfc3339)'"])
            try await world.sql("update cuecard.device set next_due_at = '-infinity'")
            for minute in 0..<3 {
                _ = try await tick(
                    at: now + Double(hour) * 7200 + Double(minute) * 1200, with: apns.clients(world.worker()))
            }
        }
        #expect(apns.wakes.count == 1)
        #expect(try await world.device(1, "expo_token") == "ExponentPushToken[a]")
        try await world.register("ann", 1, expo: "ExponentPushToken[b]")
        _ = try await tick(at: now + 20000, with: apns.clients(world.worker()))
        #expect(apns.wakes.map(\.token) == ["ExponentPushToken[a]", "ExponentPushToken[b]"])
    }
}
