/// One of Apple's two push services; a token of one means nothing to the other.
///
/// Builds run from Xcode give sandbox tokens; TestFlight and App Store builds give production tokens.
public enum APNsEnvironment: String, Sendable, Hashable, Codable, CaseIterable {
    case sandbox
    case production
}

extension APNsEnvironment {
    /// The one that a misplaced token may belong to.
    public var other: APNsEnvironment { self == .sandbox ? .production : .sandbox }
}
