import Foundation
import LiveActivity
import TestSupport
import Testing

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

    var address: String { "http://127.0.0.1:\(port)" }

    /// What `/metrics` and its like answer.
    func text(_ path: String) async throws -> String {
        try await Child.run(URL(fileURLWithPath: "/usr/bin/curl"), ["-s", "-m", "30", address + path]).output
    }

    /// Calls with curl and reads the JSON of the answer.
    func call(_ path: String, _ arguments: [String] = []) async throws -> (status: Int, body: JSON) {
        let curl = URL(fileURLWithPath: "/usr/bin/curl")
        let result = try await Child.run(
            curl, ["-s", "-m", "30", "-w", "\n%{http_code}"] + arguments + [address + path])
        let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        let status = Int(lines.last ?? "") ?? 0
        let text = lines.dropLast().joined(separator: "\n")
        return (status, text.isEmpty ? .null : try JSON(parsing: text))
    }
}
