import CLibcurl
import Foundation
import LiveActivity

/// One POST of JSON, on a thread of its own, since libcurl blocks.
///
/// HTTP/1.1 on a fresh connection each: on a kept or multiplexed one libcurl repeats a POST unasked.
struct HTTPSCall: Sendable {
    var url: String
    var headers: [String]
    var body: [UInt8]
    /// For connecting, and for the whole call.
    var deadlines: (connect: Duration, whole: Duration)
    /// A PEM file of the roots to trust; nil: where libcurl's build looks, since it heeds no `SSL_CERT_FILE` by itself.
    var rootsFile: String?

    struct Answer: Sendable {
        var status: Int
        var body: [UInt8]
    }

    /// The longest answer read; Expo's to 1000 receipts is under 100 KB.
    private static let longestAnswer = 1 << 20
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func send() async -> Result<Answer, Failure> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: perform()) }
        }
    }

    /// Why there is no whole answer.
    struct Failure: Error {
        var outcome: PushOutcome.Failure
    }

    private func perform() -> Result<Answer, Failure> {
        guard Self.isReady, let handle = curl_easy_init() else {
            return .failure(Failure(outcome: .notProcessed("libcurl did not start")))
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers + ["Content-Type: application/json", "Expect:"] { list = curl_slist_append(list, header) }
        defer { curl_slist_free_all(list) }
        let received = Received(limit: Self.longestAnswer)
        let code = configure(handle, list, received) ?? curl_easy_perform(handle)
        guard code == CURLE_OK else {
            let reason = String(cString: curl_easy_strerror(code))
            let isUnsent = cuecard_curl_get_long(handle, CURLINFO_REQUEST_SIZE) == 0
            return .failure(Failure(outcome: isUnsent ? .notProcessed(reason) : .unknown(reason)))
        }
        return .success(
            Answer(status: cuecard_curl_get_long(handle, CURLINFO_RESPONSE_CODE), body: received.bytes))
    }

    /// Nil where every option was taken.
    private func configure(
        _ handle: UnsafeMutableRawPointer, _ list: UnsafeMutablePointer<curl_slist>?, _ received: Received
    ) -> CURLcode? {
        var codes = [
            cuecard_curl_set_text(handle, CURLOPT_URL, url),
            cuecard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "https,http"),
            cuecard_curl_set_long(handle, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            cuecard_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1),
            cuecard_curl_set_long(handle, CURLOPT_FORBID_REUSE, 1),
            cuecard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            cuecard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(deadlines.connect)),
            cuecard_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds(deadlines.whole)),
            cuecard_curl_set_list(handle, CURLOPT_HTTPHEADER, list),
            body.withUnsafeBytes { cuecard_curl_set_body(handle, $0.baseAddress, curl_off_t($0.count)) },
            cuecard_curl_set_receiver(handle, receive, Unmanaged.passUnretained(received).toOpaque()),
        ]
        if let rootsFile { codes.append(cuecard_curl_set_text(handle, CURLOPT_CAINFO, rootsFile)) }
        return codes.first { $0 != CURLE_OK }
    }

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000)
    }
}

/// The body of an answer as it comes in, on the call's thread alone.
private final class Received {
    var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) {
        self.limit = limit
    }
}

/// libcurl's callback: taking fewer bytes than there are ends the call with an error.
private func receive(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
    guard received.bytes.count + size * count <= received.limit else { return 0 }
    received.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
