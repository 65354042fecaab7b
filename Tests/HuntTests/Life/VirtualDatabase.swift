import Foundation
import PostgresStore
import TestSupport

/// A real Postgres with the real schema, whose wall clock and chance are the hunt's.
///
/// `clock_timestamp()` and `gen_random_uuid()` are replaced before the schema is made, so that every default, trigger
/// and function of it uses the replacements: the same story gives the same rows.
struct VirtualDatabase: Sendable {
    let url: String
    let connection: Connection

    static func make() async throws -> VirtualDatabase {
        let database = try await TestDatabase.empty()
        try await database.sql(
            """
            set allow_system_table_mods = on;
            create schema hunt;
            create table hunt.clock (wall timestamptz not null);
            insert into hunt.clock values ('2026-01-01T00:00:00Z');
            create sequence hunt.serial;
            alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp;
            create function pg_catalog.clock_timestamp() returns timestamptz
            language sql volatile security definer set search_path = '' as 'select wall from hunt.clock';
            alter function pg_catalog.gen_random_uuid() rename to real_gen_random_uuid;
            create function pg_catalog.gen_random_uuid() returns uuid
            language sql volatile security definer set search_path = ''
            as $$select md5('hunt' || nextval('hunt.serial'))::uuid$$;
            """)
        let migrated = try await Binary.run(["migrate"], environment: ["DATABASE_URL": database.url()])
        guard migrated.code == 0 else { throw Violation("cuecard migrate failed", migrated.errors) }
        if let path = ProcessInfo.processInfo.environment["HUNT_SQL"] {  // a mutation
            try await database.sql(String(contentsOfFile: path, encoding: .utf8))
        }
        return VirtualDatabase(url: try database.url(), connection: Connection(url: try database.url()))
    }

    /// Empties every table, for another story.
    func reset() async throws {
        try await run(
            """
            truncate cuecard.app, cuecard.calendar, cuecard.calendar_member, cuecard.event, cuecard.event_override,
                cuecard.device, cuecard.lane, cuecard.run, cuecard.attempt, cuecard.provider_token, cuecard.tick,
                cuecard.change restart identity;
            alter sequence hunt.serial restart;
            """)
    }

    /// What the database's machine takes for the time.
    func setWall(_ wall: Date) async throws {
        try await run("update hunt.clock set wall = to_timestamp(\(wall.timeIntervalSince1970))")
    }

    @discardableResult
    func run(_ sql: String) async throws -> Rows { try await connection.run(Statement("hunt", sql)) }

    /// Calls an RPC as a signed-in user.
    func rpc(_ user: String, _ call: String) async throws -> String {
        try await connection.transaction { run in
            _ = try run(
                Statement("claims", "select set_config('request.jwt.claims', $1, true)", ["{\"sub\": \"\(user)\"}"]))
            _ = try run(Statement("role", "set local role authenticated"))
            return try run(Statement("rpc", "select cuecard.\(call)"))[0][0] ?? ""
        }
    }
}
