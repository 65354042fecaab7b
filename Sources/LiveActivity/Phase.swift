/// Where an occurrence stands.
public enum Phase: String, Sendable, Hashable, Codable, CaseIterable {
    /// Before its start.
    case upcoming
    /// From its start.
    case active
    /// From the later of its start and its end less the app's `ending_lead`.
    case ending
    /// From its close.
    case over
}
