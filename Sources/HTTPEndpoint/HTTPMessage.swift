/// What is known of a request before its body.
package struct RequestHead: Sendable, Equatable {
    /// As sent; methods are case-sensitive.
    package var method: String
    /// Decoded, without the query.
    package var path: String
    /// Lower-case names; of a repeated header the last.
    package var headers: [String: String]

    package init(method: String, path: String, headers: [String: String] = [:]) {
        self.method = method
        self.path = path
        self.headers = headers
    }
}

/// One answer.
package struct Response: Sendable, Equatable {
    package var status: Int
    package var headers: [String: String]
    package var body: [UInt8]
    /// The code of an error that the handler itself answers; nil: it is none.
    package var refusal: String?

    package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
