import Foundation

/// What the handler answers, as OpenAPI 3.1; `scripts/check api` holds the running handler to it.
struct OpenAPI {
    private typealias Object = [String: Any]

    private let configuration: HTTPEndpoint.Configuration

    init(_ configuration: HTTPEndpoint.Configuration) { self.configuration = configuration }

    /// JSON; empty where it cannot be written, which no configuration brings about.
    var document: [UInt8] {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try JSONSerialization.data(withJSONObject: root, options: options)) } catch { return [] }
    }

    private var root: Object {
        var paths: Object = [
            "/tick": ["post": tick],
            "/healthz": ["get": open("The process lives.", "alive", ["200": json("Alive.", schema(Self.alive))])],
            "/readyz": [
                "get": open(
                    "Whether the database answers, keys work, and no overdue work is left untouched.", "ready",
                    [
                        "200": json("Ready.", schema(Self.readiness)),
                        "503": json("Not ready; each problem is one line.", schema(Self.readiness)),
                    ])
            ],
            "/metrics": [
                "get": open(
                    "Prometheus metrics.", "metrics",
                    [
                        "200": ["description": "Metrics.", "content": ["text/plain": ["schema": ["type": "string"]]]],
                        "503": error("They were not there in time."),
                    ])
            ],
            "/openapi.json": [
                "get": open("This document.", "openapi", ["200": json("OpenAPI 3.1.", ["type": "object"])])
            ],
        ]
        for operation in configuration.rpc?.operations ?? [] {
            paths[Route.rpc(operation).path] = ["post": rpc(operation)]
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Cuecard", "version": "1", "description": "The worker's HTTP handler."],
            "paths": paths, "components": components,
        ]
    }

    private var tick: Object {
        let now: Object = ["now": ["type": "string", "format": "date-time", "description": "The decision time."]]
        return [
            "operationId": "tick", "summary": "Plays one tick: everything due is sent.",
            "security": [["cronSecret": []], ["cronBearer": []]],
            "requestBody": [
                "required": false,
                "content": [
                    "application/json": [
                        "schema": [
                            "type": "object", "additionalProperties": false,
                            "properties": configuration.takesTestClock ? now : Object(),
                        ] as Object
                    ]
                ],
            ] as Object,
            "responses": [
                "200": json("The summary.", schema(Self.summary)),
                "202": json("It goes on; the summary will be in the log.", schema(Self.running)),
                "400": error("The body is malformed or holds an unknown field."),
                "401": error("The secret is missing or wrong."),
                "413": error("The body is too large."),
                "503": error("As many ticks run as may, or the database is away."),
            ] as Object,
        ]
    }

    private func rpc(_ operation: RPCOperation) -> Object {
        let arguments = operation.arguments.map { argument in
            (argument.name, Self.type(argument.type, isRequired: argument.isRequired))
        }
        let required = operation.arguments.filter(\.isRequired).map(\.name)
        var responses: Object = [
            "400": rpcError("An argument is malformed, or the function refused."),
            "401": rpcError("No token, or one that is not valid."),
            "403": rpcError("The caller may not."),
            "404": rpcError("There is no function with these arguments."),
            "409": rpcError("Another call was first."),
            "413": rpcError("The body is too large."),
            "500": rpcError("The database failed."),
            "503": rpcError("The database or the keys cannot be reached, or too many calls are at work."),
            "504": rpcError("The database did not answer in time."),
        ]
        responses[operation.answersObject ? "200" : "204"] =
            operation.answersObject ? json("What the function answers.", ["type": "object"]) : ["description": "Done."]
        return [
            "operationId": operation.name, "summary": operation.summary, "security": [["user": []]],
            "requestBody": [
                "required": !required.isEmpty,
                "content": [
                    "application/json": [
                        "schema": [
                            "type": "object", "additionalProperties": false, "required": required,
                            "properties": Dictionary(uniqueKeysWithValues: arguments),
                        ] as Object
                    ]
                ],
            ] as Object,
            "responses": responses,
        ]
    }

    private static func type(_ type: String, isRequired: Bool) -> Object {
        let null = isRequired ? [] : ["null"]
        return switch type {
        case "boolean": ["type": ["boolean"] + null]
        case "uuid": ["type": ["string"] + null, "format": "uuid"]
        case "timestamp": ["type": ["string"] + null, "description": "A local time, such as 2026-03-02T15:00:00."]
        default: ["type": ["string"] + null]
        }
    }

    // MARK: Parts

    private func open(_ summary: String, _ name: String, _ responses: Object) -> Object {
        ["operationId": name, "summary": summary, "security": [] as [Object], "responses": responses]
    }

    private func json(_ description: String, _ schema: Object) -> Object {
        ["description": description, "content": ["application/json": ["schema": schema]]]
    }

    private func schema(_ name: String) -> Object { ["$ref": "#/components/schemas/\(name)"] }
    private func error(_ description: String) -> Object { json(description, schema(Self.error)) }
    private func rpcError(_ description: String) -> Object { json(description, schema(Self.rpcError)) }

    private static let (alive, readiness, summary) = ("Alive", "Readiness", "Summary")
    private static let (running, error, rpcError) = ("Running", "Error", "RPCError")

    private var components: Object {
        let text: Object = ["type": "string"]
        let count: Object = ["type": "integer", "minimum": 0]
        let counts = ["claimed", "started", "updated", "ended", "woken", "held", "skipped", "failed", "unknown"]
        var summary = Dictionary(uniqueKeysWithValues: (counts + ["duration_ms"]).map { ($0, count) })
        summary["now"] = text
        var schemas: Object = [
            Self.alive: object(["status": text]),
            Self.readiness: object(["ready": ["type": "boolean"], "problems": ["type": "array", "items": text]]),
            Self.running: object(["status": text, "message": text]),
            Self.error: object(["code": text, "message": text, "hint": text]),
            Self.summary: [
                "type": "object", "properties": summary, "required": summary.keys.sorted(),
                "description": "Further fields may come with it.",
            ] as Object,
        ]
        var schemes: Object = [
            "cronSecret": ["type": "apiKey", "in": "header", "name": "x-cron-secret"],
            "cronBearer": ["type": "http", "scheme": "bearer", "description": "CRON_SECRET"],
        ]
        if configuration.rpc != nil {
            let perhaps: Object = ["type": ["string", "null"]]
            schemas[Self.rpcError] = object(["code": text, "message": text, "details": perhaps, "hint": perhaps])
            schemes["user"] = ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]
        }
        return ["schemas": schemas, "securitySchemes": schemes]
    }

    /// An object with exactly these fields.
    private func object(_ properties: Object) -> Object {
        [
            "type": "object", "additionalProperties": false, "properties": properties,
            "required": properties.keys.sorted(),
        ]
    }
}
