public import Foundation

/// An error answer of APNs: status, reason, and what comes with it.
///
/// Source: "Handling notification responses from APNs" (Apple).
public struct Rejection: Error, Sendable, Hashable {
    /// The HTTP status, 400 to 599.
    public var status: Int
    /// Apple's word, such as `BadDeviceToken`.
    public var reason: String
    /// With a 410: since when the token is no longer valid; sent as Unix milliseconds.
    public var since: Date?
    /// Sent as a `Retry-After` header in seconds where given.
    public var retryAfter: Int?

    /// An error answer; most have no time.
    public init(_ status: Int, _ reason: String, since: Date? = nil, retryAfter: Int? = nil) {
        self.status = status
        self.reason = reason
        self.since = since
        self.retryAfter = retryAfter
    }
}

extension Rejection {
    /// The answer as APNs words it.
    func response(id: String?) -> HTTPResponse {
        var body = "{\"reason\":\"\(reason)\""
        if let since { body += ",\"timestamp\":\(Int64((since.timeIntervalSince1970 * 1000).rounded()))" }
        var headers = [HeaderField("content-type", "application/json")]
        if let id { headers.append(HeaderField("apns-id", id)) }
        if let retryAfter { headers.append(HeaderField("retry-after", String(retryAfter))) }
        return HTTPResponse(status: status, headers: headers, body: reason.isEmpty ? [] : Array((body + "}").utf8))
    }
}
