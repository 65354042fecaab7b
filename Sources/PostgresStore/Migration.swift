/// Brings a database's schema up to date: the numbered migrations that it lacks, then every function as it reads today.
///
/// Postgres keeps a function whose arguments changed beside its new form: where they do, a numbered migration drops it.
public struct Migration: Sendable {
    /// The SQL files, by their path below `sql/`.
    public let files: [(name: String, text: String)]

    /// A migration made of these files.
    public init(files: [(name: String, text: String)]) { self.files = files }

    /// Applies what is missing, in one transaction; safe to run again, and from many processes at once.
    ///
    /// - Returns: The numbered migrations that were applied now.
    /// - Throws: ``PostgresError``; nothing is changed then.
    public func run(on connection: Connection) async throws -> [String] {
        let numbered = files.filter { $0.name.hasPrefix("migrations/") }.sorted { $0.name < $1.name }
        let functions = files.filter { $0.name.hasPrefix("rpc/") }.sorted { $0.name < $1.name }
        return try await connection.transaction(timeout: .seconds(300)) { run in
            for preparation in Self.preparations { _ = try run(preparation) }
            let applied = Set(try run(Statement("applied", "select name from cuecard.migration")).map { $0[0] })
            let missing = numbered.filter { !applied.contains($0.name) }
            for file in missing {
                _ = try run(Statement(file.name, file.text))
                _ = try run(Statement(file.name, "insert into cuecard.migration (name) values ($1)", [file.name]))
            }
            for file in functions { _ = try run(Statement(file.name, file.text)) }
            return missing.map(\.name)
        }
    }

    private static let preparations = [
        // One at a time; any constant will do, it only has to be ours.
        Statement("lock", "select pg_advisory_xact_lock(7310577341)"),
        Statement("silence", "set local client_min_messages = warning"),
        // A function may call one that comes later.
        Statement("bodies", "set local check_function_bodies = off"),
        Statement("schema", "create schema if not exists cuecard"),
        Statement(
            "ledger",
            """
            create table if not exists cuecard.migration (
                name text primary key, applied_at timestamptz not null default now());
            alter table cuecard.migration enable row level security
            """),
    ]
}
