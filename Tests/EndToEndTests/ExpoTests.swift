import HTTPEndpoint
import LiveActivity
import PostgresStore
import Synchronization
import TestSupport
import Testing

/// An app that has only an Expo token: the wake's ticket is kept, and its receipt asked for once, a while later.
@Suite struct ExpoTests {
    /// FR-61: tickets are always ok; the receipt says that the token is gone.
    @Test func theReceiptRemovesTheToken() async throws {
        let paths = Mutex<[String]>([])
        let expo = try HTTPServer(listen: ListenAddress(host: "127.0.0.1", port: 0)) { head, _ in
            paths.withLock { $0.append(head.path) }
            let answer =
                head.path.hasSuffix("/send")
                ? #"{"data":[{"status":"ok","id":"r1"}]}"#
                : #"{"data":{"r1":{"status":"error","message":"gone","details":{"error":"DeviceNotRegistered"}}}}"#
            return Response(status: 200, headers: ["content-type": "application/json"], body: Array(answer.utf8))
        }
        let world = try await World.make(keys: [.production])
        try await world.rpc(
            "mina",
            """
            register_device(device_id => '\(Device.mina)', bundle_id => '\(World.bundleID)',
                apns_environment => 'production', expo_token => 'ExponentPushToken[a]')
            """)
        // A card that must go, and whose token never came.
        _ = try await world.connection.run(
            Statement(
                "card",
                """
                insert into cuecard.run (device_id, user_id, event_id, occurrence, state, started_at)
                values ('\(Device.mina)', 'mina', gen_random_uuid(), '2026-03-02 05:00', 'ending', '2026-03-02 05:00Z')
                """))
        var environment = try world.environment()
        environment["EXPO_PUSH_URL"] = "http://127.0.0.1:\(expo.port)/--/api/v2/push"
        func tick(_ now: String) async throws {
            let result = try await Binary.run(["tick", "--now", now], environment: environment)
            #expect(result.code == 0, "\(result.errors)")
        }
        let seen = "select receipt_id || ' ' || coalesce(receipt_reason, '-') from cuecard.attempt"
        try await tick("2026-03-02T05:10:00Z")
        #expect(try await world.value(seen) == "r1 -")
        try await tick("2026-03-02T05:11:00Z")
        #expect(paths.withLock { $0.map { $0.hasSuffix("/send") } } == [true])

        let hence = "clock_timestamp() - interval '20 min'"
        _ = try await world.connection.run(
            Statement("age", "update cuecard.attempt set answered_at = \(hence), intended_at = \(hence)"))
        _ = try await world.connection.run(
            Statement("age", "update cuecard.device set expo_registered_at = \(hence) - interval '1 h'"))
        try await tick("2026-03-02T05:12:00Z")
        #expect(try await world.value(seen) == "r1 DeviceNotRegistered")
        #expect(try await world.value("select expo_token from cuecard.device") == nil)
        try await tick("2026-03-02T05:40:00Z")
        #expect(paths.withLock { $0.count } == 2)
    }
}
