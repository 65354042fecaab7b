/// Everything a simulator has seen, at one moment.
public struct SimulatorSnapshot: Sendable {
    /// Every request, in the order of arrival.
    public let requests: [ReceivedRequest]
    /// The phones by id.
    public let phones: [String: Phone]
    /// All cards that ever were, by activity id.
    public let cards: [String: Card]
    /// The numbers.
    public let scoreboard: Scoreboard

    /// The accepted pushes of one kind.
    public func accepted(_ kind: PushKind) -> [ReceivedRequest] {
        requests.filter { $0.kind == kind && $0.verdict == .accepted }
    }

    /// The cards of one phone, oldest first.
    public func cards(on phoneID: String) -> [Card] {
        cards.values.filter { $0.phoneID == phoneID }.sorted { ($0.startedAt, $0.id) < ($1.startedAt, $1.id) }
    }

    /// A line that says how far things went, for an error.
    public var summary: String {
        let counts = PushKind.allCases.map { "\(accepted($0).count) \($0.rawValue)" }
        return "\(requests.count) requests; accepted \(counts.joined(separator: ", "))"
    }
}
