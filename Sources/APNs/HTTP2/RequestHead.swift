import CNghttp2
import Foundation
import LiveActivity

/// The header fields of a push: what many pushes share lies here once, and nghttp2 reads it in place.
///
/// One block serves every push of the same provider token, topic, type and priority.
final class RequestHead {
    /// What tells one block from another.
    struct Key: Hashable {
        let authorization: String
        let topic: String
        let pushType: String
        let priority: Int
    }

    private let text: UnsafeMutablePointer<UInt8>
    private var fields: [nghttp2_nv] = []
    /// Where the fields that differ from push to push stand.
    ///
    /// Pseudo-fields come first (RFC 9113 section 8.3).
    private static let path = 3

    init(_ key: Key, authority: String) {
        let shared = [
            (":method", "POST"), (":scheme", "https"), (":authority", authority), (":path", ""),
            ("authorization", key.authorization), ("apns-topic", key.topic), ("apns-push-type", key.pushType),
            ("apns-priority", String(key.priority)), ("apns-id", ""), ("apns-expiration", ""), ("apns-collapse-id", ""),
        ]
        let bytes = Array(shared.map { $0.0 + $0.1 }.joined().utf8)
        text = .allocate(capacity: bytes.count)
        text.initialize(from: bytes, count: bytes.count)
        let inPlace = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
        var next = text
        for (name, value) in shared {
            fields.append(
                nghttp2_nv(
                    name: next, value: next + name.utf8.count, namelen: name.utf8.count, valuelen: value.utf8.count,
                    flags: UInt8(inPlace)))
            next += name.utf8.count + value.utf8.count
        }
    }

    deinit { text.deallocate() }

    /// Calls `body` with all fields of one push, which are valid during the call.
    ///
    /// What differs from push to push is never indexed: it would drive the provider token out of HPACK's small table.
    func withFields<Result>(of push: Push, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        let own = ["/3/device/" + push.token.hex, push.id.uuidString.lowercased(), String(push.expiration)]
        var values = Array((own.joined() + (push.collapseID ?? "")).utf8)
        let flags = UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        return values.withUnsafeMutableBufferPointer { values in
            var fields = self.fields
            var next = values.baseAddress
            for (index, length) in zip([Self.path, 8, 9], own.map(\.utf8.count)) {
                fields[index].value = next
                fields[index].valuelen = length
                fields[index].flags = flags
                next = next.map { $0 + length }
            }
            if let collapseID = push.collapseID {
                fields[10].value = next
                fields[10].valuelen = collapseID.utf8.count
                fields[10].flags = flags
            } else {
                fields.removeLast()
            }
            return fields.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }
}
