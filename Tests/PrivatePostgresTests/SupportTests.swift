import Foundation
import TestSupport
import Testing

@Suite("What the tests share")
struct SupportTests {
    @Test("SplitMix64 gives the published values")
    func splitMix() {
        var random = SplitMix64(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test("each test database is empty and apart from the others")
    func databases() async throws {
        let (one, two) = try await (TestDatabase.empty(), TestDatabase.empty())
        try await one.sql("create table only_here (text text); insert into only_here values ('a'), ('b');")
        #expect(try await one.sql("select text, length(text) from only_here order by text") == "a|1\nb|1")
        let error = await #expect(throws: SQLError.self) { try await two.sql("select * from only_here") }
        #expect(error?.message.contains("42P01") == true)
    }

    @Test("a statement runs with the role and the claims it is given")
    func roleAndClaims() async throws {
        let database = try await TestDatabase.empty()
        let answer = try await database.sql(
            "select current_user, current_setting('request.jwt.claims')::jsonb ->> 'sub'",
            role: "pg_monitor", claims: #"{"sub": "o'hara"}"#)
        #expect(answer == "pg_monitor|o'hara")
    }

    @Test("a schema's picture holds tables and grants, not the functions' texts, and is the same for the same schema")
    func picture() async throws {
        let statements = """
            create schema cuecard;
            create table cuecard.thing (id int primary key);
            create function cuecard.one() returns int language sql as 'select 1 + 41';
            revoke all on function cuecard.one() from public;
            grant execute on function cuecard.one() to pg_monitor;
            """
        var pictures: [String] = []
        for _ in 1...2 {
            let database = try await TestDatabase.empty()
            try await database.sql(statements)
            pictures.append(try await schemaPicture(of: database))
        }
        let picture = pictures[0]
        #expect(pictures[1] == picture)
        #expect(picture.hasPrefix("CREATE SCHEMA cuecard;\n\n"))
        #expect(picture.contains("\n\nCREATE TABLE cuecard.thing (\n    id integer NOT NULL\n);\n\n"))
        #expect(picture.contains("\nGRANT ALL ON FUNCTION cuecard.one() TO pg_monitor;\n"))
        #expect(!picture.contains("1 + 41"))
        #expect(!picture.contains("restrict"))
    }

    @Test("a child's output, errors, code and signal are told apart")
    func child() async throws {
        let shell = URL(fileURLWithPath: "/bin/sh")
        let result = try await Child.run(
            shell, ["-c", "cat; echo $WORD >&2; exit 3"], environment: ["WORD": "wrong"], input: "in")
        #expect(result.code == 3)
        #expect(result.output == "in")
        #expect(result.errors == "wrong\n")
        let sleeper = try Child(shell, ["-c", "echo up; exec sleep 600"])
        try await eventually("it says up") { sleeper.output == "up\n" }
        sleeper.signal(SIGKILL)
        #expect(try await sleeper.result().code == 128 + SIGKILL)
    }
}
