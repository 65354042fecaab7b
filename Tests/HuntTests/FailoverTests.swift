import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

/// A primary that dies in the middle of ticks, and its synchronous standby promoted: no start twice, no card left.
///
/// `scripts/hunt failover 20` is the long run; `HUNT_FAILOVERS` and `HUNT_SEED` are how it tells the test.
@Suite struct FailoverTests {
    private static let phones = 300

    @Test(.timeLimit(.minutes(30))) func thePrimaryDiesInTheMiddleOfATick() async throws {
        let seed = Hunt.seed
        var random = SplitMix64(seed: seed)
        var tally = Tally()
        let wanted = Hunt.number("HUNT_FAILOVERS") ?? 1
        for _ in 0..<wanted {
            let delay = Duration.milliseconds(Int.random(in: 0...400, using: &random))
            let pair = try await ServerPair()
            try await playOne(pair, diesAfter: delay, seed, &tally)
            withExtendedLifetime(pair) {}
        }
        Hunt.say(
            """
            failovers \(wanted), ticks that broke off \(tally.broken), cards offered \(wanted * Self.phones), \
            starts accepted \(tally.accepted), without a recorded answer \(tally.unanswered), seed \(seed)
            """)
    }

    private struct Tally {
        var broken = 0
        var accepted = 0
        var unanswered = 0
    }

    private func playOne(
        _ pair: ServerPair, diesAfter delay: Duration, _ seed: UInt64, _ tally: inout Tally
    ) async throws {
        let scene = try Scene(owner: pair.url(), worker: pair.url(user: "cuecard_worker"))
        try await scene.settle(phones: Self.phones)
        let opens = Date(timeIntervalSince1970: 1_772_409_600)
        let event = try await scene.addEvent("First", startsAt: opens + 1800)
        scene.clock.now = opens
        scene.simulator.add(Fault(.delay(.milliseconds(200)), times: nil))
        let ticks = try (0..<4).map { _ in
            try Binary.start(["tick", "--now", opens.rfc3339], environment: scene.environment)
        }
        try await eventually("a start is on its way") { !scene.simulator.requests.isEmpty }
        try await Task.sleep(for: delay)
        try await pair.failOver()
        scene.simulator.removeFaults()
        for tick in ticks where try await tick.result().code != 0 { tally.broken += 1 }

        try await scene.expireLeases(of: ticks)
        for minute in [0.0, 1, 2] { #expect(try await scene.tick(at: opens + minute * 60).code == 0) }
        try await judge(scene, seed, &tally)
        // Life goes on: what is changed is shown, and what is deleted goes.
        try await scene.backend("update cuecard.event set title = 'Second' where id = '\(event)'")
        try await scene.tick(at: opens + 300)
        #expect(scene.runningCards.allSatisfy { $0.contentState["title"]?.string == "Second" }, "seed \(seed)")
        try await scene.backend("delete from cuecard.event where id = '\(event)'")
        try await scene.tick(at: opens + 600)
        #expect(scene.runningCards.isEmpty, "seed \(seed): cards are left")
        #expect(scene.simulator.snapshot.scoreboard.failures == [], "seed \(seed)")
    }

    private func judge(_ scene: Scene, _ seed: UInt64, _ tally: inout Tally) async throws {
        let starts = scene.simulator.snapshot.accepted(.start).compactMap(\.token)
        #expect(Set(starts).count == starts.count, "seed \(seed): a start was accepted twice")
        // Everybody has a run, and a start but for those that the dying server may have swallowed.
        #expect(try await count("select count(*) from cuecard.run", in: scene) == Self.phones)
        let unanswered = try await count(
            "select count(*) from cuecard.attempt where event = 'start' and outcome = 'intended'", in: scene)
        #expect(starts.count >= Self.phones - unanswered, "seed \(seed): a start was lost")
        tally.accepted += starts.count
        tally.unanswered += unanswered
    }

    private func count(_ sql: String, in scene: Scene) async throws -> Int {
        try await scene.look(sql).flatMap { Int($0) } ?? -1
    }
}
