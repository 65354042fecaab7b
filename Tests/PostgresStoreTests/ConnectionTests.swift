import Foundation
import PostgresStore
import TestSupport
import Testing

@Suite("The connection", .fewAtATime)
struct ConnectionTests {
    private func database() async throws -> (database: TestDatabase, connection: Connection) {
        let database = try await TestDatabase.empty()
        return (database, Connection(url: try database.url()))
    }

    @Test("Values go and come as they are")
    func values() async throws {
        let (_, connection) = try await database()
        let values: [String?] = ["", nil, "a'b\"c\\d", "한국어 🎈", String(repeating: "x", count: 1_000_000)]
        #expect(
            try await connection.run(
                Statement("echo", "select $1::text, $2::text, $3::text, $4::text, $5::text", values)) == [values])
        #expect(try await connection.run(Statement("none", "select 1 where false")) == [])
        #expect(
            try await connection.run(
                Statement("several", "create temp table t (n int); insert into t values (1), (2); select n from t"))
                == [["1"], ["2"]])
        #expect(try await connection.run(Statement("empty", "")) == [])
    }

    @Test("Text is UTF-8, whatever the database or the environment prefer")
    func encoding() async throws {
        let (database, connection) = try await database()
        try await database.sql("alter database \(database.name) set client_encoding = 'LATIN1'")
        #expect(try await connection.run(Statement("echo", "select 'é', $1", ["한"])) == [["é", "한"]])
    }

    @Test("Huge statements and huge answers")
    func huge() async throws {
        let (_, connection) = try await database()
        let rows = try await connection.run(
            Statement("rows", "select n, repeat('x', 100) from generate_series(1, 200000) n"))
        #expect(rows.count == 200_000)
        #expect(rows.last?[0] == "200000")
        let text = String(repeating: "0123456789abcdef", count: 2_000_000)
        #expect(
            try await connection.run(Statement("parameter", "select md5($1), length($1)", [text]))[0][1] == "32000000")
        // Both at once: the server must be read from while it is written to.
        let answer = try await connection.run(Statement("both", "select repeat('y', 30000000), length($1)", [text]))
        #expect(answer[0][0]?.utf8.count == 30_000_000)
    }

    @Test("A refusal keeps its code and its hint; the connection goes on")
    func refusals() async throws {
        let (_, connection) = try await database()
        let refused = try await refusal {
            _ = try await connection.run(
                Statement("raise", "do $$ begin raise exception 'no' using errcode = '22023', hint = 'do so'; end $$"))
        }
        #expect([refused?.code, refused?.message, refused?.hint] == ["22023", "no", "do so"])
        #expect(try await connection.run(Statement("one", "select 1")) == [["1"]])
        let missing = await #expect(throws: PostgresError.self) {
            _ = try await connection.run(Statement("x", "select cuecard.load(null, now())"))
        }
        #expect(missing.map { "\($0)".contains("cuecard migrate") } == true)
    }

    @Test("I8: no error holds a value that was sent, nor the URL")
    func silentErrors() async throws {
        let (database, connection) = try await database()
        try await database.sql(
            "create table t (token text primary key check (token <> 'bad-secret')); insert into t values ('secret')")
        for value in ["secret", "bad-secret"] {
            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.run(Statement("insert", "insert into t values ($1)", [value]))
            }
            #expect(error.map { "\($0)".contains("secret") } == false)
        }
        for url in [
            "postgres://user:pass-word@host:port/db", "postgresql://user:pass-word@[::1/db",
            "host=x password=pass-word oops", "pass-word",
            "postgresql://user:pass-word@127.0.0.1:1/db", "postgresql://user:pass-word@%zz/db",
        ] {
            let error = await #expect(throws: PostgresError.self) {
                _ = try await Connection(url: url).run(Statement("one", "select 1"))
            }
            #expect(error.map { "\($0)".contains("pass-word") } == false, "\(url)")
        }
    }

    @Test("A statement past its time is cancelled on the server too; the next one has a new connection")
    func timeout() async throws {
        let (database, connection) = try await database()
        let watcher = Connection(url: try database.url())
        let before = try await connection.run(Statement("pid", "select pg_backend_pid()"))
        await #expect(throws: PostgresError.timedOut(statement: "nap", after: .milliseconds(300))) {
            _ = try await connection.run(Statement("nap", "select pg_sleep(600)"), timeout: .milliseconds(300))
        }
        #expect(try await connection.run(Statement("pid", "select pg_backend_pid()")) != before)
        try await eventually("the statement is gone") {
            try await watcher.run(
                Statement(
                    "look",
                    "select count(*) from pg_stat_activity where datname = current_database() and query like '%pg_sleep(600)' and pid <> pg_backend_pid()"
                )
            ) == [["0"]]
        }
    }

    @Test("A backend killed while idle is replaced unseen, by one statement or in a transaction")
    func killedWhileIdle() async throws {
        let (database, connection) = try await database()
        let killer = Connection(url: try database.url())
        func kill() async throws {
            let pid = try await connection.run(Statement("pid", "select pg_backend_pid()"))[0][0]
            _ = try await killer.run(Statement("kill", "select pg_terminate_backend($1::int, 10000)", [pid]))
        }
        try await kill()
        #expect(try await connection.run(Statement("one", "select 1")) == [["1"]])
        try await kill()
        #expect(try await connection.transaction { run in try run(Statement("one", "select 1")) } == [["1"]])
    }

    @Test("A backend killed at work: what may run twice runs again, all else says that the connection broke")
    func killedAtWork() async throws {
        let (database, connection) = try await database()
        let killer = Connection(url: try database.url())
        try await database.sql("create sequence runs")
        /// Sleeps in its first run and is killed there.
        func killedOnce(isRepeatable: Bool) async throws -> Rows {
            try await database.sql("alter sequence runs restart")
            let nap = Statement("nap", "select case when n = 1 then pg_sleep(600)::text end, n from nextval('runs') n")
            async let answer = connection.run(nap, isRepeatable: isRepeatable)
            try await eventually("it is asleep") {
                try await killer.run(
                    Statement(
                        "kill",
                        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()"
                    )
                ).count == 1
            }
            return try await answer
        }
        await #expect(throws: PostgresError.self) { _ = try await killedOnce(isRepeatable: false) }
        #expect(try await killedOnce(isRepeatable: true) == [[nil, "2"]])
    }

    @Test("A transaction whose backend is killed leaves nothing, and goes on nowhere else")
    func killedInTransaction() async throws {
        let (database, connection) = try await database()
        try await database.sql("create table t (n int)")
        await #expect(throws: PostgresError.self) {
            try await connection.transaction { run in
                _ = try run(Statement("insert", "insert into t values (1)"))
                do { _ = try run(Statement("die", "select pg_terminate_backend(pg_backend_pid())")) } catch {}
                _ = try run(Statement("insert", "insert into t values (2)"))
            }
        }
        #expect(try await connection.run(Statement("count", "select count(*) from t")) == [["0"]])
    }

    @Test("What a transaction's body throws rolls everything back, and the connection goes on")
    func rollback() async throws {
        struct Refused: Error {}
        let (database, connection) = try await database()
        try await database.sql("create table t (n int)")
        await #expect(throws: Refused.self) {
            try await connection.transaction { run in
                _ = try run(Statement("insert", "insert into t values (1)"))
                throw Refused()
            }
        }
        #expect(
            try await refusal {
                try await connection.transaction { run in _ = try run(Statement("divide", "select 1 / 0")) }
            }?.code == "22012")
        #expect(try await connection.run(Statement("count", "select count(*) from t")) == [["0"]])
    }

    @Test("The server crashes and comes back between two ticks")
    func crash() async throws {
        let database = try await TestDatabase.alone()
        let connection = Connection(url: try database.url())
        let victim = Connection(url: try database.url())
        _ = try await connection.run(Statement("one", "select 1"))
        let pid = try #require(
            try await victim.run(Statement("pid", "select pg_backend_pid()"))[0][0].flatMap { Int32($0) })
        kill(pid, SIGKILL)
        try await eventually("the server answers again") {
            do {
                return try await connection.run(Statement("one", "select 1")) == [["1"]]
            } catch PostgresError.unreachable {
                return false
            }
        }
    }

    @Test("No server at all: an error that says so, in time")
    func noServer() async throws {
        let error = await #expect(throws: PostgresError.self) {
            _ = try await Connection(url: "postgresql://%2Fnowhere/db").run(Statement("one", "select 1"))
        }
        #expect(error.map { "\($0)".contains("DATABASE_URL") } == true)
    }

    @Test("Many callers at once have their own answers")
    func manyCallers() async throws {
        let (_, connection) = try await database()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let answer = try await connection.run(Statement("n", "select $1", ["\(number)"]))
                    #expect(answer == [["\(number)"]])
                }
            }
            try await group.waitForAll()
        }
    }
}
