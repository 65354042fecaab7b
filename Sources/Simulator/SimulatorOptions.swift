public import Foundation

/// How a simulator is set up.
public struct SimulatorOptions: Sendable {
    /// What APNs does with a well-formed token that nobody has.
    public enum UnknownTokens: Sendable, Equatable {
        /// 400 `BadDeviceToken`, as at Apple's.
        case reject
        /// 200; no phone sees the push.
        case accept
        /// A start makes a phone for its token, so that a worker can be tried without any set-up; others are
        /// rejected.
        case adopt
    }

    /// The port of `api.push.apple.com`'s double; 0 means any free one.
    public var productionPort = 0
    /// The port of `api.sandbox.push.apple.com`'s double; 0 means any free one.
    public var sandboxPort = 0
    /// Where the CA certificate is written as PEM; nil writes none.
    public var caFile: String?
    /// The keys whose provider tokens are valid.
    public var keys: [TrustedKey] = []
    /// How connections behave; can be changed later for new ones.
    public var traits = ConnectionTraits.apple
    public var unknownTokens = UnknownTokens.reject
    /// How far ahead a provider token's `iat` may lie, in seconds; Apple publishes no number.
    public var futureTolerance: TimeInterval = 60
    /// The time by which provider tokens age and requests are stamped.
    public var wallClock: @Sendable () -> Date = { Date() }

    public init() {}
}
