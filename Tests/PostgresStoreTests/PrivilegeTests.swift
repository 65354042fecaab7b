import PostgresStore
import TestSupport
import Testing

/// Who may do what, asked of the catalog, so that a new table or function cannot be forgotten.
@Suite("Privileges", .fewAtATime)
struct PrivilegeTests {
    @Test("Every function belongs to one circle of callers, as its file says, and nobody else may call it")
    func functions() async throws {
        let world = try await World.fresh()
        let callers = try await world.sql(
            """
            select p.proname, coalesce(string_agg(r.rolname, ',' order by r.rolname), '') from pg_proc p
            left join (values ('public'), ('anon'), ('authenticated'), ('service_role'), ('cuecard_worker')) r (rolname)
              on has_function_privilege(r.rolname, p.oid, 'execute')
            where p.pronamespace = 'cuecard'::regnamespace group by p.oid, p.proname order by 1
            """)
        var expected: [String: String] = [
            "current_user_id": "authenticated,service_role", "my_calendars": "authenticated",
        ]
        for path in try SQLFiles.paths(below: "rpc") {
            let name = String(path.split(separator: "/").last?.dropLast(4) ?? "")
            let circle = try SQLFiles.text(path).split(separator: "\n").first.map(String.init)
            expected[name] =
                switch circle {
                case "-- API: app": "authenticated"
                case "-- API: worker": "cuecard_worker"
                case "-- API: backend": "service_role"
                case "-- API: private": ""
                default: "no -- API: line in \(path)"
                }
        }
        for trigger in try await world.sql(
            "select proname from pg_proc where pronamespace = 'cuecard'::regnamespace and prorettype = 'trigger'::regtype"
        ) {
            expected[trigger[0] ?? ""] = ""
        }
        #expect(Dictionary(uniqueKeysWithValues: callers.map { ($0[0] ?? "", $0[1] ?? "") }) == expected)
    }

    @Test(
        "Every function has a pinned search_path, and one that the worker calls and that writes waits for locks with a limit"
    )
    func settings() async throws {
        let world = try await World.fresh()
        let loose = try await world.sql(
            """
            select proname from pg_proc where pronamespace = 'cuecard'::regnamespace
            and not coalesce(proconfig @> array['search_path=""'], false)
            """)
        #expect(loose == [])
        let patient = try await world.sql(
            """
            select proname from pg_proc where pronamespace = 'cuecard'::regnamespace and provolatile = 'v'
            and has_function_privilege('cuecard_worker', oid, 'execute')
            and not exists (select from unnest(proconfig) as setting where setting like 'lock_timeout=%')
            """)
        #expect(patient == [])
    }

    @Test("Every function that others call runs as its owner, and a private one does not")
    func definers() async throws {
        let world = try await World.fresh()
        let rows = try await world.sql(
            """
            select proname from pg_proc where pronamespace = 'cuecard'::regnamespace and proname <> 'current_user_id'
            and prosecdef <> (prorettype = 'trigger'::regtype
                or has_function_privilege('authenticated', oid, 'execute')
                or has_function_privilege('service_role', oid, 'execute')
                or has_function_privilege('cuecard_worker', oid, 'execute'))
            """)
        #expect(rows == [])
    }

