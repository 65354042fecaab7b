import Synchronization

/// How many requests came, by path and status; how many were refused, by reason; what closed without one.
package final class RequestCounters: Sendable {
    private struct Key: Hashable {
        var path: String
        var status: Int
    }

    private let requests = Mutex<[Key: Int]>([:])
    private let refused = Mutex<[String: Int]>([:])
    private let cut = Atomic<Int>(0)
    private let unasked = Atomic<Int>(0)

    /// Counts an answer under one of the handler's own paths, so that a flood of paths makes no flood of series.
    ///
    /// - Parameters:
    ///   - path: A route's, or `other`.
    ///   - status: The answer's.
    ///   - refusal: The error's code where the handler itself refused.
    func count(path: String, _ status: Int, refusal: String?) {
        requests.withLock { $0[Key(path: path, status: status), default: 0] += 1 }
        if let refusal { refused.withLock { $0[refusal, default: 0] += 1 } }
    }

    func countCut(_ number: Int) { cut.add(number, ordering: .relaxed) }

    /// A connection closed before a whole head had come: malformed, too large, cut, or left.
    func countUnasked() { unasked.add(1, ordering: .relaxed) }

    /// In Prometheus's text form.
    package var prometheus: String {
        let counts = requests.withLock { $0 }.sorted { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }
        let lines = counts.map { key, value in
            "cuecard_http_requests_total{path=\"\(key.path)\",status=\"\(key.status)\"} \(value)\n"
        }
        let reasons = refused.withLock { $0 }.sorted { $0.key < $1.key }.map { reason, value in
            "cuecard_http_refused_requests_total{reason=\"\(reason)\"} \(value)\n"
        }
        return """
            # HELP cuecard_http_requests_total HTTP requests answered, by path and status.
            # TYPE cuecard_http_requests_total counter
            \(lines.joined())# HELP cuecard_http_refused_requests_total HTTP requests refused by the handler, by reason.
            # TYPE cuecard_http_refused_requests_total counter
            \(reasons.joined())# HELP cuecard_http_connections_cut_total HTTP connections cut because they were too slow.
            # TYPE cuecard_http_connections_cut_total counter
            cuecard_http_connections_cut_total \(cut.load(ordering: .relaxed))
            # HELP cuecard_http_connections_unasked_total HTTP connections closed before a whole request head had come.
            # TYPE cuecard_http_connections_unasked_total counter
            cuecard_http_connections_unasked_total \(unasked.load(ordering: .relaxed))

            """
    }
}
