import Foundation
import PostgresStore

extension Command {
    /// The schema, up to date: `cuecard migrate`.
    static func migrate(_ words: [String]) async throws -> ExitCode {
        _ = try Arguments(words, command: "migrate")
        let url = try Settings.databaseURL(in: ProcessInfo.processInfo.environment)
        let applied = try await Migration(files: EmbeddedSQL.files).run(on: Connection(url: url))
        Output.line(applied.isEmpty ? "the schema was up to date" : "applied " + applied.joined(separator: ", "))
        return .done
    }
}
