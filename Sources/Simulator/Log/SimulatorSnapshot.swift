/// Everything a simulator has seen, at one moment.
public struct SimulatorSnapshot: Sendable {
    /// Every request, in the order of arrival.
    public let requests: [ReceivedRequest]

    /// The accepted pushes of one kind.
    public func accepted(_ kind: PushKind) -> [ReceivedRequest] {
        requests.filter { $0.kind == kind && $0.verdict == .accepted }
    }

    /// A line that says how far things went, for an error.
    public var summary: String {
        let counts = PushKind.allCases.map { "\(accepted($0).count) \($0.rawValue)" }
        return "\(requests.count) requests; accepted \(counts.joined(separator: ", "))"
    }
}
