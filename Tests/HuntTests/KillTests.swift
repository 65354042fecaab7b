import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// The built binary, killed at random moments while eight of them tick: no start twice, no change lost, no card left.
///
/// `scripts/hunt kills 200` is the long run; `HUNT_KILLS` and `HUNT_SEED` are how it tells the test.
@Suite struct KillTests {
    private static let phones = 1600
    /// The most devices that a tick sends to between two records: its batch.
    private static let sendWindow = 200

    @Test(.timeLimit(.minutes(30))) func killedAtAnyMoment() async throws {
        let wanted = Hunt.number("HUNT_KILLS") ?? 25
        let seed = Hunt.seed
        var random = SplitMix64(seed: seed)
        let database = try await TestDatabase.fresh()
        try await database.sql("alter role cuecard_worker login")
        let scene = try Scene(owner: database.url(), worker: database.url(user: "cuecard_worker"))
        // Every fourth app has no update token before it is woken.
        try await scene.settle(phones: Self.phones) { number in
            var app = AppBehaviour()
            if number % 4 == 0 { app.updateToken = .whenRun }
            return app
        }
        var tally = Tally()
        var now = Date(timeIntervalSince1970: 1_772_409_600)
        while tally.kills < wanted {
            try await playACard(in: scene, from: now, &tally, &random, seed)
            now += 5 * 3600
        }
        try await judge(scene, tally, seed)
    }

    /// An event is added, changed and deleted; each time eight processes tick and some are killed.
    private func playACard(
        in scene: Scene, from now: Date, _ tally: inout Tally, _ random: inout SplitMix64, _ seed: UInt64
    ) async throws {
        let event = try await scene.addEvent("First", startsAt: now + 1800)
        try await hunt(in: scene, at: now, &tally, &random)
        tally.offered += Self.phones

        try await scene.backend("update cuecard.event set title = 'Second' where id = '\(event)'")
        try await hunt(in: scene, at: now + 240, &tally, &random)
        // What waited for a token is sent when a wake has brought it.
        // An update has one wake an hour, which a kill may have swallowed.
        for minute in [5.0, 6, 65, 66] { try await scene.tick(at: now + minute * 60) }
        let behind = scene.runningCards.count { $0.contentState["title"]?.string != "Second" }
        #expect(behind == 0, "seed \(seed): so many cards missed the update")
        #expect(scene.runningCards.count > 0)

        try await scene.backend("delete from cuecard.event where id = '\(event)'")
        try await hunt(in: scene, at: now + 70 * 60, &tally, &random)
        for minute in [71.0, 72, 101, 102, 132, 133] { try await scene.tick(at: now + minute * 60) }
        #expect(scene.runningCards.count == 0, "seed \(seed): so many cards were left on screens")
    }

    /// Lets eight ticks loose, kills six of them, and lets ticks run until nothing is due.
    private func hunt(in scene: Scene, at now: Date, _ tally: inout Tally, _ random: inout SplitMix64) async throws {
        scene.clock.now = now
        // Slow answers, so that many kills find requests on their way.
        scene.simulator.add(Fault(.delay(.milliseconds(Int.random(in: 0...400, using: &random))), times: nil))
        var running = try (0..<8).map { _ in
            try Binary.start(["tick", "--now", now.rfc3339], environment: scene.environment)
        }
        var dead: [Child] = []
        for _ in 0..<6 {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...200, using: &random)))
            let victim = running.remove(at: Int.random(in: 0..<running.count, using: &random))
            victim.signal(SIGKILL)
            guard try await victim.result().code == 128 + SIGKILL else { continue }
            dead.append(victim)
            // Its devices are for the others now.
            try await scene.expireLeases(of: [victim])
        }
        for child in running { tally.clean += try await child.result().code == 0 ? 1 : 0 }
        scene.simulator.removeFaults()
        // The server ends what a killed tick had asked for, a claim perhaps.
        try await eventually("the killed ticks' statements are over") {
            try await scene.look(
                "select count(*) from pg_stat_activity where usename = 'cuecard_worker' and datname = current_database()"
            ) == "0"
        }
        try await scene.expireLeases(of: dead)
        await scene.simulator.settle(at: now + 10)
        tally.kills += dead.count
        let moment = (now + 10).rfc3339
        let last = try await Binary.run(["tick", "--now", moment], environment: scene.environment)
        #expect(last.code == 0, "\(last.errors)")
        #expect(try await scene.look("select count(*) from cuecard.device where next_due_at <= '\(moment)'") == "0")
        await scene.simulator.settle(at: now + 20)
    }

    private func judge(_ scene: Scene, _ tally: Tally, _ seed: UInt64) async throws {
        let snapshot = scene.simulator.snapshot
        let starts = snapshot.accepted(.start)
        let identities = starts.map {
            "\($0.token ?? "") \($0.payload?["aps"]?["attributes"]?["eventId"]?.string ?? "")"
        }
        #expect(Set(identities).count == starts.count, "seed \(seed): a second start was accepted")
        #expect(snapshot.scoreboard.failures.isEmpty, "seed \(seed): \(snapshot.scoreboard.failures.prefix(3))")

        // What was intended and never answered: at most a window of a killed tick, and none of any other.
        let perTick = """
            select count(distinct device_id) from cuecard.attempt where outcome = 'intended' group by tick_id order by 1 desc limit 1
            """
        let worst = try await scene.look(perTick).flatMap { Int($0) } ?? 0
        #expect(worst <= Self.sendWindow)
        let forgotten = """
            select count(*) from cuecard.attempt a join cuecard.tick t on t.id = a.tick_id
            where a.outcome = 'intended' and t.finished_at is not null
            """
        #expect(try await scene.look(forgotten) == "0")
        let unknown = """
            select count(*) from cuecard.attempt a join cuecard.tick t on t.id = a.tick_id
            where a.outcome = 'intended' and a.event = 'start'
            """
        let unanswered = try await scene.look(unknown).flatMap { Int($0) } ?? 0
        // Every card was started but those whose start a kill may have swallowed.
        #expect(starts.count >= tally.offered - unanswered, "seed \(seed): a start was lost")
        Hunt.say(
            """
            kills \(tally.kills), other ticks \(tally.clean), cards offered \(tally.offered), starts accepted \(starts.count), \
            starts without a recorded answer \(unanswered), most of one kill \(worst), \
            updates \(snapshot.accepted(.update).count), ends \(snapshot.accepted(.end).count), \
            wakes \(snapshot.accepted(.wake).count), seed \(seed)
            """)
    }

    private struct Tally {
        var kills = 0
        var clean = 0
        var offered = 0
    }
}
