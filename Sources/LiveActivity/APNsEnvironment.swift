/// One of Apple's two push services; a token of one means nothing to the other.
///
/// Builds run from Xcode give sandbox tokens; TestFlight and App Store builds give production tokens.
public enum APNsEnvironment: String, Sendable, Hashable, Codable, CaseIterable {
    case sandbox
    case production
}
