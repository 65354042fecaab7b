public import Foundation
internal import LiveActivity
public import Planning
internal import Recurrence

/// The worker's database: one method a function of `sql/rpc/worker`, and no SQL beside the calls.
public struct Store: Sendable {
    /// A lane that this worker has a key for; nil bundle: every app of the environment.
    public struct Lane: Sendable, Equatable {
        /// `sandbox` or `production`.
        public var environment: String
        /// Nil: every app of the environment.
        public var bundleID: String?

        /// A lane by its parts.
        public init(environment: String, bundleID: String?) {
            self.environment = environment
            self.bundleID = bundleID
        }
    }

    /// How long what is over is kept, in days; each tick prunes a little.
    public struct Retention: Sendable {
        /// Of ticks and attempts.
        public var attemptDays = 30
        /// Of settled runs.
        public var runDays = 90

        /// The defaults.
        public init() {}
    }

    let connection: Connection
    let worker: String
    let lanes: [Lane]
    let retention: Retention
    /// Longer than a batch can take: sending has its own deadline well within it.
    let leaseSeconds = 90

    /// A store for a worker that has keys for these lanes; `worker` names it in the tick's row.
    public init(connection: Connection, worker: String, lanes: [Lane], retention: Retention = Retention()) {
        self.connection = connection
        self.worker = worker
        self.lanes = lanes
        self.retention = retention
    }

    /// Opens a pass; answers the lanes whose due devices get nothing, and the receipts that are ripe.
    public func beginTick(_ pass: UUID, at now: Date) async throws -> Opening {
        let answer = try await connection.run(
            Statement(
                "begin_tick", "select cuecard.begin_tick($1::uuid, $2, $3::timestamptz, $4::text[], $5::text[])",
                [pass.lowercased, worker, now.rfc3339, environments, bundles]), isRepeatable: true)
        return try decode(Opening.self, answer, "begin_tick")
    }

    /// Records what Expo said later of its wakes: `ok`, or its word for a refusal.
    public func recordReceipts(_ reasons: [UUID: String]) async throws {
        let rows = reasons.map { JSON.object(["attempt": .string($0.lowercased), "reason": .string($1)]) }
        _ = try await connection.run(
            Statement(
                "record_receipts", "select cuecard.record_receipts($1::jsonb)", [JSON.array(rows).description]),
            isRepeatable: true)
    }

    /// Takes one queued change and makes some of its devices due; false when none is left to take.
    public func fanOut() async throws -> Bool {
        try await connection.run(Statement("fan_out", "select cuecard.fan_out(1000)"), isRepeatable: true)[0][0] == "t"
    }

    /// Takes due devices under a lease.
    public func claimDue(_ pass: UUID, at now: Date, limit: Int) async throws -> [Claim] {
        let rows = try await connection.run(
            Statement(
                "claim_due",
                "select * from cuecard.claim_due($1::uuid, $2::timestamptz, $3::text[], $4::text[], $5::int, $6::int)",
                [pass.lowercased, now.rfc3339, environments, bundles, "\(limit)", "\(leaseSeconds)"]))
        return try claims(rows, "claim_due")
    }

    /// The lanes whose due devices get nothing, without opening a pass.
    public func unservedLanes(at now: Date) async throws -> UnservedLanes {
        let answer = try await connection.run(
            Statement(
                "unserved_lanes", "select cuecard.unserved_lanes($1::timestamptz, $2::text[], $3::text[])",
                [now.rfc3339, environments, bundles]), isRepeatable: true)
        return try decode(UnservedLanes.self, answer, "unserved_lanes")
    }

    /// The due devices after `last`, without taking them.
    public func peekDue(at now: Date, after last: DeviceID?, limit: Int) async throws -> [Claim] {
        let rows = try await connection.run(
            Statement(
                "peek_due",
                "select * from cuecard.peek_due($1::timestamptz, $2::text[], $3::text[], $4::uuid, $5::int)",
                [now.rfc3339, environments, bundles, last?.description, "\(limit)"]), isRepeatable: true)
        return try claims(rows, "peek_due")
    }

