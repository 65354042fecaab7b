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
    /// `timestamp`, which APNs gives in milliseconds; nil where it is no time from 1970 to 9999.
    let since: Date?

    private static let times: ClosedRange<Double> = 0...253_402_300_799_999

    init(_ bytes: [UInt8]) {
        let object: [String: Any]
        do {
            object = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        } catch {
            object = [:]  // The status alone has to do.
        }
        reason = object["reason"] as? String ?? ""
        let milliseconds = (object["timestamp"] as? NSNumber)?.doubleValue
        since = milliseconds.flatMap { Self.times.contains($0) ? Date(timeIntervalSince1970: $0 / 1000) : nil }
    }
}
