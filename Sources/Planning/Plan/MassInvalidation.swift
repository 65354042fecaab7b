internal import LiveActivity

/// The guard against a fault that would delete a fleet's tokens: a wrong environment makes every one of them "bad".
public enum MassInvalidation {
    /// Fewer bad tokens than these are never suspect.
    public static let fewest = 20

    /// Keeps the tokens where so many are called bad at once, half of all that was sent or more, that the fault is ours.
    ///
    /// A 410 with a time is exempt: APNs knows since when that one token is dead.
    ///
    /// - Returns: How many tokens were kept; 0: nothing is suspect.
    public static func spareTokens(in outcomes: inout [Outcome]) -> Int {
        let suspects = outcomes.indices.filter { outcomes[$0].isSuspect }
        guard suspects.count >= fewest, suspects.count * 2 >= outcomes.count else { return 0 }
        for index in suspects { outcomes[index].consequence.isTokenSpent = false }
        return suspects.count
    }
}

extension Outcome {
    fileprivate var isSuspect: Bool {
        guard case .rejected = outcome else { return false }
        return consequence.isTokenSpent && consequence.deadSince == nil
    }
}
