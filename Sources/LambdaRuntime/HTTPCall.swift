import CLibcurl
import Foundation

/// One call of the Runtime API, on a thread of its own, since libcurl blocks.
struct HTTPCall: Sendable {
    var url: String
    /// What is posted; nil makes it a GET, which waits for its answer without a limit.
    var body: [UInt8]?
    var headers: [String] = []

    init(url: String) { self.url = url }

    struct Answer: Sendable {
        var status: Int
        /// With lower-case names.
        var headers: [String: String]
        var body: [UInt8]

        func header(_ name: String) -> String? { headers[name.lowercased()] }
    }

    /// Lambda's own limit for what an asynchronous caller sends is 1 MB, for others 6 MB.
    private static let longestAnswer = 8 << 20
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    func send() async throws(RuntimeAPIError) -> Answer {
        let result = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: perform()) }
        }
        return try result.get()
    }

    private func perform() -> Result<Answer, RuntimeAPIError> {
        guard Self.isReady, let handle = curl_easy_init() else {
            return .failure(.unreachable(url: url, detail: "libcurl did not start"))
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers + ["Content-Type: application/json", "Expect:"] { list = curl_slist_append(list, header) }
        defer { curl_slist_free_all(list) }
        let received = Received(limit: Self.longestAnswer)
        let code = configure(handle, list, received) ?? curl_easy_perform(handle)
        guard code == CURLE_OK else {
            return .failure(.unreachable(url: url, detail: String(cString: curl_easy_strerror(code))))
        }
        return .success(
            Answer(
                status: cuecard_curl_get_long(handle, CURLINFO_RESPONSE_CODE), headers: headers(of: handle),
                body: received.bytes))
    }

    /// Nil where every option was taken.
    private func configure(
        _ handle: UnsafeMutableRawPointer, _ list: UnsafeMutablePointer<curl_slist>?, _ received: Received
    ) -> CURLcode? {
        var codes = [
            cuecard_curl_set_text(handle, CURLOPT_URL, url),
            cuecard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "http"),
            // The API is on this machine, whatever proxy the others go through.
            cuecard_curl_set_text(handle, CURLOPT_PROXY, ""),
            cuecard_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1),
            cuecard_curl_set_long(handle, CURLOPT_FORBID_REUSE, 1),
            cuecard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            cuecard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, 5_000),
            cuecard_curl_set_list(handle, CURLOPT_HTTPHEADER, list),
            cuecard_curl_set_receiver(handle, receive, Unmanaged.passUnretained(received).toOpaque()),
        ]
        if let body {
            codes.append(cuecard_curl_set_long(handle, CURLOPT_TIMEOUT_MS, 10_000))
            codes.append(
                body.withUnsafeBytes { cuecard_curl_set_body(handle, $0.baseAddress, curl_off_t($0.count)) })
        }
        return codes.first { $0 != CURLE_OK }
    }

    private func headers(of handle: UnsafeMutableRawPointer) -> [String: String] {
        var headers: [String: String] = [:]
        var last: UnsafeMutablePointer<curl_header>?
        while let header = curl_easy_nextheader(handle, UInt32(CURLH_HEADER), -1, last) {
            headers[String(cString: header.pointee.name).lowercased()] = String(cString: header.pointee.value)
            last = header
        }
        return headers
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
