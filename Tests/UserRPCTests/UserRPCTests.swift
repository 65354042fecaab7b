import Foundation
import HTTPEndpoint
import LiveActivity
import PostgresStore
import TestSupport
import Testing

@testable import UserRPC

/// The functions called through a real Postgres, by a login that may only become `authenticated`.
@Suite("RPCs as a signed-in user") struct UserRPCTests {
    private static let device = "11111111-1111-4111-8111-111111111111"

    private struct World {
        let database: TestDatabase
        let rpc: UserRPC

        static func make() async throws -> World {
            let database = try await TestDatabase.fresh()
            let login = "rpc_\(database.name)"
            try await database.sql("create role \(login) login noinherit in role authenticated")
            try await database.sql(
                "insert into cuecard.app (bundle_id, attributes_type) values ('com.example.app', 'EventAttributes')")
            let verifier = TokenVerifier(
                keys: try KeySet(secret: TokenVerifierTests.secret), remote: nil, now: { TokenVerifierTests.now })
            return World(
                database: database,
                rpc: UserRPC(verifier: verifier, connections: [Connection(url: try database.url(user: login))]))
        }

        func call(_ name: String, _ body: String, as user: String = "mina") async throws -> (status: Int, body: JSON) {
            let token = try await hs256(#"{"sub":"\#(user)"}"#, secret: TokenVerifierTests.secret)
            let answer = await rpc.answer(
                RPCRequest(name: name, authorization: "Bearer \(token)", body: Array(body.utf8)))
            let text = String(decoding: answer.body, as: UTF8.self)
            return (answer.status, text.isEmpty ? .null : try JSON(parsing: text))
        }
    }

    private var registration: String {
        #"{"device_id":"\#(Self.device)","bundle_id":"com.example.app","apns_environment":"production","shows_shared":false}"#
    }

    @Test("what is offered is what the database has: names, arguments, types, defaults, answers")
    func signatures() async throws {
        let world = try await World.make()
        for operation in RPCOperation.all {
            let found = try await world.database.sql(
                """
                select string_agg(a.name || ':' || replace(format_type(a.type, null), ' without time zone', '')
                        || case when a.n <= p.pronargs - p.pronargdefaults then '!' else '' end, ' ' order by a.n)
                    || ' ' || (p.prorettype <> 'void'::regtype)
                from pg_proc p, unnest(p.proargnames, p.proargtypes::oid[]) with ordinality a (name, type, n)
                where p.pronamespace = 'cuecard'::regnamespace and p.proname = '\(operation.name)'
                group by p.oid, p.prorettype
                """)
            let ours = operation.arguments.map { "\($0.name):\($0.type)\($0.isRequired ? "!" : "")" }
            #expect(found == (ours + ["\(operation.answersObject)"]).joined(separator: " "))
        }
    }

    @Test("a device is registered for the token's user, and nothing of it outlives the transaction")
    func registers() async throws {
        let world = try await World.make()
        let answer = try await world.call("register_device", registration)
        #expect(answer.status == 200)
        #expect(answer.body["server_starts"] != nil)
        #expect(
            try await world.database.sql("select user_id, bundle_id, shows_shared from cuecard.device")
                == "mina|com.example.app|f")
        // The next call on the same connection is another user's.
        #expect(try await world.call("unregister_device", #"{"device_id":"\#(Self.device)"}"#, as: "ben").status != 204)
        #expect(try await world.call("unregister_device", #"{"device_id":"\#(Self.device)"}"#).status == 204)
        #expect(try await world.database.sql("select unregistered_at is not null from cuecard.device") == "t")
        #expect(await world.rpc.obstacles() == [])
    }

    @Test("another user's device is 403 with Postgres's code and hint")
    func forbidden() async throws {
        let world = try await World.make()
        _ = try await world.call("register_device", registration)
        let answer = try await world.call("register_device", registration, as: "ben")
        #expect(answer.status == 403)
        #expect(answer.body["code"] == "42501")
        #expect(answer.body["hint"] != .null)
        #expect(answer.body["details"] == .null)
    }

