public import Foundation
public import LiveActivity

/// What follows from one outcome: for the run, its token and its lane.
///
/// The table of `PushOutcome` meanings lives here.
public struct Consequence: Sendable, Equatable {
    /// The run moves only from one of these states; an app's word that came meanwhile stands.
    public var fromStates: [Run.State] = []
    /// Nil: the run stays as it is.
    public var toState: Run.State?
    /// Stored with the new state; nil keeps the one that is there.
    public var reason: Reason?
    /// The card is known to have left the phone.
    public var isGone = false
    /// The token that was used is of no more use: clear it where it is still the stored one.
    public var isTokenSpent = false
    /// So many tokens were called bad at once that the lane keeps its own until then.
    public var spareTokensUntil: Date?
    /// Clear it only where it was not registered after this.
    public var deadSince: Date?
    /// The token was never proven to belong where it went: it is tried in the other environment, once.
    public var triesOtherEnvironment = false
    /// The token is left alone until then.
    public var pauseTokenUntil: Date?
    /// When to try again; nil: as soon as the plan wants it.
    public var retryAt: Date?
    /// The key or the lane is at fault: nothing goes out there until then.
    public var pauseLaneUntil: Date?
    /// The failure says nothing of this one push: whatever goes the same way now fails as well.
    public var isLaneFault = false

    /// What a push was, as far as its consequence depends on it.
    public struct Attempt: Sendable {
        /// What the push was to do.
        public var event: Push.Event
        /// Spreads retries: the same for one run, different between runs.
        public var seed: UUID
        /// Pushes in a row for this run that were not accepted before.
        public var failures: Int
        /// Until when the push is of any use.
        public var usefulUntil: Date
        /// Whether a misplaced token may belong to the other environment.
        public var mayTryOtherEnvironment: Bool

        /// An attempt by its parts.
        public init(
            event: Push.Event, seed: UUID, failures: Int, usefulUntil: Date, mayTryOtherEnvironment: Bool = false
        ) {
            self.event = event
            self.seed = seed
            self.failures = failures
            self.usefulUntil = usefulUntil
            self.mayTryOtherEnvironment = mayTryOtherEnvironment
        }
    }

    /// A fault of the credentials stops a lane for so long, in seconds.
    public static let lanePause: TimeInterval = 20 * 60
    /// A token that Expo takes for another project's is left alone for so long, in seconds.
    public static let tokenPause: TimeInterval = 24 * 3600
    /// A `Retry-After` beyond this is taken for this, in seconds.
    public static let longestRetryAfter: TimeInterval = 24 * 3600
    /// Apple's own wait after a 5xx, in seconds.
    public static let longestWait: TimeInterval = 15 * 60

    /// What follows from `outcome` at the decision time `now`.
    public init(of outcome: PushOutcome, for attempt: Attempt, at now: Date) {
        switch outcome {
        case .accepted:
            accepted(attempt)
        case .rejected(let rejection):
            rejected(rejection, attempt, at: now)
        case .failed(.notProcessed):
            isLaneFault = true
            retryAt = now + Self.soon(attempt, at: now)
            fail(attempt, .waitsToRetry)
        case .failed(.unknown):
            isLaneFault = true
            // A start may be on the screen; the same update or end may be sent again.
            if attempt.event == .start {
                move([.claimed], to: .unknown, .noAnswer)
            } else {
                retryAt = now + Self.soon(attempt, at: now)
            }
        }
    }

    private mutating func accepted(_ attempt: Attempt) {
        switch attempt.event {
        case .start:
            move([.claimed, .unknown], to: .accepted, nil)
        case .end:
            move([.ending], to: .ended, nil)
            isGone = true
            isTokenSpent = true
        case .update, .wake:
            break
        }
    }

    private mutating func rejected(_ rejection: PushOutcome.Rejection, _ attempt: Attempt, at now: Date) {
        switch rejection.meaning {
        case .tokenDead:
            isTokenSpent = true
            deadSince = rejection.since
            // The token stays where it was registered since, or comes back: it is not tried again at once.
            retryAt = now + Self.soon(attempt, at: now)
            fail(attempt, .noStartToken)
            // The person may have swiped the card away, so nothing takes its place.
            if attempt.event == .update || attempt.event == .end {
                move([.claimed, .accepted, .confirmed, .unknown, .ending], to: .ended, .updateTokenGone)
            }
        case .tokenOrEnvironmentWrong where attempt.mayTryOtherEnvironment:
            triesOtherEnvironment = true
            fail(attempt, .waitsToRetry)
        case .tokenOrEnvironmentWrong:
            isTokenSpent = true
            retryAt = now + Self.soon(attempt, at: now)
            fail(attempt, .noStartToken)
        case .tokenOfAnotherProject:
            pauseTokenUntil = now + Self.tokenPause
            retryAt = pauseTokenUntil
            fail(attempt, .startRefused)
        case .topicMismatch, .ourBug, .tooLarge:
            retryAt = now + Self.longestWait
            fail(attempt, .startRefused)
        case .credential, .providerTokenExpired, .tooManyProviderTokenUpdates:
            isLaneFault = true
            pauseLaneUntil = now + Self.lanePause
            retryAt = pauseLaneUntil
            fail(attempt, .waitsToRetry)
        case .tooManyRequests, .server, .connection:
            isLaneFault = rejection.meaning != .tooManyRequests
            let asked = rejection.retryAfter.flatMap { $0 > 0 ? min(TimeInterval($0), Self.longestRetryAfter) : nil }
            retryAt = now + max(asked ?? Self.wait(attempt, at: now), 1)
            fail(attempt, .waitsToRetry)
        }
    }

    private mutating func fail(_ attempt: Attempt, _ reason: Reason) {
        if attempt.event == .start { move([.claimed], to: .failed, reason) }
    }

    private mutating func move(_ states: [Run.State], to state: Run.State, _ reason: Reason?) {
        fromStates = states
        toState = state
        self.reason = reason
    }

    /// Half of the time in which it is still useful, 15 minutes at most, ± 20 %, so that a fleet does not return at once.
    private static func wait(_ attempt: Attempt, at now: Date) -> TimeInterval {
        let half = max(0, attempt.usefulUntil.timeIntervalSince(now) / 2)
        return min(longestWait, half) * (0.8 + 0.4 * Double(attempt.seed.uuid.15) / 255)
    }

    /// For what no rule of Apple's makes wait: one minute, doubled each time, within the same bounds.
    private static func soon(_ attempt: Attempt, at now: Date) -> TimeInterval {
        let doubled = 60 * Double(1 << min(attempt.failures, 4))
        return max(1, min(doubled, wait(attempt, at: now)))
    }
}
