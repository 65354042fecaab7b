import Foundation
import TestSupport
import Testing

@Suite("The schema's picture")
struct SchemaPictureTests {
    /// `UPDATE_SCHEMA=1 scripts/check schema` draws it anew.
    @Test("sql/schema.sql shows what the migrations make")
    func current() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../sql/schema.sql").standardizedFileURL
        let database = try await TestDatabase.fresh()
        let version = try await database.sql("select current_setting('server_version_num')::int / 10000")
        let heading = "-- Made by UPDATE_SCHEMA=1 scripts/check schema, with Postgres \(version). Not to be edited.\n\n"
        let picture = try await heading + schemaPicture(of: database)
        if ProcessInfo.processInfo.environment["UPDATE_SCHEMA"] == "1" {
            try picture.write(to: file, atomically: true, encoding: .utf8)
        }
        let committed = try String(contentsOf: file, encoding: .utf8)
        // Releases of pg_dump draw differently: only one of the same release can be compared.
        let drawnWith = committed.firstMatch(of: /with Postgres (\d+)\./)?.output.1
        try #require(drawnWith != nil, "sql/schema.sql has no heading")
        guard drawnWith.map(String.init) == version else { return }
        #expect(committed == picture, "stale: UPDATE_SCHEMA=1 scripts/check schema")
    }
}
