import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// The real pg_cron, by the minute, before a real `cuecard serve`.
@Suite struct CronTests {
    private static let secret = "0123456789abcdef0123456789abcdef"

    /// pg_cron and what pg_net does: real calls start the card; in a quiet minute there is none.
    @Test(.timeLimit(.minutes(10))) func itCallsTheWorkerWhereThereIsWork() async throws {
        let database = try await TestDatabase.withCron()
        let world = try await World.make(in: database)
        let server = try await Server.start(in: world, secret: Self.secret)
        let net = try await Net.install(in: world)
        // The address in Vault, the secret in the table: either place will do.
        try await database.sql(
            """
            create schema vault;
            create view vault.decrypted_secrets as
                select 'cuecard_tick_url' as name, 'http://127.0.0.1:\(server.port)/tick' as decrypted_secret;
            """)
        let schedule = try sqlFile("cron/schedule.sql")
        for _ in 1...2 { try await database.sql(schedule) }
        try await database.sql("insert into cuecard.cron_setting values ('cuecard_cron_secret', '\(Self.secret)');")
        #expect(try await world.value("select count(*) from cron.job") == "1")

        // A phone whose event begins in half an hour: its card is due.
        world.clock.now = Date()
        try await world.register(Device.mina, of: "mina")
        try await world.addEventSoon()
        try await eventually("the card starts", within: .seconds(130)) {
            try await net.pass()
            return world.simulator.requests.contains { $0.kind == .start }
        }
        world.clock.now = Date()
        await world.simulator.settle(at: Date() + 10)
        // The app's word makes the device due once more.
        try await eventually("nothing is due", within: .seconds(130)) {
            try await net.pass()
            return try await world.value("select cuecard.is_work_due()") == "f"
        }
        let (calls, pushes, runs) = (net.statuses.count, world.simulator.requests.count, try await Self.runs(world))
        #expect(net.statuses.allSatisfy { $0 == 200 || $0 == 202 }, "\(net.statuses)")
        try await eventually("pg_cron runs again", within: .seconds(130)) {
            try await net.pass()
            return try await Self.runs(world) > runs
        }
        try await net.pass()
        #expect(net.statuses.count == calls)
        #expect(world.simulator.requests.count == pushes)
        let failures = "select string_agg(return_message, ' ') from cron.job_run_details where status = 'failed'"
        #expect(try await world.value(failures) == nil)

        // I8: the secret is in no text that pg_cron keeps.
        for table in ["cron.job", "cron.job_run_details"] {
            #expect(
                try await world.value("select count(*) from \(table) t where t::text like '%\(Self.secret)%'") == "0")
        }
        for role in ["anon", "authenticated", "service_role", "cuecard_worker"] {
            await #expect(throws: SQLError.self) {
                try await database.sql("select value from cuecard.cron_setting", role: role)
            }
        }
        try await doctorSeesTheJob(world)

        for _ in 1...2 { try await database.sql(try sqlFile("cron/unschedule.sql")) }
        #expect(try await world.value("select count(*) from cron.job") == "0")
        #expect(try await world.value("select to_regclass('cuecard.cron_setting') is null") == "t")
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
    }

    /// pg_cron alone: NOTIFY, which a worker that listens takes for a call.
    @Test(.timeLimit(.minutes(10))) func withoutPgNetItTellsWhoeverListens() async throws {
        let database = try await TestDatabase.withCron()
        let world = try await World.make(in: database)
        try await database.sql(try sqlFile("cron/schedule.sql"))
        let server = try await Server.start(in: world, secret: Self.secret, words: ["--listen-changes"])
        try await eventually("the first tick is over") {
            try await world.value("select count(*) > 0 from cuecard.tick where finished_at is not null") == "t"
        }
        // Another's history is another's.
        try await database.sql(
            """
            insert into cron.job_run_details (jobid, runid, command, status, end_time) values
                (7, 1000001, 'select cuecard.call_tick()', 'succeeded', now() - interval '2 days'),
                (8, 1000002, 'select another()', 'succeeded', now() - interval '2 days');
            select cuecard.call_tick(true);
            """)
        #expect(
            try await world.value("select string_agg(runid::text, ',') from cron.job_run_details where runid > 1000000")
                == "1000002")
        // A registration is heard of at once; what only the time makes due is not.
        try await world.register(Device.mina, of: "mina")
        try await eventually("the registration makes a tick") {
            try await world.value("select count(*) > 0 from cuecard.tick where (summary ->> 'claimed')::int > 0") == "t"
        }
        let due = try await world.value("select now()") ?? ""
        try await database.sql("update cuecard.device set next_due_at = '-infinity'")
        try await eventually("pg_cron's word makes a tick", within: .seconds(130)) {
            try await world.value(
                """
                select count(*) > 0 from cuecard.tick t where (t.summary ->> 'claimed')::int > 0 and exists (
                    select from cron.job_run_details r where r.status = 'succeeded'
                    and r.start_time between '\(due)' and t.started_at)
                """) == "t"
        }
        server.process.signal(SIGTERM)
        #expect(try await server.process.result().code == 0)
    }

    /// What pg_cron's own history says of a job that fails, and of one that is switched off.
    private func doctorSeesTheJob(_ world: World) async throws {
        let environment = try world.environment().merging(["CRON_SECRET": Self.secret]) { $1 }
        // Another program's call that failed is none of ours.
        try await world.database.sql("insert into net._http_response values (999999, 500, false, null)")
        let well = try await Binary.run(["doctor"], environment: environment)
        #expect(well.code == 0, "\(well.output)")
        #expect(well.output.contains("ok           cron: cuecard-tick last ran"))
        #expect(well.output.contains("ok           timeout: "))
        try await world.database.sql(
            """
            update cron.job set active = false;
            update net._http_response set status_code = 401 where id <> 999999;
            update cron.job_run_details set status = 'failed', return_message = 'ERROR: cuecard_tick_url is not set';
            """)
        let ill = try await Binary.run(["doctor"], environment: environment)
        #expect(ill.code == 1)
        for text in ["calls failed", "HTTP 401", "switched off", "cuecard_tick_url is not set", "schedule.sql"] {
            #expect(ill.output.contains(text))
        }
    }

    private static func runs(_ world: World) async throws -> Int {
        Int(try await world.value("select count(*) from cron.job_run_details where status = 'succeeded'") ?? "") ?? 0
    }

    private func sqlFile(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../sql")
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
}

