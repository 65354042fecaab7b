import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// `cuecard serve --every` and `--listen-changes`: ticks that nobody calls for.
@Suite(.fewAtATime) struct OwnTicksTests {
    @Test func itTicksAtSteadyTimes() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world, words: ["--every", "1s"])
        try await eventually("five ticks", within: .seconds(60)) { try await Self.ticks(world) >= 5 }
        // By the wall clock, one after the other, and none before the one before it was done.
        let gaps = try await world.value(
            """
            select count(*) from (
                select started_at - lag(started_at) over w as gap, started_at < lag(finished_at) over w as is_early
                from cuecard.tick window w as (order by started_at)) t where is_early or gap < interval '300 ms'
            """)
        // The first comes at once, the second with the next full second.
        #expect(try #require(Int(gaps ?? "")) <= 1)
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
        #expect(try await world.value("select count(*) from cuecard.tick where finished_at is null") == "0")
    }

    @Test(arguments: ["0", "-1", "soon", "2h", "61m", ""])
    func anIntervalThatIsNoneIsRefused(_ text: String) async throws {
        let result = try await Binary.run(["serve", "--every=\(text)"])
        #expect(result.code == 64)
        #expect(result.errors.contains("--every"))
    }

    @Test func intervalsAreRead() throws {
        for (text, seconds) in [("60", 60), ("90s", 90), ("1m", 60), ("60m", 3600)] {
            #expect(try OwnTicks.interval(text) == .seconds(seconds))
        }
    }

    /// The database goes and comes back: the ticks come back too, and so does the listener.
    @Test func itOutlivesTheDatabasesRestart() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world, words: ["--every", "1s", "--listen-changes"])
        try await eventually("a tick") { try await Self.ticks(world) >= 1 }
        // Nobody gets in, and whoever was in is out: what a restart looks like from outside.
        let admin = try await TestDatabase.empty()
        try await admin.sql(
            """
            alter database \(world.database.name) allow_connections false;
            select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(world.database.name)';
            """)
        try await eventually("it says so") {
            server.process.errors.contains("error") && server.process.errors.contains("not heard of")
        }
        #expect(server.process.isRunning)
        try await admin.sql("alter database \(world.database.name) allow_connections true;")
        let before = try await Self.ticks(world)
        try await eventually("ticks go on", within: .seconds(90)) { try await Self.ticks(world) >= before + 3 }
        try await eventually("it listens again", within: .seconds(90)) {
            try await world.value(
                "select count(*) from pg_stat_activity where datname = current_database() and query = 'listen cuecard'"
            ) == "1"
        }
    }

    /// An edit reaches the phone without anybody's call.
    @Test func anEditIsHeardOf() async throws {
        let world = try await World.make()
        let server = try await Server.start(in: world, words: ["--listen-changes"])
        try await eventually("it listens") {
            try await world.value(
                "select count(*) from cuecard.change_listener where listens_until > clock_timestamp()") == "1"
        }
        try await eventually("the first tick is over") {
            try await world.value("select count(*) from cuecard.tick where finished_at is not null") == "1"
        }
        try await world.register(Device.mina, of: "mina")
        world.clock.now = Date()
        let edited = ContinuousClock.now
        try await world.addEventSoon()
        try await eventually("the card starts") { world.simulator.requests.contains { $0.kind == .start } }
        print("from an edit to its push: \(ContinuousClock.now - edited)")

        // The tick's own writes call for no other tick, so that this comes to rest.
        try await Task.sleep(for: .seconds(2))
        let rest = try await Self.ticks(world)
        try await Task.sleep(for: .seconds(3))
        #expect(try await Self.ticks(world) - rest <= 1)

        // A burst is a few ticks, not one each.
        let before = try await Self.ticks(world)
        for number in 0..<40 { try await world.backend("update cuecard.event set title = 'Dentist \(number)'") }
        try await eventually("the burst is worked off") {
            try await world.value("select count(*) from cuecard.change") == "0"
        }
        try await Task.sleep(for: .seconds(1))
        #expect(try await Self.ticks(world) - before < 20)
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
    }

    /// One notification a transaction, and none while nobody listens, for a commit that notifies waits for others.
    @Test func nobodyAnnouncesWhatNobodyHears() async throws {
        let world = try await World.make()
        let edit = """
            insert into cuecard.calendar (id, owner_id, kind) values (gen_random_uuid(), 'mina', 'personal');
            insert into cuecard.calendar (id, owner_id, kind) values (gen_random_uuid(), 'mina', 'personal');
            """
        func heard() async throws -> Int {
            // psql prints what it was notified of.
            let output = try await world.database.sql("listen cuecard; begin; \(edit) commit; select 1;")
            return output.components(separatedBy: "Asynchronous notification").count - 1
        }
        #expect(try await heard() == 0)
        try await world.database.sql("select cuecard.listen_for_changes(60);", role: "cuecard_worker")
        #expect(try await heard() == 1)
        try await world.database.sql("update cuecard.change_listener set listens_until = now()")
        #expect(try await heard() == 0)
    }

    /// Through a pooler of transactions nothing is heard: it says so and names the mend; ticks and edits go on.
    @Test func behindAPoolerItSaysThatItHearsNothing() async throws {
        let world = try await World.make()
        let pooler = try await Pooler.start()
        let pooled = pooler.url(database: world.database.name, user: "cuecard_worker")
        let deaf = try await Server.start(
            in: world, ["DATABASE_URL": pooled], words: ["--every", "1s", "--listen-changes"])
        try await eventually("it says so", within: .seconds(60)) { deaf.process.errors.contains("DIRECT_DATABASE_URL") }
        let before = try await Self.ticks(world)
        try await eventually("it ticks") { try await Self.ticks(world) > before + 1 }
        deaf.process.signal(SIGTERM)
        #expect(try await deaf.process.result().code == 0)

        let direct = try world.database.url(user: "cuecard_worker")
        let hearing = try await Server.start(
            in: world, ["DATABASE_URL": pooled, "DIRECT_DATABASE_URL": direct], words: ["--listen-changes"])
        try await world.register(Device.mina, of: "mina")
        try await world.addEventSoon()
        try await eventually("the card starts") { world.simulator.requests.contains { $0.kind == .start } }
        hearing.process.signal(SIGTERM)
        #expect(try await hearing.process.result().code == 0)
    }

    private static func ticks(_ world: World) async throws -> Int {
        Int(try await world.value("select count(*) from cuecard.tick") ?? "") ?? 0
    }
}