    /// Reads the claimed devices with all that planning them takes, in one answer.
    public func load(_ claims: [Claim], at now: Date) async throws -> [DeviceSnapshot] {
        let rows = try await connection.run(
            Statement(
                "load", "select cuecard.load($1::uuid[], $2::timestamptz)",
                [claims.map(\.device).postgresArray, now.rfc3339]), isRepeatable: true)
        return try decode(SnapshotRows.self, rows, "load").snapshots(claims, lanes)
    }

    /// Commits what is about to happen; answers the attempts that may be sent.
    public func recordIntent(_ pass: UUID, at now: Date, _ intents: [Intent]) async throws -> Set<UUID> {
        guard !intents.isEmpty else { return [] }
        let rows = try await connection.run(
            Statement(
                "record_intent", "select cuecard.record_intent($1::uuid, $2::timestamptz, $3::jsonb)",
                [pass.lowercased, now.rfc3339, JSON.array(intents.map { $0.row(at: now) }).description]))
        return Set(rows.compactMap { $0[0].flatMap { UUID(uuidString: $0) } })
    }

    /// Records what came of them; answers the devices whose start token has become suspect by it.
    public func recordOutcomes(at now: Date, _ outcomes: [Outcome]) async throws -> [DeviceID] {
        let rows = try await connection.run(
            Statement(
                "record_outcomes", "select cuecard.record_outcomes($1::timestamptz, $2::jsonb)",
                [now.rfc3339, JSON.array(outcomes.map(\.row)).description]), isRepeatable: true)
        return rows.compactMap { $0[0].flatMap { UUID(uuidString: $0) }.map { DeviceID($0) } }
    }

    /// Ends the leases and writes when each device is due next.
    public func reschedule(_ pass: UUID, _ plans: [DevicePlan]) async throws {
        _ = try await connection.run(
            Statement(
                "reschedule", "select cuecard.reschedule($1::uuid, $2::uuid[], $3::bigint[], $4::timestamptz[])",
                [
                    pass.lowercased, plans.map(\.device).postgresArray,
                    plans.map { "\($0.revision)" }.postgresArray,
                    plans.map { $0.nextDueAt?.rfc3339 ?? "NULL" }.postgresArray,
                ]), isRepeatable: true)
    }

    /// Closes the pass.
    public func finishTick(_ pass: UUID, summary: String) async throws {
        _ = try await connection.run(
            Statement(
                "finish_tick", "select cuecard.finish_tick($1::uuid, $2::jsonb, $3::int, $4::int)",
                [pass.lowercased, summary, "\(retention.attemptDays)", "\(retention.runDays)"]),
            isRepeatable: true)
    }

    // MARK: Shapes

    var environments: String { lanes.map(\.environment).postgresArray }
    var bundles: String { lanes.map { $0.bundleID.map(quoted) ?? "NULL" }.postgresArray }

    private func claims(_ rows: Rows, _ statement: String) throws -> [Claim] {
        try rows.map { row in
            guard let id = row[0].flatMap({ UUID(uuidString: $0) }), let revision = row[1].flatMap({ Int64($0) }) else {
                throw PostgresError.unreadable(statement: statement, "not a device and its revision")
            }
            return Claim(device: DeviceID(id), revision: revision)
        }
    }

    func decode<Value: Decodable>(
        _ type: Value.Type, _ rows: Rows, _ statement: String, with decoder: JSONDecoder = JSONDecoder()
    ) throws -> Value {
        guard let text = rows.first?.first ?? nil else {
            throw PostgresError.unreadable(statement: statement, "it is empty")
        }
        do {
            return try decoder.decode(type, from: Data(text.utf8))
        } catch let error as DecodingError {
            throw PostgresError.unreadable(statement: statement, error.shape)
        }
    }
}

extension Array where Element: CustomStringConvertible {
    /// A Postgres array of elements that need no quotes, or have them already.
    var postgresArray: String { "{" + map(\.description).joined(separator: ",") + "}" }
}

/// An element of a Postgres array, whatever it holds.
private func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
}

extension UUID {
    var lowercased: String { uuidString.lowercased() }
}

extension DecodingError {
    /// Where the fault is, and nothing of the value.
    var shape: String {
        let (path, text) =
            switch self {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context.codingPath, context.debugDescription)
            case .keyNotFound(let key, let context): (context.codingPath + [key], "missing")
            @unknown default: ([], "")
            }
        return path.map(\.stringValue).joined(separator: ".") + ": " + text
    }
}
