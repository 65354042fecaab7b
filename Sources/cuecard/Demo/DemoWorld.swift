import Foundation
import LiveActivity
import PostgresStore
import PrivatePostgres
import Simulator

/// Everything that the demo runs on, private to it and gone with it.
struct DemoWorld: Sendable {
    let postgres: PrivatePostgres
    let simulator: APNsSimulator
    let worker: Worker
    let clock: DemoClock
    private let folder: URL
    private let owner: Connection

    /// Starts Postgres and the simulator, migrates, fills the calendar and registers the phones.
    static func make() async throws -> DemoWorld {
        let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath).appendingPathComponent(".demo")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let postgres = try PrivatePostgres.start(in: folder)
        let owner = Connection(url: postgres.url())
        _ = try await Migration(files: EmbeddedSQL.files).run(on: owner)
        _ = try await owner.run(Statement("role", "alter role cuecard_worker login"))
        _ = try await owner.run(Statement("calendar", DemoCalendar.rows))

        let clock = DemoClock(DemoCalendar.minutes[0])
        let keys = try SigningKeyPair()
        var options = SimulatorOptions { Date() }
        options.caFile = folder.appendingPathComponent("ca.pem").path
        options.keys = [TrustedKey(keyID: "DEMOKEY001", teamID: "DEMOTEAM01", publicKeyPEM: keys.publicKeyPEM)]
        options.phoneClock = .reads { clock.now }
        options.voice = .database(owner)
        let simulator = try APNsSimulator(options)

        // The worker logs in as the role that may call its own functions and nothing else.
        let settings = try Settings(environment: [
            "DATABASE_URL": postgres.url(user: "cuecard_worker"), "APNS_TEAM_ID": "DEMOTEAM01",
            "APNS_PRODUCTION_KEY_ID": "DEMOKEY001", "APNS_PRODUCTION_PRIVATE_KEY": keys.privateKeyPEM,
            "APNS_PRODUCTION_URL": simulator.url(.production), "APNS_CA_FILE": options.caFile ?? "",
        ])
        let world = DemoWorld(
            postgres: postgres, simulator: simulator, worker: try Worker(settings), clock: clock, folder: folder,
            owner: owner)
        for member in DemoCalendar.members { try await world.register(member) }
        return world
    }

    func close() {
        worker.close()
        simulator.stop()
        postgres.stop()
        do { try FileManager.default.removeItem(at: folder) } catch { Log.debug("\(error)") }
    }

    /// What the app's backend does, with its own rights.
    func backend(_ sql: String) async throws {
        _ = try await owner.transaction { run in
            _ = try run(Statement("role", "set local role service_role"))
            return try run(Statement("backend", sql))
        }
    }

    private func register(_ member: DemoCalendar.Member) async throws {
        var app = AppBehaviour()
        // The iPad's app is never given its tokens before it is woken: its cards go by a silent push.
        if member.device == DemoCalendar.aoi.device { app.updateToken = .whenRun }
        let phone = Phone(
            id: member.device, bundleID: DemoCalendar.bundleID,
            attributesTypes: [DemoCalendar.attributesType: Phone.AttributesType()], app: app)
        simulator.add(phone)
        let call = Statement(
            "register_device",
            """
            select cuecard.register_device(device_id => $1::uuid, bundle_id => $2, apns_environment => 'production',
                time_zone => $3, locale => $4, push_to_start_token => $5, wake_token => $6, os_version => '18.2')
            """,
            [
                member.device, DemoCalendar.bundleID, DemoCalendar.timeZone, member.locale,
                phone.startTokens[DemoCalendar.attributesType], phone.wakeToken,
            ])
        _ = try await owner.run(call, as: member.user)
    }

    var introduction: [String] {
        (postgres.notice.map { [$0] } ?? []) + [
            "A family's Tuesday, 2026-06-30 in Seoul, minute by minute: each line is a push, what APNs said, what the phone shows.",
            "",
        ]
    }
}
