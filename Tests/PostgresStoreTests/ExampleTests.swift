import LiveActivity
import PostgresStore
import TestSupport
import Testing

@Suite("Files that an operator runs", .fewAtATime)
struct ExampleTests {
    @Test("mirror_events.sql: an app's own tables, as they are and as they change, are the calendar")
    func mirror() async throws {
        let world = try await World.fresh()
        let example = try SQLFiles.text("examples/mirror_events.sql")
        try await world.sql(example)
        try await world.sql(
            "alter table public.\"Events\" disable trigger user; alter table public.\"Calendars\" disable trigger user")
        try await world.sql(#"insert into public."Calendars" values ($1::uuid, 'ann', true, 'Family')"#, World.calendar)
        try await world.sql(
            """
            insert into public."Events" ("eventId", "calendarId", "name", "place", "startLocal", "minutes", "timeZone", "repeat", "skipped", "color")
            values ($1::uuid, $2::uuid, 'Class', 'Pool', '2026-06-01 09:00', 45, 'Asia/Seoul', 'FREQ=DAILY', '{2026-06-02 09:00}', 'red')
            """, World.event, World.calendar)
        try await world.sql(
            "alter table public.\"Events\" enable trigger user; alter table public.\"Calendars\" enable trigger user")
        #expect(try await world.value("select count(*) from cuecard.event") == "0")

        // Applied again: what was there already comes over.
        try await world.sql(example)
        #expect(
            try await world.sql("select owner_id, kind, name from cuecard.calendar") == [["ann", "shared", "Family"]])
        let columns =
            "id, title, location, starts_at, duration, time_zone, all_day, rrule, exdates, details ->> 'color', deleted_at"
        #expect(
            try await world.sql("select \(columns) from cuecard.event") == [
                [
                    World.event, "Class", "Pool", "2026-06-01 09:00:00", "00:45:00", "Asia/Seoul", "f", "FREQ=DAILY",
                    #"{"2026-06-02 09:00:00"}"#, "red", nil,
                ]
            ])
        try await world.register("ann", 1, start: token(1))
        try await world.drain()
        for (change, check, expected) in [
            (#"update public."Events" set "name" = 'Swimming'"#, "select title from cuecard.event", "Swimming"),
            (
                #"update public."Events" set "removedAt" = now()"#, "select deleted_at is not null from cuecard.event",
                "t"
            ),
            (#"update public."Events" set "removedAt" = null"#, "select deleted_at is null from cuecard.event", "t"),
            (#"update public."Calendars" set "isFamily" = false"#, "select kind from cuecard.calendar", "personal"),
            (#"delete from public."Events""#, "select count(*) from cuecard.event", "0"),
            (#"delete from public."Calendars""#, "select count(*) from cuecard.calendar", "0"),
        ] {
            try await world.sql(change)
            #expect(try await world.value(check) == expected, "\(change)")
            while try await world.value("select cuecard.fan_out(100)") == "t" {}
            #expect(try await world.isDue(1), "\(change)")
            try await world.drain()
        }
    }

    @Test("public_wrappers.sql: the apps' RPCs under the same names and arguments, for signed-in users alone")
    func wrappers() async throws {
        let world = try await World.withEvent()
        try await world.sql("alter default privileges in schema public grant execute on functions to anon")
        for _ in 1...2 { try await world.sql(try SQLFiles.text("examples/public_wrappers.sql")) }
        let signatures = { (schema: String) in
            try await world.sql(
                """
                select proname, pg_get_function_arguments(oid), pg_get_function_result(oid) from pg_proc
                where pronamespace = $1::regnamespace and has_function_privilege('authenticated', oid, 'execute')
                  and proname not in ('current_user_id', 'my_calendars') order by 1
                """, schema)
        }
        #expect(try await signatures("public") == signatures("cuecard"))
        #expect(
            try await world.value(
                "select count(*) from pg_proc where pronamespace = 'public'::regnamespace and has_function_privilege('anon', oid, 'execute')"
            )
                == "0")
        try await world.call(
            "ann",
            "public.register_device(device_id => $1::uuid, bundle_id => $2, apns_environment => 'sandbox', wake_token => 'aabb')",
            id(1), World.bundle)
        try await world.run(11)
        #expect(
            try await world.call("ann", "public.register_activity(run_id => $1::uuid, activity_id => 'A')", id(11))[
                "end"] == false)
        #expect(
            try await world.call("ann", "public.report_activity(run_id => $1::uuid, state => 'ended')", id(11))["state"]
                == "ended")
        try await world.call("ann", "public.unregister_device(device_id => $1::uuid)", id(1))
        #expect(try await world.device(1, "wake_token || (unregistered_at is not null)") == "aabbtrue")
    }

    @Test(
        "schedule.sql: the job's text holds no secret, the call has it from Vault or from its table; unschedule.sql takes all away"
    )
    func cron() async throws {
        let world = try await World.fresh()
        // pg_cron and pg_net are not everywhere: these stand for the three functions that are called.
        try await world.sql(
            """
            create schema cron; create schema net;
            create table cron.job (jobid bigint generated always as identity, jobname text unique, schedule text, command text,
                username name not null default current_user);
            create table cron.job_run_details (runid bigint, command text, end_time timestamptz);
            create function cron.schedule(text, text, text) returns bigint language sql as $$
                insert into cron.job (jobname, schedule, command) values ($1, $2, $3)
                on conflict (jobname) do update set schedule = excluded.schedule, command = excluded.command returning jobid $$;
            create function cron.unschedule(bigint) returns boolean language sql as $$ delete from cron.job where jobid = $1 returning true $$;
            create table net.sent (url text, body jsonb, params jsonb, headers jsonb, timeout_milliseconds int);
            create function net.http_post(url text, body jsonb default '{}', params jsonb default '{}',
                headers jsonb default '{}', timeout_milliseconds int default 5000) returns bigint language sql as $$
                insert into net.sent values ($1, $2, $3, $4, $5) returning 1 $$;
            """)
        let (schedule, unschedule) = (try SQLFiles.text("cron/schedule.sql"), try SQLFiles.text("cron/unschedule.sql"))
        for _ in 1...2 { try await world.sql(schedule) }
        #expect(
            try await world.sql("select jobname, schedule, command from cron.job") == [
                ["cuecard-tick", "* * * * *", "select cuecard.call_tick()"]
            ])
        let unset = try await refusal { try await world.sql("select cuecard.call_tick()") }
        #expect(unset?.code == "55000")
        try await world.sql(
            "insert into cuecard.cron_setting values ('cuecard_tick_url', 'https://worker/tick'), ('cuecard_cron_secret', 'table')"
        )
        try await world.sql("select cuecard.call_tick()")
        try await world.sql(
            """
            create schema vault; create table vault.decrypted_secrets (name text, decrypted_secret text);
            insert into vault.decrypted_secrets values ('cuecard_cron_secret', 'vault')
            """)
        try await world.sql("select cuecard.call_tick()")
        #expect(
            try await world.sql("select url, headers ->> 'Authorization', timeout_milliseconds > 50000 from net.sent")
                == [
                    ["https://worker/tick", "Bearer table", "t"], ["https://worker/tick", "Bearer vault", "t"],
                ])
        for role in ["anon", "authenticated", "service_role", "cuecard_worker"] {
            for statement in [
                "select cuecard.call_tick()", "select cuecard.cron_value('cuecard_cron_secret')",
                "table cuecard.cron_setting",
            ] {
                #expect(try await refusal { try await world.sql(as: role, statement) }?.code == "42501")
            }
        }
        for _ in 1...2 { try await world.sql(unschedule) }
        #expect(try await world.value("select count(*) from cron.job") == "0")
        #expect(try await world.value("select to_regclass('cuecard.cron_setting')") == nil)
    }
}
