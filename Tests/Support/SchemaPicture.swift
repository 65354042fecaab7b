import Foundation
import PrivatePostgres

/// The schema `cuecard` of a database as `pg_dump` draws it, without what differs from dump to dump.
///
/// Tables, constraints, indexes, triggers, policies, comments and every grant; the functions' texts are left out, for
/// `sql/rpc` holds them.
public func schemaPicture(of database: TestDatabase) async throws -> String {
    let script = #"""
        set -e
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        "$1/pg_dump" --format=custom --schema-only --no-owner --schema=cuecard --file="$folder/dump" "$2"
        "$1/pg_restore" --list "$folder/dump" | grep -vE '^[0-9]+; [0-9]+ [0-9]+ FUNCTION ' >"$folder/list"
        "$1/pg_restore" --no-owner --use-list="$folder/list" --file=- "$folder/dump"
        """#
    let binaries = try TestDatabase.cluster.binaries.path
    let result = try await Child.run(
        URL(fileURLWithPath: "/bin/sh"), ["-c", script, "sh", binaries, database.url()])
    guard result.code == 0 else { throw SQLError(message: result.errors) }
    let noise = ["--", "SET ", "SELECT pg_catalog.set_config", "\\restrict", "\\unrestrict"]
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
        .filter { line in !noise.contains { line.hasPrefix($0) } }
    // One empty line between statements.
    return lines.split(whereSeparator: \.isEmpty).map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
}
