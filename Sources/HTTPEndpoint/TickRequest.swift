/// What a caller of `POST /tick` asks for.
public struct TickRequest: Sendable, Equatable {
    /// The `now` of the body, as it was written; it comes only where the configuration takes a test clock.
    public var now: String?

    /// A request for a tick at the given time, or at the present where it is nil.
    public init(now: String? = nil) {
        self.now = now
    }
}

/// What a tick answers its caller.
public struct TickResponse: Sendable, Equatable {
    /// 200 for a completed pass, whatever APNs said.
    public var status: Int
    /// JSON.
    public var body: [UInt8]

    /// An answer with a body that is JSON already, such as the summary.
    public init(status: Int = 200, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// An error in the form of all others: a code for programs, a message and a hint for people.
    public static func error(status: Int, code: String, message: String, hint: String) -> TickResponse {
        TickResponse(status: status, body: Response.error(status, code, message, hint: hint).body)
    }
}
