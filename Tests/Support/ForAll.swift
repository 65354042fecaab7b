import Foundation
public import Testing

/// Runs a property once for each seed and stops at the first that throws, after naming it.
///
/// State the property with `try #require(…)`: an `#expect` does not throw, so its seed would not be named.
/// `FORALL_SEED=17 swift test …` runs that seed alone.
public func forAll(
    seeds: ClosedRange<UInt64> = 1...200, sourceLocation: SourceLocation = #_sourceLocation,
    _ property: (_ random: inout SplitMix64) throws -> Void
) throws {
    let only = ProcessInfo.processInfo.environment["FORALL_SEED"].flatMap(UInt64.init).map { $0...$0 }
    for seed in only ?? seeds {
        var random = SplitMix64(seed: seed)
        do {
            try property(&random)
        } catch {
            Issue.record(
                "fails for seed \(seed): run it alone with FORALL_SEED=\(seed)", sourceLocation: sourceLocation)
            throw error
        }
    }
}
