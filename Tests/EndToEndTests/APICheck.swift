import Foundation
import LiveActivity
import TestSupport
import Testing

@testable import cuecard

/// The running handler held against programs from outside; `scripts/check api` and `scripts/fuzz-http` start these.
@Suite struct APICheck {
    private static let environment = ProcessInfo.processInfo.environment

    private func server() async throws -> Server {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        return try await Server.start(in: world, try await ServeRPCTests.settings(in: world))
    }

    /// Runs a program against the server; it must end well, and the server must still be there.
    private func run(_ program: String, _ arguments: [String], against server: Server) async throws {
        let result = try await Child.run(
            URL(fileURLWithPath: program), arguments, environment: ["HOME": NSTemporaryDirectory(), "NO_COLOR": "1"])
        print(result.output + result.errors)
        #expect(result.code == 0)
        #expect(server.process.isRunning)
        #expect(try await server.call("/healthz").status == 200)
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
        for secret in [ServeRPCTests.token, ServeRPCTests.secret] { #expect(!server.process.errors.contains(secret)) }
    }

    @Test(.enabled(if: environment["SCHEMATHESIS"] != nil))
    func theHandlerDoesWhatOpenAPISays() async throws {
        let server = try await server()
        try await run(
            try #require(Self.environment["SCHEMATHESIS"]),
            [
                "run", server.address + "/openapi.json", "--seed", "1", "--max-examples", "40",
                "--generation-deterministic", "--request-timeout", "20",
                // A valid call may be refused for what the database holds.
                "--exclude-checks", "positive_data_acceptance",
                "-H", "x-cron-secret: secret", "-H", "Authorization: Bearer \(ServeRPCTests.token)",
            ], against: server)
    }

    @Test(.enabled(if: environment["FUZZ_HTTP_SECONDS"] != nil))
    func bytesInAnyFormBreakNothing() async throws {
        let server = try await server()
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Fuzz/HTTP/fuzz.py").standardizedFileURL.path
        try await run(
            "/usr/bin/python3",
            [
                script, server.port, "\(server.process.processID)",
                try #require(Self.environment["FUZZ_HTTP_SECONDS"]), ServeRPCTests.token,
            ], against: server)
    }
}