/// What pg_net does, by its own signature: calls are queued with the transaction and made after it.
private final class Net: @unchecked Sendable {  // used by one test, which awaits each call
    private let world: World
    private(set) var statuses: [Int] = []

    private init(_ world: World) { self.world = world }

    static func install(in world: World) async throws -> Net {
        try await world.database.sql(
            """
            create schema net;
            create table net.http_request_queue (id bigserial, url text, headers jsonb, body jsonb, timeout_milliseconds integer);
            create table net._http_response (id bigint, status_code integer, timed_out boolean, error_msg text,
                created timestamptz not null default now());
            create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}',
                headers jsonb default '{"Content-Type": "application/json"}', timeout_milliseconds integer default 5000)
            returns bigint language sql as $$
                insert into net.http_request_queue (url, headers, body, timeout_milliseconds)
                values (url, headers, body, timeout_milliseconds) returning id
            $$;
            """)
        return Net(world)
    }

    /// Makes the calls that are queued.
    func pass() async throws {
        let queued = try await world.value(
            "with taken as (delete from net.http_request_queue returning *) select coalesce(jsonb_agg(t), '[]') from taken t"
        )
        guard case .array(let calls)? = try queued.map({ try JSON(parsing: $0) }) else { return }
        for call in calls {
            guard case .string(let url)? = call["url"], case .object(let headers)? = call["headers"],
                case .int(let limit)? = call["timeout_milliseconds"], case .int(let id)? = call["id"]
            else { continue }
            let words = headers.flatMap { name, value -> [String] in
                guard case .string(let text) = value else { return [] }
                return ["-H", "\(name): \(text)"]
            }
            let result = try await Child.run(
                URL(fileURLWithPath: "/usr/bin/curl"),
                ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-m", "\(limit / 1000)", "-X", "POST"] + words
                    + ["-d", call["body"]?.description ?? "", url])
            statuses.append(Int(result.output) ?? 0)
            try await world.database.sql(
                "insert into net._http_response values (\(id), \(Int(result.output) ?? 0), false, null)")
        }
    }
}
