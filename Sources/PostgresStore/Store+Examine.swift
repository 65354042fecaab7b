public import Foundation

/// What `cuecard doctor` knows of the database; times are Unix seconds, counts end at a thousand.
public struct Examination: Decodable, Sendable {
    /// As `server_version_num`: 150004 for 15.4.
    public var serverVersion: Int
    /// The database's clock.
    public var clock: TimeInterval
    /// The applied migrations.
    public var migrations: [String]
    /// Roles that are not there.
    public var missingRoles: [String]
    /// The functions that the worker may call.
    public var workerFunctions: [String]
    /// The tables that it has any right to.
    public var workerTables: [String]
    /// Attributes that take it past all rights.
    public var workerPowers: [String]
    /// Tables without row security.
    public var openTables: [String]
    /// Nil: there is no pg_cron in this database.
    public var cron: Cron?
    /// Nil: there is no pg_net in this database.
    public var http: HTTP?
    /// The time-out of `call_tick`; nil: it is not there.
    public var callTimeoutMs: Int?
    /// When the last tick began; nil: there was none.
    public var lastTick: TimeInterval?
    /// When the last tick that came to its end did so.
    public var lastFinishedTick: TimeInterval?
    /// When the oldest queued change was made; nil: the queue is empty.
    public var oldestChange: TimeInterval?
    /// Devices with a suspect start token.
    public var suspects: Int
    /// The bundle ids of `cuecard.app`.
    public var apps: [String]
    /// Where devices are registered.
    public var lanes: [Lane]

    /// The jobs named `cuecard-tick`.
    public struct Cron: Decodable, Sendable {
        /// Nil: they may not be read.
        public var jobs: [Job]?
        /// Why not.
        public var unreadable: String?
    }

    /// A job and its last run.
    public struct Job: Decodable, Sendable {
        /// In cron's form.
        public var schedule: String
        /// Whether pg_cron runs it.
        public var active: Bool
        /// Nil: it never ran.
        public var lastStart: TimeInterval?
        /// As pg_cron says it: `succeeded`, `failed` or `running`.
        public var status: String?
        /// The answer or the error of the last run.
        public var message: String?
    }

    /// What pg_net got back in the last ten minutes.
    public struct HTTP: Decodable, Sendable {
        /// Calls without an answer, or with an error's status.
        public var failed: Int?
        /// The last status.
        public var status: Int?
        /// The last error.
        public var error: String?
        /// Why none of this is known.
        public var unreadable: String?
    }

    /// An environment and app that devices are registered for.
    public struct Lane: Decodable, Sendable {
        /// `sandbox` or `production`.
        public var environment: String
        /// The app.
        public var bundleId: String
        /// Registered devices.
        public var devices: Int
        /// Devices that have been due for three minutes or more, and that nobody works on.
        public var overdue: Int
        /// Nil: it is not paused.
        public var pausedUntil: TimeInterval?
        /// APNs' word for the last pause.
        public var pauseReason: String?
        /// Whether a few devices try it out.
        public var isProbed: Bool
        /// Whether APNs called so many tokens bad at once that none is cleared.
        public var sparesTokens: Bool
    }
}

extension Store {
    /// Looks the whole set-up over.
    public func examine() async throws -> Examination {
        let rows = try await connection.run(
            Statement("examine", "select cuecard.examine()"), timeout: .seconds(60), isRepeatable: true)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decode(Examination.self, rows, "examine", with: decoder)
    }

    /// The server's `server_version_num`, which it tells everybody.
    public func serverVersion() async throws -> Int? {
        let rows = try await connection.run(
            Statement("version", "show server_version_num"), timeout: .seconds(10), isRepeatable: true)
        return rows.first?.first.flatMap(\.self).flatMap { Int($0) }
    }
}
