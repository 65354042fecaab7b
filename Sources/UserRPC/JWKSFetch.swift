import CLibcurl
public import Foundation

/// One GET of a key set, on a thread of its own, since libcurl blocks.
public struct JWKSFetch: Sendable {
    private let url: String

    /// The longest answer read.
    private static let longestAnswer = 256 * 1024
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// A fetch from an `https` URL, or `http` where it is this machine's own.
    public init(url: URL) { self.url = url.absoluteString }

    /// Within 10 seconds.
    public func run() async -> Result<KeySet, KeySet.Problem> {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: perform()) }
        }
    }

    private func perform() -> Result<KeySet, KeySet.Problem> {
        guard Self.isReady, let handle = curl_easy_init() else {
            return .failure(KeySet.Problem(description: "libcurl did not start"))
        }
        defer { curl_easy_cleanup(handle) }
        let received = Received(limit: Self.longestAnswer)
        let settings = [
            cuecard_curl_set_text(handle, CURLOPT_URL, url),
            cuecard_curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "https,http"),
            cuecard_curl_set_long(handle, CURLOPT_NOSIGNAL, 1),
            cuecard_curl_set_long(handle, CURLOPT_CONNECTTIMEOUT_MS, 5000),
            cuecard_curl_set_long(handle, CURLOPT_TIMEOUT_MS, 10_000),
            cuecard_curl_set_receiver(handle, receive, Unmanaged.passUnretained(received).toOpaque()),
        ]
        let code = settings.first { $0 != CURLE_OK } ?? curl_easy_perform(handle)
        guard code == CURLE_OK else {
            return .failure(KeySet.Problem(description: String(cString: curl_easy_strerror(code))))
        }
        let status = cuecard_curl_get_long(handle, CURLINFO_RESPONSE_CODE)
        guard status == 200 else { return .failure(KeySet.Problem(description: "the answer is HTTP \(status)")) }
        do throws(KeySet.Problem) {
            return .success(try KeySet(json: Data(received.bytes), takesSecrets: false))
        } catch {
            return .failure(error)
        }
    }
}

/// The body as it comes in, on the fetch's thread alone.
private final class Received {
    var bytes: [UInt8] = []
    let limit: Int

    init(limit: Int) { self.limit = limit }
}

/// libcurl's callback: taking fewer bytes than there are ends the fetch with an error.
private func receive(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let received = Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
    guard received.bytes.count + size * count <= received.limit else { return 0 }
    received.bytes += UnsafeRawBufferPointer(start: bytes, count: size * count)
    return size * count
}
