import APNs
import Foundation
import LiveActivity
import Simulator

/// A simulated APNs, a store of provider tokens, and a sender between them.
final class Rig {
    static let app = "com.example.cuecard"

    let simulator: APNsSimulator
    let table: SharedTokenTable
    let key: ProviderKey
    let sender: PushSender
    private let caFile: URL

    /// - Parameters:
    ///   - traits: how the server's connections behave.
    ///   - trusted: whether the sender gets the server's CA file.
    ///   - table: nil makes an empty one.
    ///   - adjust: changes the sender's settings.
    init(
        traits: ConnectionTraits = .apple, trusted: Bool = true, table: SharedTokenTable = SharedTokenTable(),
        adjust: (inout PushSender.Configuration, APNsSimulator) throws -> Void = { _, _ in }
    ) throws {
        caFile = FileManager.default.temporaryDirectory.appendingPathComponent("cuecard-\(UUID().uuidString).pem")
        key = try ProviderKey(teamID: "TEAM123456", keyID: "KEY1234567", privateKey: KeyFixtures.p256)
        var options = SimulatorOptions { Date() }
        options.keys = [TrustedKey(keyID: key.id.key, teamID: key.id.team, publicKeyPEM: KeyFixtures.p256Public)]
        options.caFile = caFile.path
        options.traits = traits
        options.unknownTokens = .accept
        simulator = try APNsSimulator(options)
        self.table = table
        var configuration = PushSender.Configuration(credentials: [
            .init(environment: .production, key: key), .init(environment: .sandbox, key: key),
        ])
        configuration.productionURL = URL(string: simulator.url(.production))
        configuration.sandboxURL = URL(string: simulator.url(.sandbox))
        configuration.caFile = trusted ? caFile.path : nil
        try adjust(&configuration, simulator)
        sender = try PushSender(configuration: configuration, tokens: ProviderTokens(store: table.store))
    }

    deinit {
        sender.close()
        simulator.stop()
        try? FileManager.default.removeItem(at: caFile)
    }

    /// Sends with ample time.
    func send(_ pushes: [Push]) async -> [PushOutcome] {
        await sender.send(pushes, deadline: .now + .seconds(30))
    }

    /// Sends one push, with ample time.
    func send(_ push: Push) async -> PushOutcome { await send([push])[0] }

    /// How often each push reached the server's processing, by its token.
    var processed: [String: Int] {
        simulator.requests.filter(\.isProcessed).reduce(into: [:]) { $0[$1.token ?? "", default: 0] += 1 }
    }

    var connections: Set<Int> { Set(simulator.requests.map(\.connection)) }
}

/// A push to a token of its own, by number.
func push(
    _ number: Int = 1, _ event: Push.Event = .update, to environment: APNsEnvironment = .production,
    app: String = Rig.app, collapseID: String? = nil
) -> Push {
    let hex = String(number, radix: 16)
    let digits = event == .wake ? 64 : 160
    let token = PushToken(String(repeating: "0", count: digits - hex.count) + hex)
    let aps =
        event == .wake
        ? #"{"aps":{"content-available":1}}"#
        : #"{"aps":{"timestamp":1800000000,"event":"\#(event.rawValue)","content-state":{"title":"\#(number)"}}}"#
    return Push(
        id: UUID(), event: event, environment: environment, bundleID: app, token: token!,
        priority: event == .wake ? 5 : 10, expiration: 1_800_000_600, collapseID: collapseID,
        payload: Array(aps.utf8))
}

func pushes(_ count: Int) -> [Push] { (1...count).map { push($0) } }

extension PushOutcome {
    var isUnknown: Bool { if case .failed(.unknown) = self { true } else { false } }

    /// The reason of a push that was proven not to be processed.
    var notProcessed: String? { if case .failed(.notProcessed(let reason)) = self { reason } else { nil } }
}
