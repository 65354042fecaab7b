import Foundation
import LiveActivity
import PostgresStore
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// A database, the simulator with phones, and the built binary between them: what an app's team would have.
struct World: Sendable {
    static let bundleID = "com.example.family"
    static let attributesType = "FamilyEventAttributes"

    let database: TestDatabase
    let connection: Connection
    let simulator: APNsSimulator
    let clock: TestClock
    private let caFile: TemporaryFile
    /// A key for each environment that the worker has one for.
    private let keys: [APNsEnvironment: (id: String, pair: SigningKeyPair)]

    /// A world whose worker has keys for these environments; the phones' clock stands at the last tick's `now`.
    static func make(
        keys environments: [APNsEnvironment] = [.sandbox, .production], in given: TestDatabase? = nil
    ) async throws -> World {
        let database: TestDatabase
        if let given { database = given } else { database = try await TestDatabase.fresh() }
        try await workerMayLogIn.value
        let connection = Connection(url: try database.url())
        let clock = TestClock()
        var keys: [APNsEnvironment: (id: String, pair: SigningKeyPair)] = [:]
        for environment in environments {
            keys[environment] = (environment == .sandbox ? "SANDBOXKEY" : "PRODUCTKEY", try SigningKeyPair())
        }
        var options = SimulatorOptions { Date() }
        let caFile = TemporaryFile(ending: ".pem")
        options.caFile = caFile.path
        // As at Apple's since 2025: a key is good for one environment.
        options.keys = keys.map {
            TrustedKey(keyID: $1.id, teamID: "TESTTEAM01", environments: [$0], publicKeyPEM: $1.pair.publicKeyPEM)
        }
        options.phoneClock = .reads { clock.now }
        options.voice = .database(connection)
        let world = World(
            database: database, connection: connection, simulator: try APNsSimulator(options), clock: clock,
            caFile: caFile, keys: keys)
        try await world.backend(
            """
            insert into cuecard.app (bundle_id, attributes_type, all_day_at) values ('\(bundleID)', '\(attributesType)', '08:00');
            """)
        return world
    }

    /// Roles belong to the cluster that all tests share, so this happens once.
    private static let workerMayLogIn = Task {
        _ = try await TestDatabase.fresh().sql("alter role cuecard_worker login")
    }

    // MARK: The worker

    /// What the binary is given, and nothing else.
    func environment() throws -> [String: String] {
        var environment = [
            "DATABASE_URL": try database.url(user: "cuecard_worker"), "APNS_TEAM_ID": "TESTTEAM01",
            "APNS_CA_FILE": caFile.path,
            "APNS_PRODUCTION_URL": simulator.url(.production), "APNS_SANDBOX_URL": simulator.url(.sandbox),
        ]
        for (name, key) in keys {
            let prefix = name == .sandbox ? "APNS_SANDBOX_" : "APNS_PRODUCTION_"
            environment[prefix + "KEY_ID"] = key.id
            environment[prefix + "PRIVATE_KEY"] = key.pair.privateKeyPEM
        }
        return environment
    }

