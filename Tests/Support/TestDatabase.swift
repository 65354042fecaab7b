import Foundation
public import PrivatePostgres

/// A database of its own for one suite or test, in the one private cluster of this test process.
///
/// The cluster starts with the first use and ends with the process. A database lives until then.
public struct TestDatabase: Sendable {
    /// The database's name.
    public let name: String
    private let cluster: PrivatePostgres

    /// A database with Cuecard's whole schema, cloned from a template that `cuecard migrate` made once.
    public static func fresh() async throws -> TestDatabase {
        try await make(from: migrated.value)
    }

    /// A database with nothing in it.
    public static func empty() async throws -> TestDatabase {
        try await make(from: "template0")
    }

    /// An empty database in a cluster of its own, for what touches roles or the server itself.
    public static func alone() async throws -> TestDatabase {
        let cluster = try PrivatePostgres.start(in: URL(fileURLWithPath: NSTemporaryDirectory()))
        return try await make(from: "template0", in: cluster)
    }

    /// A database with the whole schema and pg_cron, in a cluster of its own: pg_cron serves one database a cluster.
    public static func withCron() async throws -> TestDatabase {
        let cluster = try PrivatePostgres.start(
            in: URL(fileURLWithPath: NSTemporaryDirectory()),
            settings: [
                "shared_preload_libraries": "pg_cron", "cron.database_name": "postgres",
                "cron.use_background_workers": "on", "max_worker_processes": "20",
            ])
        let database = TestDatabase(name: "postgres", cluster: cluster)
        let result = try await Binary.run(["migrate"], environment: ["DATABASE_URL": database.url()])
        guard result.code == 0 else { throw SQLError(message: "cuecard migrate failed: \(result.errors)") }
        try await database.sql("create extension pg_cron; alter role cuecard_worker login;")
        return database
    }

    /// Another empty database of the same cluster, owned by a role that is there.
    public func sibling(owner: String) async throws -> TestDatabase {
        try await Self.make(from: "template0", in: cluster, owner: owner)
    }

    /// The cluster that all tests of this process share.
    public static var cluster: PrivatePostgres {
        get throws { try shared.get() }
    }

    /// A libpq URI; the superuser's unless a role that may log in is named.
    public func url(user: String = "postgres") throws -> String {
        cluster.url(database: name, user: user)
    }

    /// Runs SQL through `psql` and gives what it printed: rows as lines, columns parted by `|`.
    ///
    /// - Parameters:
    ///   - role: Set first, so that the statements run with its rights alone.
    ///   - claims: The value of `request.jwt.claims`, as PostgREST sets it.
    /// - Throws: ``SQLError`` with the server's words.
    @discardableResult
    public func sql(_ statements: String, role: String? = nil, claims: String? = nil) async throws -> String {
        var script = "\\set VERBOSITY verbose\n"
        if let claims { script += "set request.jwt.claims to '\(claims.replacing("'", with: "''"))';\n" }
        if let role { script += "set role \"\(role)\";\n" }
        let psql = cluster.binaries.appendingPathComponent("psql")
        let result = try await Child.run(
            psql, ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-f", "-", url()], input: script + statements)
        guard result.code == 0 else { throw SQLError(message: result.errors) }
        return result.output.trimmingCharacters(in: .newlines)
    }

    private static let shared = Result {
        try PrivatePostgres.start(
            in: URL(fileURLWithPath: NSTemporaryDirectory()), settings: ["max_connections": "600"])
    }

    /// Made once; every `fresh` waits for it.
    private static let migrated = Task<String, any Error> {
        let template = try await make(from: "template0")
        let result = try await Binary.run(["migrate"], environment: ["DATABASE_URL": template.url()])
        guard result.code == 0 else { throw SQLError(message: "cuecard migrate failed: \(result.errors)") }
        return template.name
    }

    private static func make(
        from template: String, in given: PrivatePostgres? = nil, owner: String = "postgres"
    ) async throws -> TestDatabase {
        let cluster = try given ?? shared.get()
        let name = "test_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        try await queue.next {
            _ = try await TestDatabase(name: "postgres", cluster: cluster)
                .sql("create database \(name) template \(template) owner \(owner);")
        }
        return TestDatabase(name: name, cluster: cluster)
    }

    /// Databases are made one after another: a hundred tests that begin at once would starve the server's log-in.
    private static let queue = Queue()

    private actor Queue {
        private var last: Task<Void, Never>?

        func next(_ work: @escaping @Sendable () async throws -> Void) async throws {
            let before = last
            let task = Task {
                await before?.value
                try await work()
            }
            last = Task { _ = await task.result }
            try await task.value
        }
    }
}

/// What Postgres refused, in its own words, SQLSTATE included.
public struct SQLError: Error, CustomStringConvertible {
    /// `psql`'s verbose error: "ERROR:  42501: permission denied …".
    public var message: String

    public var description: String { message }
}
