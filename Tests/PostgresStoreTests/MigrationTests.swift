import PostgresStore
import TestSupport
import Testing

@Suite("Migrations", .fewAtATime)
struct MigrationTests {
    @Test("A second run changes nothing and says so")
    func twice() async throws {
        let database = try await TestDatabase.empty()
        let first = try await migrate(database)
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output.contains("0001_schema"))
        let before = try await database.sql(shape)
        let second = try await migrate(database)
        #expect(second.code == 0, "\(second.errors)")
        #expect(second.output.contains("up to date"))
        #expect(try await database.sql(shape) == before)
    }

    @Test("Each file may be applied again by hand")
    func filesAreIdempotent() async throws {
        let database = try await TestDatabase.fresh()
        let before = try await database.sql(shape)
        for file in try SQLFiles.paths(below: "migrations") + SQLFiles.paths(below: "rpc") {
            try await database.sql("set client_min_messages = warning;" + SQLFiles.text(file))
        }
        #expect(try await database.sql(shape) == before)
    }

    @Test("Every migration over a populated database again keeps every row")
    func dataOutlivesThem() async throws {
        let world = try await World.withEvent(of: "ann")
        try await world.sql("insert into cuecard.app (bundle_id, attributes_type) values ('com.example.other', 'T')")
        try await world.sql("insert into cuecard.calendar_member values ($1::uuid, 'bea')", World.calendar)
        try await world.sql(
            "insert into cuecard.event_override (event_id, occurrence) values ($1::uuid, '2026-06-01 09:00')",
            World.event)
        for (number, user) in [(1, "ann"), (2, "bea")] {
            try await world.register(user, number, start: token(number))
            try await world.run(number + 10, device: number, user: user)
        }
        try await world.sql("select cuecard.begin_tick(gen_random_uuid(), 'w', now(), '{production}', '{null}')")
        let tables = try await world.sql(
            "select relname from pg_class where relnamespace = 'cuecard'::regnamespace and relkind = 'r' and relname <> 'migration' order by 1"
        ).compactMap { $0[0] }
        func rows() async throws -> [String] {
            var all: [String] = []
            for table in tables {
                all += try await world.sql("select t::text from cuecard.\(table) t order by 1").map { "\(table) \($0)" }
            }
            return all
        }
        let before = try await rows()
        for table in [
            "app", "calendar", "calendar_member", "event", "event_override", "device", "run", "lane", "tick", "change",
        ] {
            #expect(before.contains { $0.hasPrefix(table + " ") }, "\(table) is empty")
        }
        // As if none had been applied: the ledger alone knows of them.
        try await world.sql("delete from cuecard.migration")
        let again = try await migrate(world.database)
        #expect(again.code == 0, "\(again.errors)")
        #expect(again.output.contains("0001_schema"))
        #expect(try await rows() == before)
    }

    @Test("The worker's role is told who has to run it")
    func notTheOwner() async throws {
        let world = try await World.fresh()
        try await world.sql("alter role cuecard_worker login")
        let refused = try await migrate(world.database, user: "cuecard_worker")
        #expect(refused.code == 78)
        #expect(refused.errors.contains("database's owner"), "\(refused.errors)")
        #expect(refused.errors.split(separator: "\n").count == 1)
    }

    @Test("Twenty processes at once")
    func twentyAtOnce() async throws {
        let database = try await TestDatabase.empty()
        let results = try await withThrowingTaskGroup(of: Child.Result.self) { group in
            for _ in 0..<20 { group.addTask { try await migrate(database) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.map(\.code) == Array(repeating: 0, count: 20), "\(results.map(\.errors))")
        #expect(results.filter { !$0.output.contains("up to date") }.count == 1)
    }

    @Test("Two databases of one new cluster at once, by an owner who may create roles and is no superuser")
    func twoDatabasesOfOneCluster() async throws {
        let first = try await TestDatabase.alone()
        try await first.sql("create role keeper login createrole")
        let databases = [try await first.sibling(owner: "keeper"), try await first.sibling(owner: "keeper")]
        let results = try await withThrowingTaskGroup(of: Child.Result.self) { group in
            for database in databases { group.addTask { try await migrate(database, user: "keeper") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.map(\.code) == [0, 0], "\(results.map(\.errors))")

        // And it works for those who use it, with nobody being a superuser.
        for database in databases {
            try await database.sql(
                "insert into cuecard.app (bundle_id, attributes_type) values ('a', 'A')", role: "service_role")
            let answer = try await database.sql(
                "select cuecard.register_device('\(id(1))', 'a', 'sandbox', 'UTC', 'en', 'aabb') ->> 'server_starts'",
                role: "authenticated", claims: #"{"sub":"ann"}"#)
            #expect(answer == "t" || answer == "true")
            #expect(try await database.sql("select cuecard.fan_out(10)", role: "cuecard_worker") == "t")
        }
    }

    @Test("An owner who may not create the roles is told so, and where they are there already needs not to")
    func rolesThatAreMissing() async throws {
        let first = try await TestDatabase.alone()
        try await first.sql("create role keeper login")
        let database = try await first.sibling(owner: "keeper")
        let refused = try await migrate(database, user: "keeper")
        #expect(refused.code != 0)
        #expect(refused.errors.contains("CREATEROLE"), "\(refused.errors)")
        #expect(try await database.sql("select count(*) from pg_namespace where nspname = 'cuecard'") == "0")

        try await first.sql(
            "create role anon; create role authenticated; create role service_role bypassrls; create role cuecard_worker;"
        )
        let done = try await migrate(database, user: "keeper")
        #expect(done.code == 0, "\(done.errors)")
    }
}

private func migrate(_ database: TestDatabase, user: String = "postgres") async throws -> Child.Result {
    try await Binary.run(["migrate"], environment: ["DATABASE_URL": database.url(user: user)])
}

/// Every relation, column, constraint, index, policy, trigger and function with its rights.
private let shape = """
    select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, c.relacl, a.attacl, c.relrowsecurity
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'cuecard'::regnamespace and a.attnum > 0 and not a.attisdropped order by 1, 2;
    select conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'cuecard'::regnamespace order by 1, 2;
    select indexdef from pg_indexes where schemaname = 'cuecard' order by 1;
    select tablename, policyname, roles, cmd, qual, with_check from pg_policies where schemaname = 'cuecard' order by 1, 2;
    select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1;
    select oid::regprocedure::text, md5(pg_get_functiondef(oid)), proacl from pg_proc
    where pronamespace = 'cuecard'::regnamespace order by 1;
    """
