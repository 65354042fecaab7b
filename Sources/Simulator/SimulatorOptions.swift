public import Foundation

/// How a simulator is set up.
public struct SimulatorOptions: Sendable {
    /// What APNs does with a well-formed token that nobody has.
    public enum UnknownTokens: Sendable, Equatable {
        /// 400 `BadDeviceToken`, as at Apple's.
        case reject
        /// 200; no phone sees the push.
        case accept
        /// A start makes a phone for its token, so that a worker can be tried without any set-up; a wake is answered
        /// 200 and seen by nobody, others are rejected.
        case adopt
    }

    /// The port of `api.push.apple.com`'s double; 0 means any free one.
    public var productionPort: Int
    /// The port of `api.sandbox.push.apple.com`'s double; 0 means any free one.
    public var sandboxPort: Int
    /// Where the CA certificate is written as PEM; nil writes none.
    public var caFile: String?
    /// The keys whose provider tokens are valid.
    public var keys: [TrustedKey] = []
    /// How connections behave; can be changed later for new ones.
    public var traits = ConnectionTraits.apple
    /// What APNs does with a well-formed token that nobody has.
    public var unknownTokens = UnknownTokens.reject
    /// The number of the first phone that is made for an unknown token; another number gives other activity ids.
    public var firstAdopted = 1
    /// How far ahead a provider token's `iat` may lie, in seconds; Apple publishes no number.
    public var futureTolerance: TimeInterval = 60
    /// The time by which provider tokens age and requests are stamped.
    public var wallClock: @Sendable () -> Date
    /// What the phones' clocks show; nil means the wall clock.
    public var phoneClock: PhoneClock?
    /// How the apps on the phones reach their server; nil means that nobody listens.
    public var voice: PhoneVoice?
    /// Where cards say what they are about.
    public var cardKeys = CardKeys()
    /// What the system allows.
    public var limits = PhoneLimits()

    /// The log keeps about so many requests, the newest; the numbers count all.
    public var logLimit = 100_000

    /// No keys, Apple's strictness, real time, silent phones.
    ///
    /// Production listens on `port` and sandbox on the next one; 0 means free ones for both.
    public init(port: Int = 0, wallClock: @escaping @Sendable () -> Date) {
        self.wallClock = wallClock
        productionPort = port
        sandboxPort = port == 0 ? 0 : port + 1
    }
}

/// What iOS allows; Apple publishes few of these numbers.
public struct PhoneLimits: Sendable, Hashable {
    /// Starts by push in any hour, more are dropped (an Apple engineer speaks of about ten in a short time).
    public var startsPerHour = 10
    /// Background pushes in any hour, more are held back ("two or three", says Apple).
    public var wakesPerHour = 3
    /// Cards of one app that run at once.
    public var runningCards = 5
    /// The system ends a card after so many seconds: 8 h.
    public var lifetime: TimeInterval = 8 * 3600
    /// An ended card stays on the Lock Screen for so many seconds at most: 4 h.
    public var linger: TimeInterval = 4 * 3600
    /// Content dated so many seconds ahead is dropped: 8 h.
    public var futureTimestamp: TimeInterval = 8 * 3600
    /// A second card of an occurrence is a renewal, not a double, where the first was sent so many seconds before: 7 h.
    public var renewalAge: TimeInterval = 7 * 3600
    /// A card that runs so many seconds past its close is left over.
    public var overdueAfter: TimeInterval = 180

    /// The numbers known in public.
    public init() {}
}
