internal import CLibcurl
internal import Foundation

/// One HTTP call with libcurl, on a thread of its own, since libcurl blocks.
///
/// HTTP/1.1 on a fresh connection each: on a kept or multiplexed one libcurl repeats a POST unasked.
public struct HTTPCall: Sendable {
    /// Where it goes: `https`, or `http` in tests and on this machine.
    public var url: String
    /// JSON to post; nil makes it a GET.
    public var body: [UInt8]?
    /// Each as `Name: value`.
    public var headers: [String] = []
    /// For connecting.
    public var connectDeadline: Duration = .seconds(5)
    /// For the whole call; nil waits without a limit.
    public var deadline: Duration?
    /// Bytes of the longest answer that is read.
    public var longestAnswer = 1 << 20
    /// A PEM file of the roots to trust; nil: where libcurl's build looks, since it heeds no `SSL_CERT_FILE` by itself.
    public var rootsFile: String?
    /// Goes past the proxy that the environment names: the server is on this machine.
    public var bypassesProxy = false

    /// A GET, until it has a body.
    public init(url: String) { self.url = url }

    /// A whole answer, whatever its status.
    public struct Answer: Sendable {
        /// The HTTP status.
        public var status: Int
        /// The body as it came.
        public var body: [UInt8]
        /// With lower-case names.
        var headers: [String: String]

        /// A header's value, by its name in any case; nil: it has none.
        public func header(_ name: String) -> String? { headers[name.lowercased()] }
    }

    /// Why there is no whole answer.
    public struct Failure: Error {
        /// libcurl's word.
        public var reason: String
        /// Not a byte of the request was sent.
        public var isUnsent: Bool
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Makes the call, once.
    public func send() async -> Result<Answer, Failure> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: perform()) }
        }
    }

    private func perform() -> Result<Answer, Failure> {
        guard Self.isReady, let handle = curl_easy_init() else {
            return .failure(Failure(reason: "libcurl did not start", isUnsent: true))
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        for header in headers + ["Content-Type: application/json", "Expect:"] { list = curl_slist_append(list, header) }
        defer { curl_slist_free_all(list) }
        let received = Received(limit: longestAnswer)
        let code = configure(handle, list, received) ?? curl_easy_perform(handle)
        guard code == CURLE_OK else {
            return .failure(
                Failure(
                    reason: String(cString: curl_easy_strerror(code)),
                    isUnsent: cuecard_curl_get_long(handle, CURLINFO_REQUEST_SIZE) == 0))
        }
        return .success(
            Answer(
                status: cuecard_curl_get_long(handle, CURLINFO_RESPONSE_CODE), body: received.bytes,
                headers: headers(of: handle)))
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
            cuecard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(connectDeadline)),
            cuecard_curl_set_list(handle, CURLOPT_HTTPHEADER, list),
            cuecard_curl_set_receiver(handle, receive, Unmanaged.passUnretained(received).toOpaque()),
        ]
        if let deadline { codes.append(cuecard_curl_set_long(handle, CURLOPT_TIMEOUT_MS, milliseconds(deadline))) }
        if let rootsFile { codes.append(cuecard_curl_set_text(handle, CURLOPT_CAINFO, rootsFile)) }
        if bypassesProxy { codes.append(cuecard_curl_set_text(handle, CURLOPT_PROXY, "")) }
        if let body {
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

    private func milliseconds(_ duration: Duration) -> Int {
        Int(duration / .milliseconds(1))
    }
}

/// The body of an answer as it comes in, on the call's thread alone.
private final class Received {
    var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }
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
