/// What happened, in numbers.
public struct Scoreboard: Sendable, Equatable {
    /// Cards that appeared because of a push.
    public internal(set) var started = 0
    /// Updates that a card took.
    public internal(set) var updated = 0
    /// Cards that a push ended.
    public internal(set) var ended = 0
    /// Background pushes that ran an app.
    public internal(set) var woken = 0
    /// Second cards for an occurrence on one phone, and second accepted starts for a run: always a failure.
    public internal(set) var doubled = 0
    /// Cards that ran on past the close that their content names; unavoidable where a phone is offline or has no token.
    public internal(set) var leftOver = 0
    /// Requests that APNs answered with an error.
    public internal(set) var rejected = 0
    /// Accepted pushes of which nothing came on the phone.
    public internal(set) var dropped = 0
    /// Accepted pushes that break a rule of Apple's for payloads.
    public internal(set) var violating = 0
    /// Calls of the apps to their server that failed.
    public internal(set) var failedCalls = 0
    /// What must never happen, in words: doubled cards, repeated starts, dates in a wrong unit.
    public internal(set) var failures: [String] = []
    /// What else is worth reading, in words: cards left over, which may be the phone's doing, and failed calls.
    public internal(set) var notes: [String] = []
}
