import Foundation
import LiveActivity
import PostgresStore
import Simulator
import TestSupport

@testable import cuecard

/// A database, the simulator and the built binary, for tests that break one of them.
///
/// Where the database is reached is open, since it may stand behind a proxy or be a pair of servers.
struct Scene: Sendable {
    static let bundleID = "com.example.family"
    static let attributesType = "FamilyEventAttributes"

    /// The owner's connection: it looks, writes as the backend, and speaks for the phones.
    let connection: Connection
    let simulator: APNsSimulator
    let clock = SceneClock()
    /// What the binary is given, and nothing else.
    let environment: [String: String]
    private let caFile = TemporaryFile(ending: ".pem")

    /// A scene over a migrated database.
    ///
    /// - Parameters:
    ///   - owner: The superuser's URL.
    ///   - worker: The URL that the binary gets.
    init(owner: String, worker: String) throws {
        connection = Connection(url: owner)
        let key = try SigningKeyPair()
        var options = SimulatorOptions { Date() }
        options.caFile = caFile.path
        options.keys = [TrustedKey(keyID: "HUNTINGKEY", teamID: "TESTTEAM01", publicKeyPEM: key.publicKeyPEM)]
        options.phoneClock = .reads { [clock] in clock.now }
        options.voice = .database(connection)
        // A long hunt is judged by all that came, not by the newest half of it.
        options.logLimit = .max
        simulator = try APNsSimulator(options)
        environment = [
            "DATABASE_URL": worker, "APNS_TEAM_ID": "TESTTEAM01", "APNS_KEY_ID": "HUNTINGKEY",
            "APNS_PRIVATE_KEY": key.privateKeyPEM, "APNS_CA_FILE": caFile.path,
            "APNS_PRODUCTION_URL": simulator.url(.production),
        ]
    }

    /// Writes the app's row, a shared calendar, and a phone for each of its members.
    func settle(phones: Int, app behaviour: (Int) -> AppBehaviour = { _ in AppBehaviour() }) async throws {
        try await backend(
            """
            insert into cuecard.app (bundle_id, attributes_type) values ('\(Self.bundleID)', '\(Self.attributesType)');
            insert into cuecard.calendar (id, owner_id, kind) values ('\(Self.calendar)', 'user0', 'shared');
            insert into cuecard.calendar_member (calendar_id, user_id)
                select '\(Self.calendar)', 'user' || n from generate_series(1, \(phones - 1)) n;
            """)
        for number in 0..<phones { try await register(number, app: behaviour(number)) }
    }

    static let calendar = "77777777-7777-4777-8777-777777777777"
    static func device(_ number: Int) -> String { "44444444-4444-4444-8444-\(100_000_000_000 + number)" }

    private func register(_ number: Int, app: AppBehaviour) async throws {
        let id = Self.device(number)
        let phone = Phone(
            id: id, bundleID: Self.bundleID, attributesTypes: [Self.attributesType: Phone.AttributesType()], app: app)
        simulator.add(phone)
        let call = """
            select cuecard.register_device(device_id => '\(id)', bundle_id => '\(Self.bundleID)',
                apns_environment => 'production', time_zone => 'Asia/Seoul', locale => 'ko-KR',
                push_to_start_token => '\(phone.startTokens[Self.attributesType] ?? "")', wake_token => '\(phone.wakeToken)')
            """
        _ = try await connection.run(Statement("register", call), as: "user\(number)")
    }

    /// One more event of the shared calendar, which begins then and lasts an hour.
    @discardableResult
    func addEvent(_ title: String, startsAt: Date) async throws -> String {
        let id = UUID().uuidString.lowercased()
        try await backend(
            """
            insert into cuecard.event (id, calendar_id, title, starts_at, duration, time_zone)
            values ('\(id)', '\(Self.calendar)', '\(title)', timestamp '\(startsAt.rfc3339.dropLast())', '1 hour', 'UTC')
            """)
        return id
    }

    /// What the app's backend writes, with its own rights.
    func backend(_ sql: String) async throws {
        try await connection.transaction { run in
            _ = try run(Statement("role", "set local role service_role"))
            _ = try run(Statement("backend", sql))
        }
    }

    /// Looks into the database, or reaches into it, as its owner.
    @discardableResult
    func look(_ sql: String) async throws -> String? {
        try await connection.run(Statement("look", sql)).first?.first.flatMap(\.self)
    }

    /// Runs a tick to its end and lets the phones live for ten seconds more.
    @discardableResult
    func tick(at moment: Date) async throws -> Child.Result {
        clock.now = max(clock.now, moment)
        let result = try await Binary.run(["tick", "--now", moment.rfc3339, "--json"], environment: environment)
        await simulator.settle(at: moment + 10)
        return result
    }

    /// Ends the leases of killed ticks at once, as the owner may, where 90 seconds of the wall clock would.
    func expireLeases(of dead: [Child]) async throws {
        if dead.isEmpty { return }
        let workers = dead.map { "worker like '%/\($0.processID)'" }.joined(separator: " or ")
        try await look(
            """
            update cuecard.device d set claimed_until = '-infinity' from (
                select id from cuecard.device
                where claimed_until is not null and claimed_tick in (select id from cuecard.tick where \(workers))
                -- in the order in which everyone locks devices
                order by id for update) left_behind
            where d.id = left_behind.id
            """)
    }

    /// The cards that run, by phone.
    var runningCards: [Simulator.Card] { simulator.snapshot.cards.values.filter(\.isRunning) }
}

/// The phones' time, set by the tests.
final class SceneClock: @unchecked Sendable {  // `lock` guards `moment`
    private let lock = NSLock()
    private var moment = Date(timeIntervalSince1970: 1_772_400_000)

    var now: Date {
        get { lock.withLock { moment } }
        set { lock.withLock { moment = newValue } }
    }
}

/// Whole seconds in RFC 3339, in UTC.
extension Date {
    var rfc3339: String { ISO8601DateFormatter().string(from: self) }
}
