import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// `cuecard serve`, as pg_cron calls it.
@Suite struct ServeTests {
    @Test func aCallWithTheSecretIsATick() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        let server = try await Server.start(in: world)

        #expect(try await server.call("/healthz").status == 200)
        let refused = try await server.call("/tick", ["-X", "POST", "-H", "Authorization: Bearer wrong"])
        #expect(refused.status == 401)
        #expect(refused.body["code"] != nil)
        #expect(refused.body["hint"] != nil)
        #expect(world.simulator.requests.isEmpty)

        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        let body = ["-X", "POST", "-d", #"{"now": "2026-03-02T05:00:00Z"}"#]
        let ticked = try await server.call("/tick", body + ["-H", "Authorization: Bearer secret"])
        #expect(ticked.status == 200)
        #expect(ticked.body["started"] == 1)
        #expect(ticked.body["now"] == "2026-03-02T05:00:00Z")
        #expect(world.simulator.requests.map(\.kind) == [.start])
        let again = try await server.call("/tick", body + ["-H", "x-cron-secret: previous"])
        #expect(again.status == 200)
        #expect(again.body["claimed"] == 0)

        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
    }

    /// FR-64: a slow tick answers 202 within the limit, and finishes though its caller has gone.
    @Test func aSlowTickAnswersAtOnceAndFinishes() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        world.simulator.add(Fault(.delay(.seconds(4))))
        let server = try await Server.start(in: world, ["TICK_RESPONSE_SECONDS": "0.2"])
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        let answer = try await server.call(
            "/tick",
            ["-X", "POST", "-d", #"{"now": "2026-03-02T05:00:00Z"}"#, "-H", "Authorization: Bearer secret"])
        #expect(answer.status == 202)
        try await eventually("the start is recorded") {
            try await world.value("select state from cuecard.run") == "accepted"
        }
        // A stop waits for what runs.
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
        #expect(try await world.value("select count(*) from cuecard.tick where finished_at is not null") == "1")
    }

    @Test func withoutTheTestClockNobodySetsTheTime() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world, words: [])
        let answer = try await server.call(
            "/tick", ["-X", "POST", "-d", #"{"now": "2026-03-02T05:00:00Z"}"#, "-H", "Authorization: Bearer secret"])
        #expect(answer.status == 400)
    }

    /// FR-66: overdue work that no tick came by for three minutes makes the worker not ready, and alive all the same.
    @Test func overdueWorkIsSaidByReadyz() async throws {
        let world = try await World.make(keys: [.production])
        try await world.register(Device.mina, of: "mina")
        // Nobody here has a key for the sandbox: its devices are somebody else's.
        try await world.register(Device.ben, of: "ben", environment: .sandbox)
        let server = try await Server.start(in: world)
        #expect(try await server.call("/readyz").status == 200)

        let past =
            "update cuecard.lane set created_at = now() - interval '10 min', served_at = now() - interval '5 min'"
        _ = try await world.value("with aged as (\(past) where apns_environment = 'sandbox' returning 1) select 1")
        #expect(try await server.call("/readyz").status == 200)
        _ = try await world.value("with aged as (\(past) returning 1) select 1")
        let overdue = try await server.call("/readyz")
        #expect(overdue.status == 503)
        #expect(overdue.body["ready"] == false)
        #expect(overdue.body["problems"]?[0].map { "\($0)".contains("production com.example.family are due") } == true)
        #expect(overdue.body["problems"]?[1] == nil)
        #expect(try await server.call("/healthz").status == 200)
        #expect(try await server.text("/metrics").contains("cuecard_lane_overdue{environment=\"production\""))

        #expect(try await server.call("/tick", ["-X", "POST", "-H", "x-cron-secret: secret"]).status == 200)
        #expect(try await server.call("/readyz").status == 200)
    }

    @Test func metricsTellOfTicksAndPushesAndHoldNoSecret() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        let server = try await Server.start(in: world)
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        let authorised = ["-X", "POST", "-H", "Authorization: Bearer secret", "-d"]
        #expect(try await server.call("/tick", authorised + [#"{"now": "2026-03-02T05:00:00Z"}"#]).status == 200)
        let unknown = try await server.call("/tick", authorised + [#"{"when": "now"}"#])
        #expect(unknown.status == 400)
        #expect(unknown.body["code"] == "unknown_field")
        let metrics = try await server.text("/metrics")
        for line in [
            #"cuecard_ticks_total{result="completed"} 1"#, #"cuecard_ticks_total{result="failed"} 0"#,
            #"cuecard_pushes_total{kind="start",outcome="accepted"} 1"#, "cuecard_tick_duration_seconds_count 1",
            "cuecard_database_up 1", "cuecard_lanes 1",
            #"cuecard_http_refused_requests_total{reason="unknown_field"} 1"#,
        ] { #expect(metrics.contains(line + "\n"), "\(line)") }
        #expect(metrics.contains("\ncuecard_last_tick_timestamp_seconds 1"))
        #expect(!metrics.contains("TESTTEAM01"))
        // Every line of the log has one time, in whole seconds.
        for line in server.process.errors.split(separator: "\n") {
            #expect(line.matches(of: #/\d\d:\d\d:\d\d/#).count == 1, "\(line)")
            #expect(line.firstMatch(of: #/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (info|warning|error) /#) != nil, "\(line)")
        }
    }

    /// A stop lets the batch at work finish, and answers its caller.
    @Test func aStopEndsATickCleanly() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        world.simulator.add(Fault(.delay(.seconds(3))))
        let server = try await Server.start(in: world, ["TICK_RESPONSE_SECONDS": "wait"])
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        async let answer = server.call(
            "/tick", ["-X", "POST", "-d", #"{"now": "2026-03-02T05:00:00Z"}"#, "-H", "x-cron-secret: secret"])
        try await eventually("the start is under way") {
            try await world.value("select count(*) from cuecard.attempt") == "1"
        }
        server.process.signal(SIGTERM)
        #expect(try await answer.status == 200)
        #expect(try await answer.body["started"] == 1)
        #expect(try await server.process.result().code == 0)
        #expect(try await world.value("select count(*) from cuecard.tick where finished_at is not null") == "1")
    }
}
