import Foundation
import LiveActivity
import TestSupport
import Testing

@testable import cuecard

/// `POST /rpc/NAME` of the running binary.
@Suite struct ServeRPCTests {
    /// HS256 with the secret below: {"alg":"HS256"} and {"sub":"mina","role":"authenticated"}.
    static let secret = "a secret of more than thirty-two bytes"
    static let token =
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtaW5hIiwicm9sZSI6ImF1dGhlbnRpY2F0ZWQifQ.bPoiCXvSCAOBCTwM0v1T-qxSrJBQFiRJ53zZVRn5JQg"

    /// A login that may only become `authenticated`.
    static func settings(in world: World) async throws -> [String: String] {
        let login = "rpc_\(world.database.name)"
        try await world.database.sql("create role \(login) login noinherit in role authenticated")
        return ["JWT_SECRET": secret, "RPC_DATABASE_URL": try world.database.url(user: login)]
    }

    @Test func anAppRegistersItsDeviceWithItsUsersToken() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world, try await Self.settings(in: world))
        let body =
            #"{"device_id":"\#(Device.mina)","bundle_id":"com.example.family","apns_environment":"production"}"#
        let call = ["-X", "POST", "-H", "Content-Type: application/json", "-d", body]
        let answer = try await server.call(
            "/rpc/register_device", call + ["-H", "Authorization: Bearer \(Self.token)"])
        #expect(answer.status == 200)
        #expect(answer.body["server_starts"] != nil)
        #expect(try await world.value("select user_id from cuecard.device") == "mina")

        let anonymous = try await server.call("/rpc/register_device", call)
        #expect(anonymous.status == 401)
        #expect(anonymous.body["code"] == "PGRST302")
        #expect(anonymous.body["details"] == .null)
        // The cron secret opens no RPC, and a user's token no tick.
        let cron = try await server.call("/rpc/register_device", call + ["-H", "Authorization: Bearer secret"])
        #expect(cron.status == 401)
        let tick = try await server.call("/tick", ["-X", "POST", "-H", "Authorization: Bearer \(Self.token)"])
        #expect(tick.status == 401)
        let head = try await Child.run(
            URL(fileURLWithPath: "/usr/bin/curl"),
            ["-s", "-i", "-m", "30"] + call + [server.address + "/rpc/report_activity"])
        #expect(head.output.lowercased().contains("www-authenticate: bearer"))

        #expect(try await server.call("/rpc/forget_user", call).status == 404)
        #expect(try await server.call("/rpc/register_device").status == 405)
        #expect(try await server.call("/readyz").status == 200)
        let document = try await server.call("/openapi.json")
        #expect(document.body["paths"]?["/rpc/register_device"] != nil)
        #expect(try await server.text("/metrics").contains(#"refused_requests_total{reason="PGRST302"} 2"#))
        #expect(!server.process.errors.contains(Self.token))
    }

    @Test func withoutItsSettingsThereIsNothing() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world)
        #expect(try await server.call("/rpc/register_device", ["-X", "POST"]).status == 404)
        let document = try await server.call("/openapi.json")
        #expect(document.body["paths"]?["/tick"] != nil)
        #expect(document.body["paths"]?["/rpc/register_device"] == nil)
    }

    @Test(arguments: [
        (["JWT_SECRET": secret], "RPC_DATABASE_URL is missing"),
        (["RPC_DATABASE_URL": "postgresql://x@y/z"], "no key for users' tokens"),
        (["JWT_SECRET": "short", "RPC_DATABASE_URL": "postgresql://x@y/z"], "JWT_SECRET is of no use"),
        (["JWT_JWKS_URL": "http://id.example.com/jwks", "RPC_DATABASE_URL": "x"], "JWT_JWKS_URL is not https"),
        (["JWT_JWKS_FILE": "/nowhere", "RPC_DATABASE_URL": "x"], "JWT_JWKS_FILE names a file"),
    ])
    func halfASettingIsSaid(change: [String: String], words: String) async throws {
        let world = try await World.make()
        let environment = try world.environment().merging(change) { $1 }.merging(["CRON_SECRET": "s"]) { $1 }
        let result = try await Binary.run(["serve", "--listen", "127.0.0.1:0"], environment: environment)
        #expect(result.code == 78)
        #expect(result.errors.contains(words))
        #expect(!result.errors.contains(Self.secret))
    }
}
