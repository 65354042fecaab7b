import Foundation
public import HTTPEndpoint
public import PostgresStore
import Synchronization

/// The apps' functions over HTTP, called as the signed-in user, as PostgREST would call them.
///
/// Each call is one transaction that becomes `authenticated` and sets `request.jwt.claims` for its own length, so that
/// it works behind a pooler; the database's own grants and functions decide what the caller may do.
public final class UserRPC: Sendable {
    private let verifier: TokenVerifier
    private let connections: [Connection]
    private let next = Atomic<Int>(0)

    /// After this a statement is given up.
    static let timeout: Duration = .seconds(5)

    /// - Parameters:
    ///   - verifier: Decides whose call it is.
    ///   - connections: Of a login that may become `authenticated`; calls take them in turn.
    public init(verifier: TokenVerifier, connections: [Connection]) {
        self.verifier = verifier
        self.connections = connections
    }

    /// What the HTTP handler offers.
    public var routes: RPCRoutes { RPCRoutes(operations: RPCOperation.all, call: { await self.answer($0) }) }

    /// What keeps calls from being answered, one line each.
    public func obstacles() async -> [String] {
        do {
            _ = try await connection?.transaction(timeout: Self.timeout) { run in try run(Self.signIn("{}")) }
            return []
        } catch {
            return ["RPC_DATABASE_URL: \(error)"]
        }
    }

    /// Answers one call; also what is wrong with it is an answer.
    func answer(_ request: RPCRequest) async -> RPCResponse {
        guard let operation = RPCOperation.all.first(where: { $0.name == request.name }), let connection else {
            return .error(404, code: "PGRST202", message: "Could not find the function \(request.name)")
        }
        let claims: String
        do throws(TokenError) {
            claims = try await verifier.claims(request.authorization)
        } catch {
            return error.response
        }
        let call: RPCCall
        do throws(RPCCall.Refusal) {
            call = try RPCCall(operation, body: request.body)
        } catch {
            return error.response
        }
        do {
            let rows = try await connection.transaction(timeout: Self.timeout) { run in
                _ = try run(Self.signIn(claims))
                return try run(call.statement)
            }
            guard operation.answersObject else { return RPCResponse(status: 204, body: []) }
            return RPCResponse(status: 200, body: Array((rows.first?.first.flatMap(\.self) ?? "null").utf8))
        } catch let error as PostgresError {
            return error.response
        } catch {
            return .error(500, code: "XX000", message: "the call failed")
        }
    }

    private var connection: Connection? {
        connections.isEmpty
            ? nil : connections[(next.wrappingAdd(1, ordering: .relaxed).newValue & Int.max) % connections.count]
    }

    /// Both end with the transaction.
    private static func signIn(_ claims: String) -> Statement {
        Statement(
            "sign in",
            "select set_config('request.jwt.claims', $1, true), set_config('role', 'authenticated', true)", [claims])
    }
}