    /// Runs `cuecard tick --now` to its end, lets the phones live for ten seconds, and gives what was sent meanwhile.
    @discardableResult
    func tick(_ now: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [ReceivedRequest] {
        let before = simulator.requests.count
        let moment = try #require(Date(rfc3339: now))
        clock.now = moment
        let result = try await Binary.run(["tick", "--now", now, "--json"], environment: environment())
        #expect(result.code == 0, "\(result.errors)", sourceLocation: sourceLocation)
        await simulator.settle(at: moment + 10)
        return Array(simulator.requests.dropFirst(before))
    }

    // MARK: People, phones and the app's backend

    /// Adds a phone and registers it as its app would.
    func register(
        _ device: String, of user: String, environment: APNsEnvironment = .production, zone: String = "Asia/Seoul",
        app: AppBehaviour = AppBehaviour(), system: Double = 18.2
    ) async throws {
        let phone = Phone(
            id: device, environment: environment, bundleID: Self.bundleID,
            attributesTypes: [Self.attributesType: Phone.AttributesType()], systemVersion: system, app: app)
        simulator.add(phone)
        try await rpc(
            user,
            """
            register_device(device_id => '\(device)', bundle_id => '\(Self.bundleID)',
                apns_environment => '\(environment.rawValue)', time_zone => '\(zone)', locale => 'ko-KR',
                push_to_start_token => '\(phone.startTokens[Self.attributesType] ?? "")',
                wake_token => '\(phone.wakeToken)', os_version => '\(system)')
            """)
    }

    /// Calls an RPC as a signed-in user and gives its answer.
    @discardableResult
    func rpc(_ user: String, _ call: String) async throws -> String {
        try await connection.run(Statement("rpc", "select cuecard.\(call)"), as: user).first?.first.flatMap(\.self)
            ?? ""
    }

    /// What the app's backend writes, with its own rights.
    @discardableResult
    func backend(_ sql: String) async throws -> Rows {
        try await connection.transaction { run in
            _ = try run(Statement("role", "set local role service_role"))
            return try run(Statement("backend", sql))
        }
    }

    /// Looks into the database as its owner.
    func value(_ sql: String) async throws -> String? {
        try await connection.run(Statement("look", sql)).first?.first.flatMap(\.self)
    }

    /// A calendar and one event in it, at 15:00 in Seoul on 2026-03-02 for an hour: 06:00 to 07:00 in UTC.
    @discardableResult
    func addEvent(
        _ title: String = "Dentist", owner: String = "mina", kind: String = "personal", members: [String] = [],
        startsAt: String = "2026-03-02 15:00", duration: String = "1 hour", zone: String? = "Asia/Seoul",
        rrule: String? = nil
    ) async throws -> (calendar: String, event: String) {
        let (calendar, event) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
        func literal(_ text: String?) -> String { text.map { "'\($0.replacing("'", with: "''"))'" } ?? "null" }
        try await backend(
            """
            insert into cuecard.calendar (id, owner_id, kind) values ('\(calendar)', '\(owner)', '\(kind)');
            insert into cuecard.calendar_member (calendar_id, user_id)
                select '\(calendar)', m from unnest('{\(members.joined(separator: ","))}'::text[]) m;
            insert into cuecard.event (id, calendar_id, title, starts_at, duration, time_zone, rrule) values
                ('\(event)', '\(calendar)', \(literal(title)), '\(startsAt)', '\(duration)', \(literal(zone)), \(literal(rrule)));
            """)
        return (calendar, event)
    }
}

extension World {
    /// An event of Mina's that begins in half an hour by the real clock: its card is due.
    func addEventSoon() async throws {
        let start = try await value(
            "select to_char(now() at time zone 'UTC' + interval '30 min', 'YYYY-MM-DD HH24:MI:SS')")
        try await addEvent(startsAt: start ?? "", zone: "UTC")
    }
}

/// The phones' time, set by the tests.
final class TestClock: @unchecked Sendable {  // `lock` guards `moment`
    private let lock = NSLock()
    private var moment = Date(timeIntervalSince1970: 1_772_400_000)

    var now: Date {
        get { lock.withLock { moment } }
        set { lock.withLock { moment = newValue } }
    }
}

/// The phones of the tests.
enum Device {
    static let mina = "11111111-1111-4111-8111-111111111111"
    static let ben = "22222222-2222-4222-8222-222222222222"
    static let other = "33333333-3333-4333-8333-333333333333"
}

extension ReceivedRequest {
    /// The `aps` dictionary.
    var aps: JSON? { payload?["aps"] }
    /// A number in `aps`.
    func integer(_ key: String) -> Int64? { aps?[key]?.integer }
    /// A Swift date in the content state, in Unix seconds.
    func date(_ key: String) -> Int64? { aps?["content-state"]?[key]?.integer.map { $0 + 978_307_200 } }
    /// A text in the content state.
    func content(_ key: String) -> String? { aps?["content-state"]?[key]?.string }
}

extension [ReceivedRequest] {
    var kinds: [PushKind] { map(\.kind) }
}
