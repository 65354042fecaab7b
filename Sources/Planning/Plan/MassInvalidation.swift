public import Foundation
internal import LiveActivity

/// The guard against a fault that would delete a fleet's tokens: a wrong environment makes every one of them "bad".
///
/// One for a tick: what its batches were answered adds up.
public struct MassInvalidation: Sendable {
    /// Fewer bad tokens than these are never suspect.
    public static let fewest = 20
    /// A lane in which it struck keeps its tokens for so long, in seconds.
    public static let memory: TimeInterval = 24 * 3600
    /// What was called bad is tried again after this, in seconds: time to mend the setting.
    public static let wait: TimeInterval = 6 * 3600

    private var sent = 0
    private var bad = 0

    /// Nothing sent yet.
    public init() {}

    /// Keeps a batch's bad tokens where so many are, half of what was sent or more in it or in the tick so far, that the
    /// fault is ours.
    ///
    /// A 410 with a time is exempt: APNs knows since when that one token is dead.
    ///
    /// - Returns: How many tokens were kept; 0: nothing is suspect.
    public mutating func spareTokens(in outcomes: inout [Outcome], at now: Date) -> Int {
        let suspects = outcomes.indices.filter { outcomes[$0].isSuspect }
        sent += outcomes.count
        bad += suspects.count
        guard Self.isSuspect(suspects.count, of: outcomes.count) || Self.isSuspect(bad, of: sent) else { return 0 }
        for index in suspects {
            outcomes[index].consequence.isTokenSpent = false
            outcomes[index].consequence.spareTokensUntil = now + Self.memory
            outcomes[index].consequence.retryAt = now + Self.wait
        }
        return suspects.count
    }

    private static func isSuspect(_ bad: Int, of sent: Int) -> Bool { bad >= fewest && bad * 2 >= sent }
}

extension Outcome {
    fileprivate var isSuspect: Bool {
        guard case .rejected = outcome else { return false }
        return consequence.isTokenSpent && consequence.deadSince == nil
    }
}
