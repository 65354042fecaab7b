/// The functions that `POST /rpc/NAME` offers, and what answers them.
public struct RPCRoutes: Sendable {
    /// What may be called.
    public var operations: [RPCOperation]
    /// Answers one call; it decides who the caller is.
    public var call: @Sendable (RPCRequest) async -> RPCResponse

    /// Routes by their parts.
    public init(operations: [RPCOperation], call: @escaping @Sendable (RPCRequest) async -> RPCResponse) {
        self.operations = operations
        self.call = call
    }
}

/// One function as its callers see it.
public struct RPCOperation: Sendable, Equatable {
    /// A named argument.
    public struct Argument: Sendable, Equatable {
        /// As SQL calls it.
        public var name: String
        /// The SQL type: `uuid`, `text`, `boolean` or `timestamp`.
        public var type: String
        /// Whether a call without it is none.
        public var isRequired: Bool

        /// An argument by its parts.
        public init(_ name: String, _ type: String, isRequired: Bool = false) {
            self.name = name
            self.type = type
            self.isRequired = isRequired
        }
    }

    /// The last part of the path.
    public var name: String
    /// One line for `/openapi.json`.
    public var summary: String
    /// All that it takes.
    public var arguments: [Argument]
    /// Whether it answers a JSON object; otherwise 204 and nothing.
    public var answersObject: Bool

    /// An operation by its parts.
    public init(_ name: String, summary: String, arguments: [Argument], answersObject: Bool = true) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.answersObject = answersObject
    }
}

/// One call.
public struct RPCRequest: Sendable, Equatable {
    /// One of the operations' names.
    public var name: String
    /// The `Authorization` header.
    public var authorization: String?
    /// As it came, within the limit.
    public var body: [UInt8]

    /// A call by its parts.
    public init(name: String, authorization: String?, body: [UInt8]) {
        self.name = name
        self.authorization = authorization
        self.body = body
    }
}

/// The answer to a call.
public struct RPCResponse: Sendable, Equatable {
    /// The HTTP status.
    public var status: Int
    /// JSON; nothing with 204.
    public var body: [UInt8]
    /// The value of `WWW-Authenticate`, which comes with 401.
    public var challenge: String?
    /// The error's code, which the handler counts; nil: no error.
    public var code: String?

    /// An answer whose body is JSON already.
    public init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// An error in PostgREST's form.
    public static func error(
        _ status: Int, code: String, message: String, details: String? = nil, hint: String? = nil,
        challenge: String? = nil
    ) -> RPCResponse {
        let body = Response.json(status, RPCErrorBody(code: code, message: message, details: details, hint: hint)).body
        var response = RPCResponse(status: status, body: body)
        response.challenge = challenge
        response.code = code
        return response
    }
}

private struct RPCErrorBody: Encodable {
    var code: String
    var message: String
    var details: String?
    var hint: String?

    private enum Key: String, CodingKey {
        case code, message, details, hint
    }

    /// Nulls are written, as PostgREST writes them.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: Key.self)
        try fields.encode(code, forKey: .code)
        try fields.encode(message, forKey: .message)
        try fields.encode(details, forKey: .details)
        try fields.encode(hint, forKey: .hint)
    }
}
