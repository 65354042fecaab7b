import Foundation
import LiveActivity
import TestSupport
import Testing

/// `is_work_due`: whether pg_cron calls the worker at all.
@Suite(.fewAtATime) struct WorkDueTests {
    @Test func eachKindOfWorkIsSeenAndNothingElse() async throws {
        let world = try await World.fresh()
        // The app's row is a change.
        try await world.sql("delete from cuecard.change")
        func isDue() async throws -> Bool { try await world.value("select cuecard.is_work_due()") == "t" }
        #expect(try await !isDue())
        try await world.register("ann", 1, start: token(1))
        #expect(try await isDue())
        try await world.sql("update cuecard.device set next_due_at = now() + interval '1 min'")
        try await world.sql("delete from cuecard.change")
        #expect(try await !isDue())
        #expect(try await world.value("select cuecard.is_work_due(now() + interval '2 min')") == "t")

        // A paused lane's devices wait for its end.
        try await world.sql("update cuecard.device set next_due_at = '-infinity'")
        try await world.sql("update cuecard.lane set paused_until = now() + interval '10 min'")
        #expect(try await !isDue())
        #expect(try await world.value("select cuecard.is_work_due(now() + interval '11 min')") == "t")
        try await world.sql("update cuecard.lane set paused_until = null")
        try await world.sql("update cuecard.device set next_due_at = null")
        #expect(try await !isDue())

        try await world.sql("insert into cuecard.change (user_id, not_before) values ('ann', now() + interval '1 min')")
        #expect(try await !isDue())
        try await world.sql("update cuecard.change set not_before = null")
        #expect(try await isDue())
        try await world.sql("delete from cuecard.change")

        try await world.sql("update cuecard.device set planned_at = now() + interval '1 h'")
        #expect(try await isDue())
        try await world.sql("update cuecard.device set planned_at = now()")
        #expect(try await !isDue())

        try await world.sql(
            """
            insert into cuecard.attempt (id, tick_id, device_id, event, outcome, decided_at, answered_at, receipt_id)
            values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'wake', 'accepted', now(), now() - interval '20 min', 'r')
            """)
        #expect(try await isDue())
        try await world.sql("update cuecard.attempt set receipt_at = now()")
        #expect(try await !isDue())
    }

    /// A quiet minute costs the same for any fleet; so does one in which everybody is due.
    @Test(arguments: ["now() + interval '1 h'", "'-infinity'"])
    func itReadsFewPages(_ due: String) async throws {
        let world = try await World.fresh()
        try await world.sql(
            """
            insert into cuecard.device (id, user_id, bundle_id, apns_environment, next_due_at)
            select gen_random_uuid(), 'u' || n, 'com.example.' || n % 3, (array['sandbox', 'production'])[1 + n % 2], \(due)
            from generate_series(1, 100000) n
            """)
        // What is planned no more: registered and never looked at again.
        try await world.sql(
            "update cuecard.device set planned_at = now() where id < '40000000-0000-0000-0000-000000000000'")
        try await world.sql("delete from cuecard.change")
        try await world.sql("vacuum analyze cuecard.device")
        #expect(try await world.value("select count(*) from cuecard.lane") == "6")
        // The catalog's own pages are read once a session, so the second look is the one that counts.
        let explain = "explain (analyze, buffers, format json) select cuecard.is_work_due()"
        _ = try await world.sql(explain)
        let plan = try JSON(parsing: try #require(try await world.value(explain)))
        let top = try #require(plan[0]?["Plan"])
        guard case .int(let hit)? = top["Shared Hit Blocks"], case .int(let read)? = top["Shared Read Blocks"] else {
            Issue.record("no buffers in \(plan)")
            return
        }
        #expect(hit + read > 0)
        #expect(hit + read < 60, "\(hit) + \(read) pages")
        #expect(try await world.value("select cuecard.is_work_due()") == (due == "'-infinity'" ? "t" : "f"))
    }
}
