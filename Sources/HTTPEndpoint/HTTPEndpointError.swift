/// Why the handler cannot serve.
public enum HTTPEndpointError: Error, Equatable, CustomStringConvertible {
    /// `LISTEN` is not `HOST:PORT`.
    case malformedAddress(String)
    /// No secret, or an empty one.
    case noSecret
    /// Another process listens there.
    case portInUse(ListenAddress)
    /// The system refuses the address; the detail is its word.
    case cannotListen(ListenAddress, detail: String)
    /// The HTTP library did not start.
    case notStarted

    /// One line that names the mend.
    public var description: String {
        switch self {
        case .malformedAddress(let text):
            "LISTEN: \"\(text)\" is no address: write HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080"
        case .noSecret:
            "CRON_SECRET is empty: set it to a long random text, and give the same to the caller of /tick"
        case .portInUse(let address):
            "LISTEN: \(address) is in use: stop the process that listens there or choose another port"
        case .cannotListen(let address, let detail):
            "LISTEN: cannot listen on \(address): \(detail): choose an address of this machine and a port from 1024 on"
        case .notStarted:
            "the HTTP handler did not start: the process may have too few file descriptors or threads (ulimit -n, -u)"
        }
    }
}
