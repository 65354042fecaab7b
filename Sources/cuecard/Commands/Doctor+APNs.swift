import APNs
import Foundation
import LiveActivity
import PostgresStore

extension Doctor {
    /// A wake to a token that no device has, with each key: its refusal proves network, TLS, key and topic.
    mutating func probeAPNs(by worker: Worker, settings: Settings, apps: Examination?) async {
        guard let found = apps else {
            return report.cannot("apns", "the provider token lives in the database, and no other may be made")
        }
        var probed: Set<String> = []
        for credential in settings.credentials {
            let key = credential.key.id.key
            let environment = credential.environment
            let known = found.lanes.filter { $0.environment == environment.rawValue }.map(\.bundleId) + found.apps
            let served = credential.bundleIDs?.sorted() ?? known
            guard let app = served.first else {
                report.cannot(
                    "apns", "\(key) in \(environment.rawValue): no app is known yet; add its row to cuecard.app")
                continue
            }
            guard probed.insert("\(key) \(environment.rawValue)").inserted, let push = Self.probe(app, environment)
            else { continue }
            judge(await worker.send([push]), "\(key) for \(app) in \(environment.rawValue)")
        }
    }

    private static func probe(_ app: String, _ environment: APNsEnvironment) -> Push? {
        PushToken(String(repeating: "0", count: 64)).map { token in
            Push(
                id: UUID(), event: .wake, environment: environment, bundleID: app, token: token, priority: 5,
                expiration: 0,
                payload: Array(#"{"aps":{"content-available":1}}"#.utf8))
        }
    }

    private mutating func judge(_ outcomes: [PushOutcome], _ name: String) {
        switch outcomes.first {
        case .rejected(let rejection):
            let answer = "\(name): APNs says \(rejection.status) \(rejection.reason)"
            switch rejection.meaning {
            case .tokenDead, .tokenOrEnvironmentWrong, .tooManyRequests:
                report.passed("apns", "\(name): reached, and the key is accepted")
            case .credential, .tokenOfAnotherProject:
                report.found(
                    "apns", answer,
                    mend:
                        "check that key id, team id and private key belong together, and that the key is for this environment and app"
                )
            case .topicMismatch:
                report.found(
                    "apns", answer, mend: "check the bundle id, and that the app has push notifications enabled")
            case .providerTokenExpired:
                report.found("apns", answer, mend: "set the clocks of this machine and of the database by NTP")
            case .tooManyProviderTokenUpdates:
                report.found(
                    "apns", answer, mend: "wait 20 minutes; see that no other program makes tokens with this key")
            case .ourBug, .tooLarge, .server, .connection:
                report.found("apns", answer, mend: "try again later; see Apple's system status")
            }
        case .failed(.notProcessed(let text)), .failed(.unknown(let text)):
            report.found(
                "apns", "\(name): \(text)",
                mend:
                    "see that HTTPS to the APNs host on its port is allowed out, and that its certificate is trusted (APNS_CA_FILE)"
            )
        case .accepted, nil:
            // Only a simulator that knows every token takes it.
            report.passed("apns", "\(name): reached, and the key is accepted")
        }
    }
}
