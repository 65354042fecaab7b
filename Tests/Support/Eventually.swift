public import Testing

/// Waits until a condition holds, looking every 10 ms; the deadline is for a program that hangs, so it is generous.
///
/// - Returns: Whether the condition came to hold; a failed wait is recorded as an issue too.
@discardableResult
public func eventually(
    _ what: String, within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () async throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + limit
    while ContinuousClock.now < deadline {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("waited \(limit) in vain: \(what)", sourceLocation: sourceLocation)
    return false
}