    @Test("Every table has row security, and exactly these rights")
    func tables() async throws {
        let world = try await World.fresh()
        #expect(
            try await world.sql(
                "select relname from pg_class where relnamespace = 'cuecard'::regnamespace and relkind = 'r' and not relrowsecurity"
            ) == [])
        let rights = try await world.sql(
            """
            select r.rolname || ' ' || c.relname || ': ' || string_agg(distinct p.name, ',' order by p.name)
            from pg_class c
            cross join (values ('public'), ('anon'), ('authenticated'), ('service_role'), ('cuecard_worker')) r (rolname)
            cross join (values ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE'), ('TRUNCATE'), ('REFERENCES'), ('TRIGGER')) p (name)
            where c.relnamespace = 'cuecard'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'S')
              and has_table_privilege(r.rolname, c.oid, p.name)
            group by r.rolname, c.relname order by 1
            """)
        #expect(
            rights.map { $0[0] ?? "" } == [
                "authenticated calendar: SELECT", "authenticated calendar_member: SELECT",
                "authenticated event: SELECT",
                "authenticated event_override: SELECT", "service_role app: DELETE,INSERT,SELECT,UPDATE",
                "service_role attempt: SELECT", "service_role calendar: DELETE,INSERT,SELECT,UPDATE",
                "service_role calendar_member: DELETE,INSERT,SELECT,UPDATE",
                "service_role event: DELETE,INSERT,SELECT,UPDATE",
                "service_role event_override: DELETE,INSERT,SELECT,UPDATE",
                "service_role tick: SELECT",
            ])
    }

    @Test("I8: no token, secret or claim can be read by a client, a backend or the worker")
    func columns() async throws {
        let world = try await World.fresh()
        let readable = try await world.sql(
            """
            select r.rolname, c.relname, a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
            cross join (values ('anon'), ('authenticated'), ('service_role'), ('cuecard_worker')) r (rolname)
            where c.relnamespace = 'cuecard'::regnamespace and c.relkind = 'r' and a.attnum > 0
              and a.attname like '%token%' and has_column_privilege(r.rolname, c.oid, a.attname, 'select')
            """)
        #expect(readable == [])
        for role in ["authenticated", "service_role"] {
            try await world.sql(
                as: role, claims: #"{"sub":"ann"}"#, "select id, user_id, time_zone from cuecard.device")
            #expect(
                try await refusal { try await world.sql(as: role, "select push_to_start_token from cuecard.device") }?
                    .code
                    == "42501")
            #expect(
                try await refusal { try await world.sql(as: role, "select update_token from cuecard.run") }?.code
                    == "42501")
        }
    }

    @Test("anon has nothing, not even the schema")
    func anon() async throws {
        let world = try await World.fresh()
        #expect(try await world.value("select has_schema_privilege('anon', 'cuecard', 'usage')") == "f")
        #expect(
            try await refusal {
                try await world.sql(
                    as: "anon", claims: #"{"sub":"ann"}"#, "select cuecard.unregister_device('\(id(1))')")
            }?.code == "42501")
    }

    @Test("A user reads their own rows and nothing of others")
    func rowSecurity() async throws {
        let world = try await World.withEvent(of: "ann")
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'bea')", World.calendar)
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence) values ($1::uuid, '2026-06-01 09:00')",
            World.event)
        for (number, user) in [(1, "ann"), (2, "bea"), (3, "cis")] {
            try await world.register(user, number, start: token(number))
            try await world.run(number + 10, device: number, user: user)
        }
        func seen(_ user: String, _ table: String) async throws -> [String?] {
            let column = table == "calendar_member" ? "user_id" : table == "event_override" ? "event_id" : "id"
            return try await world.sql(
                as: "authenticated", claims: #"{"sub":"\#(user)"}"#, "select \(column) from cuecard.\(table) order by 1"
            ).map { $0[0] }
        }
        let expected: [String: [String: [String]]] = [
            "ann": [
                "device": [id(1)], "run": [id(11)], "calendar": [World.calendar], "calendar_member": [],
                "event": [World.event], "event_override": [World.event],
            ],
            "bea": [
                "device": [id(2)], "run": [id(12)], "calendar": [World.calendar], "calendar_member": ["bea"],
                "event": [World.event], "event_override": [World.event],
            ],
            "cis": [
                "device": [id(3)], "run": [id(13)], "calendar": [], "calendar_member": [], "event": [],
                "event_override": [],
            ],
        ]
        for (user, tables) in expected {
            for (table, rows) in tables { #expect(try await seen(user, table) == rows, "\(user) \(table)") }
        }
        // Signed in as nobody: nothing.
        for table in ["device", "run", "calendar", "event"] {
            let rows = try await world.sql(as: "authenticated", claims: "", "select count(*) from cuecard.\(table)")
            #expect(rows == [["0"]])
        }
        #expect(
            try await refusal {
                try await world.sql(
                    as: "authenticated", claims: #"{"sub":"ann"}"#, "update cuecard.device set locale = 'xx'")
            }?.code == "42501")
        #expect(
            try await refusal {
                try await world.sql(as: "authenticated", claims: #"{"sub":"ann"}"#, "delete from cuecard.event")
            }?.code == "42501")
    }

    @Test("The backend writes what is its own, giving only what it knows")
    func backend() async throws {
        let world = try await World.fresh()
        let rows = try await world.sql(
            as: "service_role",
            """
            insert into cuecard.app (bundle_id, attributes_type) values ('b', 'B');
            insert into cuecard.calendar (id, owner_id) values ('\(World.calendar)', 'ann');
            insert into cuecard.calendar_member (calendar_id, user_id) values ('\(World.calendar)', 'bea');
            insert into cuecard.event (id, calendar_id, starts_at) values ('\(World.event)', '\(World.calendar)', '2026-06-01 09:00');
            insert into cuecard.event (calendar_id, starts_at, title, location, time_zone, rrule, rdates, exdates, lead, details, deleted_at)
                values ('\(World.calendar)', '2026-06-01 09:00', null, null, null, null, null, null, null, null, null);
            insert into cuecard.event_override (event_id, occurrence) values ('\(World.event)', '2026-06-01 09:00');
            update cuecard.app set lead = '30 min' where bundle_id = 'b';
            update cuecard.event set title = 'x';
            update cuecard.event_override set cancelled = true;
            delete from cuecard.event_override; delete from cuecard.calendar_member; delete from cuecard.event;
            delete from cuecard.calendar; delete from cuecard.app where bundle_id = 'b';
            select count(*) from cuecard.event
            """)
        #expect(rows == [["0"]])
    }
}