    @Test("arguments that Postgres or the function refuses are 400, in PostgREST's form")
    func refused() async throws {
        let world = try await World.make()
        for (name, body, code) in [
            ("register_device", #"{"device_id":"no uuid"}"#, "22P02"),
            ("register_device", #"{"device_id":"\#(Self.device)","bundle_id":"a","shows_shared":"perhaps"}"#, "22P02"),
            ("report_activity", #"{"run_id":"\#(Self.device)","state":"flown"}"#, "22023"),
        ] {
            let answer = try await world.call(name, body)
            #expect(answer.status == 400)
            #expect(answer.body["code"] == .string(code))
            guard case .object(let fields) = answer.body else {
                Issue.record("no object")
                continue
            }
            #expect(fields.keys.sorted() == ["code", "details", "hint", "message"])
        }
    }

    @Test("a malformed body is 400, an unknown or a missing argument 404, and nothing reaches Postgres as SQL")
    func shapes() async throws {
        let world = try await World.make()
        for body in ["[]", "7", "{", "\"a\"", "{\"device_id\":\"\u{0}\"}", "nonsense", #"{"a":1}}"#] {
            let answer = try await world.call("register_device", body)
            #expect(answer.status == 400)
            #expect(answer.body["code"] == "PGRST102")
        }
        for body in [
            "", "{}", #"{"device_id":"\#(Self.device)","colour":"red"}"#,
            #"{"device_id":"\#(Self.device)","bundle_id => 1); drop table cuecard.run; --":1}"#,
        ] {
            let answer = try await world.call("register_device", body)
            #expect(answer.status == 404)
            #expect(answer.body["code"] == "PGRST202")
        }
    }

    @Test(
        "SQLSTATEs become PostgREST's statuses",
        arguments: [
            ("42501", 403), ("28000", 403), ("22023", 400), ("P0001", 400), ("P0002", 500), ("22P02", 400),
            ("23505", 409), ("23503", 409), ("23514", 400), ("42883", 404), ("42P01", 404), ("40001", 500),
            ("57014", 500), ("53300", 503), ("08006", 503), ("55P03", 500), ("XX000", 500),
        ])
    func statuses(code: String, status: Int) async throws {
        let world = try await World.make()
        try await world.database.sql(
            """
            create or replace function cuecard.unregister_device(device_id uuid) returns void language plpgsql as $$
            begin raise exception 'no' using errcode = '\(code)', detail = 'why', hint = 'mend'; end $$
            """)
        let answer = try await world.call("unregister_device", #"{"device_id":"\#(Self.device)"}"#)
        #expect(answer.status == status)
        #expect(answer.body == ["code": .string(code), "message": "no", "details": "why", "hint": "mend"])
    }

    @Test("a database that is away is 503, and its words are not passed on")
    func away() async throws {
        let verifier = TokenVerifier(
            keys: try KeySet(secret: TokenVerifierTests.secret), remote: nil, now: { TokenVerifierTests.now })
        let rpc = UserRPC(
            verifier: verifier, connections: [Connection(url: "postgresql://secretuser@127.0.0.1:1/x")])
        let token = try await hs256(#"{"sub":"mina"}"#, secret: TokenVerifierTests.secret)
        let answer = await rpc.answer(
            RPCRequest(name: "register_activity", authorization: "Bearer \(token)", body: Array("{}".utf8)))
        #expect(answer.status == 503)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains("secretuser"))
        #expect(await rpc.obstacles().count == 1)
    }

    @Test("without a good token nothing is asked of the database, and the answer challenges without showing the token")
    func unauthorised() async throws {
        let world = try await World.make()
        for (header, code) in [(nil, "PGRST302"), ("Bearer nonsense", "PGRST301"), ("Basic eDp5", "PGRST302")] {
            let answer = await world.rpc.answer(
                RPCRequest(name: "register_device", authorization: header, body: Array(registration.utf8)))
            #expect(answer.status == 401)
            #expect(answer.challenge?.hasPrefix("Bearer") == true)
            let body = try JSON(parsing: String(decoding: answer.body, as: UTF8.self))
            #expect(body["code"] == .string(code))
            #expect(!"\(body) \(answer.challenge ?? "")".contains("nonsense"))
        }
        let expired = try await hs256(#"{"sub":"m","exp":1}"#, secret: TokenVerifierTests.secret)
        let answer = await world.rpc.answer(
            RPCRequest(name: "register_device", authorization: "Bearer \(expired)", body: []))
        #expect(answer.challenge == #"Bearer error="invalid_token", error_description="JWT expired""#)
    }
}
