import Foundation
import LiveActivity
import Planning
import PostgresStore
import TestSupport

/// A migrated database of its own, and those who use it: the owner, the app's backend, its users, the worker.
struct World: Sendable {
    let database: TestDatabase
    let owner: Connection

    static let bundle = "com.example.app"
    static let event = "eeeeeeee-0000-4000-8000-000000000001"
    static let calendar = "cccccccc-0000-4000-8000-000000000001"

    /// A database with one app and nothing else.
    static func fresh() async throws -> World {
        _ = try await workerLogin.value
        let database = try await TestDatabase.fresh()
        let world = World(database: database, owner: Connection(url: try database.url()))
        try await world.sql("insert into cuecard.app (bundle_id, attributes_type) values ($1, 'Attributes')", bundle)
        return world
    }

    /// The same with a calendar of `owner` and one event in it.
    static func withEvent(of user: String = "ann", starts: String = "2026-06-01 09:00", duration: String = "1 h")
        async throws -> World
    {
        let world = try await fresh()
        try await world.sql("insert into cuecard.calendar (id, owner_id) values ($1::uuid, $2)", calendar, user)
        try await world.sql(
            """
            insert into cuecard.event (id, calendar_id, title, starts_at, duration, time_zone)
            values ($1::uuid, $2::uuid, 'Class', $3::timestamp, $4::interval, 'UTC')
            """, event, calendar, starts, duration)
        try await world.drain()
        return world
    }

    /// The same world, for somebody who works at the same time.
    func onAnotherConnection() throws -> World {
        World(database: database, owner: Connection(url: try database.url()))
    }

    /// Runs SQL as the owner.
    @discardableResult
    func sql(_ text: String, _ parameters: String?...) async throws -> Rows {
        try await owner.run(Statement("test", text, parameters))
    }

    /// The first value of the first row, as the owner.
    func value(_ text: String, _ parameters: String?...) async throws -> String? {
        try await owner.run(Statement("test", text, parameters)).first?.first ?? nil
    }

    /// Runs SQL in one transaction with the rights of a role.
    @discardableResult
    func sql(as role: String, claims: String? = nil, _ text: String, _ parameters: [String?] = []) async throws -> Rows
    {
        try await owner.transaction { run in
            if let claims {
                _ = try run(Statement("claims", "select set_config('request.jwt.claims', $1, true)", [claims]))
            }
            _ = try run(Statement("role", "set local role \(role)"))
            return try run(Statement("test", text, parameters))
        }
    }

    /// Calls an RPC as a signed-in user; its JSON, read.
    @discardableResult
    func call(_ user: String, _ text: String, _ parameters: String?...) async throws -> JSON {
        let rows = try await sql(as: "authenticated", claims: #"{"sub":"\#(user)"}"#, "select " + text, parameters)
        return try rows.first?.first?.flatMap { $0.isEmpty ? nil : try JSON(parsing: $0) } ?? .null
    }

    /// Registers a phone.
    @discardableResult
    func register(
        _ user: String, _ device: Int, start: String? = nil, wake: String? = nil, expo: String? = nil, more: String = ""
    ) async throws -> JSON {
        try await call(
            user,
            """
            cuecard.register_device($1::uuid, '\(Self.bundle)', 'production', push_to_start_token => $2,
                wake_token => $3, expo_token => $4\(more))
            """, id(device), start, wake, expo)
    }

    /// Writes a run as some tick left it; `more` are further columns with their values.
    func run(
        _ number: Int, device: Int = 1, user: String = "ann", event: String = World.event,
        occurrence: String = "2026-06-01 09:00", generation: Int = 1, state: String = "accepted",
        _ more: [String: String] = [:]
    ) async throws {
        let columns = more.sorted { $0.key < $1.key }
        try await sql(
            """
            insert into cuecard.run (id, device_id, user_id, event_id, occurrence, generation, state\(columns.map { ", " + $0.key }.joined()))
            values ('\(id(number))', '\(id(device))', '\(user)', '\(event)', '\(occurrence)', \(generation), '\(state)'\
            \(columns.map { ", " + $0.value }.joined()))
            """)
    }

    /// A column of a run.
    func run(_ number: Int, _ column: String) async throws -> String? {
        try await value("select \(column) from cuecard.run where id = $1::uuid", id(number))
    }

    /// A column of a device.
    func device(_ number: Int, _ column: String) async throws -> String? {
        try await value("select \(column) from cuecard.device where id = $1::uuid", id(number))
    }

    /// Whether a device is due at the end of time's beginning.
    func isDue(_ number: Int) async throws -> Bool { try await device(number, "next_due_at") == "-infinity" }

    /// Nothing is due and nothing is queued any more.
    func drain() async throws {
        try await sql("delete from cuecard.change")
        try await sql("update cuecard.device set next_due_at = null")
    }

    /// A worker with keys for everything in production, on a connection of its own that has the worker's rights alone.
    func worker(
        _ name: String = "test", bundles: [String?] = [nil], retention: Store.Retention = Store.Retention()
    ) throws -> Store {
        Store(
            connection: Connection(url: try database.url(user: "cuecard_worker")), worker: name,
            lanes: bundles.map { Store.Lane(environment: "production", bundleID: $0) }, retention: retention)
    }

    /// Roles belong to the cluster, so this happens once.
    private static let workerLogin = Task {
        try await TestDatabase.fresh().sql("alter role cuecard_worker login")
    }
}

/// A UUID by its last digits.
func id(_ number: Int) -> String {
    "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
}

/// A push token that is told by its digits.
func token(_ number: Int) -> String { "70" + String(repeating: "0", count: 14 - "\(number)".count) + "\(number)" }

/// What Postgres refuses a statement with; nil where it does not.
func refusal(_ body: () async throws -> Void) async throws -> PostgresError.Refusal? {
    do {
        try await body()
        return nil
    } catch PostgresError.refused(let refusal) {
        return refusal
    }
}

extension JSON {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
    var list: [JSON] {
        guard case .array(let list) = self else { return [] }
        return list
    }
}
