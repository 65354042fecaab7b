import Foundation
import HTTPEndpoint
import PostgresStore

/// One call as a statement; the arguments travel as JSON, and Postgres converts them as it does for PostgREST.
struct RPCCall {
    let statement: Statement

    /// Why there is no call.
    enum Refusal: Error {
        case malformed
        case noSuchFunction(RPCOperation, given: [String])

        var response: RPCResponse {
            switch self {
            case .malformed:
                .error(
                    400, code: "PGRST102", message: "Empty or invalid json",
                    hint: "Send the arguments as one JSON object.")
            case .noSuchFunction(let operation, let given):
                .error(
                    404, code: "PGRST202",
                    message: "Could not find the function cuecard.\(operation.name) with these arguments",
                    details: "Given: "
                        + given.sorted().prefix(20).map { String($0.prefix(40)) }.joined(separator: ", "),
                    hint: "It takes "
                        + operation.arguments.map { $0.name + ($0.isRequired ? " (needed)" : "") }
                        .joined(separator: ", "))
            }
        }
    }

    init(_ operation: RPCOperation, body: [UInt8]) throws(Refusal) {
        let given = try Self.names(in: body)
        let taken = operation.arguments.filter { given.contains($0.name) }
        guard taken.count == given.count, operation.arguments.allSatisfy({ !$0.isRequired || given.contains($0.name) })
        else { throw .noSuchFunction(operation, given: given) }
        // The names come from our own list, never from the caller.
        let arguments = taken.map { "\($0.name) => given.\($0.name)" }.joined(separator: ", ")
        let columns = taken.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
        guard !taken.isEmpty else {
            statement = Statement(operation.name, "select cuecard.\(operation.name)()")
            return
        }
        statement = Statement(
            operation.name,
            "select cuecard.\(operation.name)(\(arguments)) from json_to_record($1::json) as given(\(columns))",
            [String(decoding: body, as: UTF8.self)])
    }

    private static func names(in body: [UInt8]) throws(Refusal) -> [String] {
        guard !body.isEmpty else { return [] }
        // Foundation also reads UTF-16, which Postgres would not.
        guard String(validating: body, as: UTF8.self) != nil, !body.contains(0) else { throw .malformed }
        do {
            guard let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
                throw Refusal.malformed
            }
            return Array(object.keys)
        } catch {
            throw .malformed
        }
    }
}
