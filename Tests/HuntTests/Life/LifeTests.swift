import Foundation
import TestSupport
import Testing

/// Seeded stories on a virtual clock, judged by the invariants after every tick.
///
/// `scripts/hunt days 10000` is the long run; `HUNT_DAYS` and `HUNT_SEED` are how it tells the test.
@Suite struct LifeTests {
    /// Seeds that once found something, and a new one, whose story is short.
    private static let short: [UInt64] = [1, 2, 3, 11, 136_305] + [Hunt.seed / 10 * 10 + 7]

    @Test(.timeLimit(.minutes(300))) func theInvariantsHold() async throws {
        let database = try await VirtualDatabase.make()
        let wanted = Hunt.number("HUNT_DAYS")
        var played = 0
        var seeds = wanted == nil ? Self.short : (0..<10_000).map { Hunt.seed + UInt64($0) }
        while !seeds.isEmpty, played < wanted ?? .max {
            let seed = seeds.removeFirst()
            // Short stories are soon shortened; every tenth is long.
            let story =
                seed % 10 == 0
                ? Story.drawn(seed: seed, users: 12, phones: 24, days: 14)
                : Story.drawn(seed: seed, users: 6, phones: 12, days: 4)
            let began = ContinuousClock.now
            let life = try Life(story, in: database)
            let violation = try await life.play()
            played += story.phones * story.days
            Hunt.say(
                "seed \(seed): \(story.phones) phones, \(story.days) days, \(story.deeds.count) deeds, \(await life.counts), \(ContinuousClock.now - began)"
            )
            if let violation {
                Hunt.say("seed \(seed) breaks \(violation)")
                if let look = ProcessInfo.processInfo.environment["HUNT_LOOK"] {
                    for row in try await database.run(look) { Hunt.say(row.map { $0 ?? "-" }.joined(separator: " | ")) }
                }
                let short = try await shortened(story, breaking: violation, in: database)
                Issue.record(
                    "seed \(seed) breaks \(violation)\n\(short.story.deeds.map(\.description).joined(separator: "\n"))\nwhich breaks \(short.violation)"
                )
                if wanted == nil || Hunt.number("HUNT_GO_ON") == nil { return }
            }
        }
    }

    /// Drops deeds greedily while the same invariant still breaks.
    private func shortened(
        _ story: Story, breaking violation: Violation, in database: VirtualDatabase
    ) async throws -> (story: Story, violation: Violation) {
        var best = (story: story, violation: violation)
        best.story.deeds.removeAll { $0.at > violation.second }
        best.story.days = min(story.days, violation.second / 86_400 + 1)
        let deadline = ContinuousClock.now + .seconds(Hunt.number("HUNT_SHORTEN") ?? 120)
        // First all that is about one event or one phone, then deed by deed.
        for isWhole in [true, false] {
            var size = Int.max
            while ContinuousClock.now < deadline {
                let parts = isWhole ? best.story.subjects : best.story.deeds.indices.map { [$0] }
                size = min(size, max(1, parts.count / 2))
                var from = 0
                var dropped: Set<Int> = []
                while from < parts.count, ContinuousClock.now < deadline {
                    let tried = dropped.union(parts[from..<min(from + size, parts.count)].joined())
                    let candidate = best.story.dropping(tried)
                    if let found = try await Life(candidate, in: database).play(toMeet: best.violation),
                        found.name == violation.name
                    {
                        dropped = tried
                        best.violation = found
                    }
                    from += size
                }
                best.story = best.story.dropping(dropped)
                if size == 1, dropped.isEmpty || isWhole { break }
                size = max(1, size / 2)
            }
        }
        return best
    }
}
