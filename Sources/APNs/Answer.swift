import Foundation
import LiveActivity

/// APNs' answer to one push, as it comes in.
struct Answer {
    /// An error body is read to this length; what lies beyond is left out, and the status stays.
    static let longestBody = 16_384

    var status = 0
    var body: [UInt8] = []
    var retryAfter: Int?

    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        body.append(contentsOf: bytes.prefix(Self.longestBody - body.count))
    }

    /// Only 200 is an acceptance; an odd body gives an empty reason.
    var outcome: PushOutcome {
        if status == 200 { return .accepted }
        let error = ErrorBody(body)
        return .rejected(
            .init(
                status: status, reason: error.reason, since: status == 410 ? error.since : nil, retryAfter: retryAfter))
    }
}

/// The JSON that APNs puts into an error answer, and into some GOAWAY frames.
struct ErrorBody {
    /// Apple's word; empty where the body has none.
    let reason: String
    /// `timestamp`, which APNs gives in milliseconds.
    let since: Date?

    init(_ bytes: [UInt8]) {
        let object: [String: Any]
        do {
            object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        } catch {
            object = [:]  // The status alone has to do.
        }
        reason = object["reason"] as? String ?? ""
        since = (object["timestamp"] as? NSNumber).map { Date(timeIntervalSince1970: $0.doubleValue / 1000) }
    }
}
