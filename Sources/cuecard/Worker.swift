import APNs
import ExpoPush
import Foundation
import LiveActivity
import Planning
import PostgresStore
import Tick

/// One process's real clients: Postgres, APNs and Expo.
///
/// Only here are clocks read and connections made.
final class Worker: Sendable {
    private let store: Store
    private let watcher: Store
    private let sender: PushSender
    private let expo: ExpoPushClient
    private let settings: Settings

    /// What of a batch is not on its way after this is not sent any more: its lease must outlive the answers.
    private static let sendWindow: Duration = .seconds(15)

    init(_ settings: Settings) throws {
        let host = ProcessInfo.processInfo.hostName
        let lanes = settings.credentials.flatMap { credential in
            (credential.bundleIDs.map { $0.map(Optional.some) } ?? [nil]).map {
                Store.Lane(environment: credential.environment.rawValue, bundleID: $0)
            }
        }
        let store = Store(
            connection: Connection(url: settings.databaseURL),
            worker: "\(host)/\(ProcessInfo.processInfo.processIdentifier)", lanes: lanes,
            retention: settings.retention)
        var configuration = PushSender.Configuration(credentials: settings.credentials)
        configuration.caFile = settings.caFile
        if let url = settings.productionURL { configuration.productionURL = url }
        if let url = settings.sandboxURL { configuration.sandboxURL = url }
        let tokens = try ProviderTokens(store: .shared(through: store), lifetime: settings.tokenLifetime)
        sender = try PushSender(configuration: configuration, tokens: tokens)
        expo = ExpoPushClient(
            url: settings.expoPushURL?.absoluteString ?? ExpoPushClient.defaultURL,
            accessToken: settings.expoAccessToken, rootsFile: settings.systemRootsFile)
        self.store = store
        watcher = Store(
            connection: Connection(url: settings.databaseURL), worker: "", lanes: lanes)
        self.settings = settings
    }

    func close() { sender.close() }

    /// One pass over everything due at `now`.
    func tick(at now: Date) async throws -> TickReport {
        let report = try await Tick.tick(at: now, with: clients(), settings: TickSettings(budget: settings.tickBudget))
        for fault in report.faults { Log.warning(fault) }
        return report
    }

    /// What a pass would do.
    func dryRun(at now: Date) async throws -> TickReport {
        let report = try await Tick.dryRun(at: now, with: clients())
        for fault in report.faults { Log.warning(fault) }
        return report
    }

    /// How things stand for this worker's lanes; asked on a connection of its own, which no tick holds up.
    func status() async throws -> Store.WorkerStatus { try await watcher.workerStatus(at: Date()) }

    /// What keeps this worker from doing its work, one line each.
    func obstacles() async -> [String] {
        do { return try await status().obstacles } catch { return ["\(error)"] }
    }

    /// What is heard of changes as they are committed.
    func changes() -> ChangeFeed {
        let (store, url) = (store, settings.directDatabaseURL ?? settings.databaseURL)
        return ChangeFeed(listener: ChangeListener(connection: Connection(url: url))) {
            try await store.listenForChanges(seconds: $0)
        }
    }

    /// What the database says of the whole set-up.
    func examine() async throws -> Examination { try await store.examine() }
    /// The server's `server_version_num`.
    func serverVersion() async throws -> Int? { try await store.serverVersion() }
    /// Sends pushes with the provider tokens that all workers share.
    func send(_ pushes: [Push]) async -> [PushOutcome] { await sender.send(pushes, deadline: .now + Self.sendWindow) }
    /// Whether there is a key for an app in an environment.
    func hasKey(for bundleID: String, in environment: APNsEnvironment) -> Bool {
        sender.hasKey(for: bundleID, in: environment)
    }

    private func clients() -> TickClients {
        let (store, sender, expo) = (store, sender, expo)
        let began = ContinuousClock.now
        return TickClients(
            begin: { try await store.beginTick($0, at: $1) },
            checkReceipts: { try await expo.check($0, in: store) },
            fanOut: { try await store.fanOut() },
            claim: { try await store.claimDue($0, at: $1, limit: $2) },
            peek: { try await store.peekDue(at: $0, after: $1, limit: $2) },
            unserved: { try await store.unservedLanes(at: $0) },
            load: { try await store.load($0, at: $1) },
            recordIntent: { try await store.recordIntent($0, at: $1, $2) },
            send: { await sender.send($0, deadline: .now + Self.sendWindow) },
            wakeThroughExpo: { await expo.wake($0) },
            recordOutcomes: { try await store.recordOutcomes(at: $0, $1) },
            reschedule: { try await store.reschedule($0, $1) },
            finish: { try await store.finishTick($0, summary: $1.json().description) },
            newID: { UUID() },
            elapsed: { .now - began })
    }
}

extension ExpoPushClient {
    /// Wakes apps that have only an Expo token; the outcomes in the same order.
    fileprivate func wake(_ wakes: [ExpoWake]) async -> [ExpoWake.Answer] {
        await send(wakes.map { ExpoMessage(token: $0.token, data: $0.data) }).map { outcome in
            switch outcome {
            case .accepted(let receipt): .init(.accepted, receipt: receipt)
            case .rejected(let rejection): .init(.rejected(.init(status: rejection.status, reason: rejection.code)))
            case .failed(let failure): .init(.failed(failure))
            }
        }
    }

    /// Asks for receipts and records what is known; one that Expo does not know says nothing of its token.
    fileprivate func check(_ asked: [Opening.Receipt], in store: Store) async throws -> [String] {
        let receipts = await receipts(asked.map(\.receipt))
        let known = asked.compactMap { asked in
            receipts.known[asked.receipt].map { (asked.attempt, $0.word) }
        }
        try await store.recordReceipts(Dictionary(known) { $1 })
        return receipts.problems.map { "Expo's receipts: \($0)" }
            + known.filter { $1 != "ok" }.map { "wake \($0): Expo says \($1)" }
    }
}

extension ExpoReceipt {
    fileprivate var word: String {
        switch self {
        case .accepted: "ok"
        case .rejected(let rejection): rejection.code
        }
    }
}

extension ProviderTokenStore {
    /// The tokens of all processes, in Postgres.
    static func shared(through store: Store) -> ProviderTokenStore {
        ProviderTokenStore(
            load: { key in
                let row = try await store.providerToken(
                    team: key.team, key: key.key, fingerprint: key.fingerprint)
                let clock = Date(timeIntervalSince1970: row.clock)
                guard let token = row.stored else { return .empty(clock: clock) }
                return .stored(StoredProviderToken(token: token, clock: clock))
            },
            offer: { key, candidate in
                let row = try await store.offerProviderToken(
                    candidate.jwt, team: key.team,
                    key: key.key, fingerprint: key.fingerprint)
                // The store has a token now, ours or an earlier one.
                return StoredProviderToken(
                    token: row.stored ?? candidate, clock: Date(timeIntervalSince1970: row.clock))
            })
    }
}

extension Store.ProviderTokenRow {
    fileprivate var stored: ProviderToken? {
        guard let token, let issuedAt else { return nil }
        return ProviderToken(jwt: token, issuedAt: Date(timeIntervalSince1970: issuedAt))
    }
}
