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
}

/// A running `cuecard serve` on a port of its own.
struct Server {
    let process: Child
    let port: String

    static func start(
        in world: World, _ change: [String: String] = [:], secret: String = "secret", words: [String] = ["--test-clock"]
    ) async throws -> Server {
        var environment = try world.environment().merging(change) { $1 }
        environment["CRON_SECRET"] = secret
        environment["CRON_SECRET_PREVIOUS"] = "previous"
        let process = try Binary.start(["serve", "--listen", "127.0.0.1:0"] + words, environment: environment)
        try await eventually("it listens") { process.errors.contains("port ") }
        let port = try #require(process.errors.firstMatch(of: /port (\d+)/)?.1)
        return Server(process: process, port: String(port))
    }

    func call(_ path: String, _ arguments: [String] = []) async throws -> (status: Int, body: JSON) {
        let curl = URL(fileURLWithPath: "/usr/bin/curl")
        let result = try await Child.run(
            curl, ["-s", "-m", "30", "-w", "\n%{http_code}"] + arguments + ["http://127.0.0.1:\(port)\(path)"])
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = Int(lines.last ?? "") ?? 0
        let text = lines.dropLast().joined(separator: "\n")
        return (status, text.isEmpty ? .null : try JSON(parsing: text))
    }
}
