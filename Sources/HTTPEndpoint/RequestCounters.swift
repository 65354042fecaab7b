import Synchronization

/// How many requests came, by path and status, and how many connections were cut for slowness.
package final class RequestCounters: Sendable {
    private struct Key: Hashable {
        var path: String
        var status: Int
    }

    private let requests = Mutex<[Key: Int]>([:])
    private let cut = Atomic<Int>(0)

    /// A path that is none of ours counts as `other`, so that a flood of paths makes no flood of series.
    func count(_ head: RequestHead, _ status: Int) {
        let path = status == 404 ? "other" : head.path
        requests.withLock { $0[Key(path: path, status: status), default: 0] += 1 }
    }

    func countCut(_ number: Int) { cut.add(number, ordering: .relaxed) }

    /// In Prometheus's text form.
    package var prometheus: String {
        let counts = requests.withLock { $0 }.sorted { ($0.key.path, $0.key.status) < ($1.key.path, $1.key.status) }
        let lines = counts.map { key, value in
            "cuecard_http_requests_total{path=\"\(key.path)\",status=\"\(key.status)\"} \(value)\n"
        }
        return """
            # HELP cuecard_http_requests_total HTTP requests answered, by path and status.
            # TYPE cuecard_http_requests_total counter
            \(lines.joined())# HELP cuecard_http_connections_cut_total HTTP connections cut because they were too slow.
            # TYPE cuecard_http_connections_cut_total counter
            cuecard_http_connections_cut_total \(cut.load(ordering: .relaxed))

            """
    }
}
