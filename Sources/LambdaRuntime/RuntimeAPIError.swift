/// Why Lambda's Runtime API is of no use any more; the process ends, and Lambda starts another one.
public enum RuntimeAPIError: Error, Equatable, CustomStringConvertible {
    /// No whole answer came; the detail is libcurl's word.
    case unreachable(url: String, detail: String)
    /// The answer has another status than the API promises.
    case refused(url: String, status: Int)
    /// The answer lacks this header, or it cannot be read.
    case malformed(url: String, header: String)

    /// One line that names the call and the mend.
    public var description: String {
        switch self {
        case .unreachable(let url, let detail):
            "Lambda's Runtime API gave no answer at \(url): \(detail); AWS_LAMBDA_RUNTIME_API must be what Lambda set"
        case .refused(let url, let status):
            "Lambda's Runtime API answered \(status) at \(url); what was recorded stands, and a new process goes on"
        case .malformed(let url, let header):
            "Lambda's Runtime API answered without a readable \(header) at \(url); an update of Cuecard may know more"
        }
    }
}
