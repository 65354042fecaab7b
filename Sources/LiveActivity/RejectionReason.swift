/// What an error answer of APNs means for whoever sent the push.
///
/// Source: "Handling notification responses from APNs" (Apple). Apple may add reasons at any time, so that every
/// status and every text has a meaning here.
public enum RejectionReason: Sendable, Hashable, CaseIterable {
    /// 410: the token is gone since ``PushOutcome/Rejection/since``. Clear it, unless it was registered later.
    case tokenDead
    /// `BadDeviceToken`: the token is wrong, or it belongs to the other environment. Never retry it there.
    case tokenOrEnvironmentWrong
    /// Expo takes the token for another project's, which need not be so: keep it, and leave it alone for a while.
    case tokenOfAnotherProject
    /// The token is of another topic: a fault in the configuration. Keep the token.
    case topicMismatch
    /// The key, the team or the key's topics are refused: stop what uses that key, and keep every token.
    case credential
    /// The provider token is too old, as APNs sees it. The sender has replaced it where that could help; what is still
    /// reported is a fault of a clock.
    case providerTokenExpired
    /// The provider token changed too often. Keep it and pause; another new one would make it worse.
    case tooManyProviderTokenUpdates
    /// Too many pushes to one device token: send only the newest state, later.
    case tooManyRequests
    /// The request is malformed: drop it and report the fault. Keep the token.
    case ourBug
    /// The payload is over 4096 bytes: never retry it as it is.
    case tooLarge
    /// APNs is at fault: try again later, 15 minutes by Apple's rule, where it is still of use.
    case server
    /// The connection was at fault. The sender has made a new one; treat what is still reported as ``server``.
    case connection

    /// Reads an error answer.
    ///
    /// - Parameters:
    ///   - status: the HTTP status; it decides where the text is unknown or empty.
    ///   - reason: Apple's word for it.
    public init(status: Int, reason: String) {
        self = Self.byReason[reason] ?? Self.byStatus(status)
    }

    private static func byStatus(_ status: Int) -> RejectionReason {
        switch status {
        case 403: .credential
        case 410: .tokenDead
        case 413: .tooLarge
        case 429: .tooManyRequests
        case 500...: .server
        default: .ourBug
        }
    }

    /// Both spellings of `BadEnvironmentKeyIdInToken` are met: Apple's page has one, its servers the other too.
    private static let byReason: [String: RejectionReason] = [
        "BadDeviceToken": .tokenOrEnvironmentWrong,
        "DeviceTokenNotForTopic": .topicMismatch, "TopicMismatch": .topicMismatch,
        "TopicDisallowed": .credential, "InvalidProviderToken": .credential, "MissingProviderToken": .credential,
        "BadEnvironmentKeyIdInToken": .credential, "BadEnvironmentKeyInToken": .credential,
        "BadCertificate": .credential, "BadCertificateEnvironment": .credential, "Forbidden": .ourBug,
        "ExpiredProviderToken": .providerTokenExpired,
        "TooManyProviderTokenUpdates": .tooManyProviderTokenUpdates, "TooManyRequests": .tooManyRequests,
        // Expo's word for a token that is gone.
        "DeviceNotRegistered": .tokenDead,
        "PUSH_TOO_MANY_EXPERIENCE_IDS": .tokenOfAnotherProject,
        "IdleTimeout": .connection, "UnrelatedKeyIdInToken": .connection, "Shutdown": .connection,
    ]
}

extension PushOutcome.Rejection {
    /// What this answer means for whoever sent the push.
    public var meaning: RejectionReason { RejectionReason(status: status, reason: reason) }
}
