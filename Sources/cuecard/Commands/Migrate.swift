import Foundation
import PostgresStore

extension Command {
    /// The schema, up to date: `cuecard migrate`.
    static func migrate(_ words: [String]) async throws -> ExitCode {
        _ = try Arguments(words, command: "migrate")
        let url = try Settings.databaseURL(in: ProcessInfo.processInfo.environment)
        do {
            let applied = try await Migration(files: EmbeddedSQL.files).run(on: Connection(url: url))
            Output.line(applied.isEmpty ? "the schema was up to date" : "applied " + applied.joined(separator: ", "))
            return .done
        } catch PostgresError.refused(let refusal) where refusal.code == "42501" {
            let hint = refusal.hint.map { $0 + " " } ?? ""
            throw Failure(
                .configuration,
                "migrate may not do that as this role: \(refusal.message). \(hint)Run it with the DATABASE_URL of the database's owner, a role with CREATEROLE; cuecard_worker is for tick and serve"
            )
        }
    }
}
