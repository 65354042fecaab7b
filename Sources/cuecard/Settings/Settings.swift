import APNs
import Foundation
import LiveActivity
import PostgresStore

/// What the environment says.
///
/// All that is wrong with it is reported at once, each by name and with its mend.
struct Settings {
    /// A libpq URI or connection string.
    var databaseURL: String
    /// One a key and environment; what it serves gets pushes, everything else gets nothing.
    var credentials: [PushSender.Credential]
    /// Replaces Apple's host; nil: Apple's.
    var productionURL: URL?
    var sandboxURL: URL?
    /// A PEM file of roots to trust beside the system's.
    var caFile: String?
    /// The system's own roots, where they lie elsewhere: OpenSSL heeds the variable by itself, libcurl is told of it.
    var systemRootsFile: String?
    /// What `POST /tick` must present; nil: `serve` does not start.
    var cronSecret: String?
    /// Accepted too, while the secret rotates.
    var previousCronSecret: String?
    /// Where `serve` listens.
    var listen: String
    /// After this a tick hands on what is left.
    var tickBudget: Duration
    /// After this `POST /tick` answers 202 and works on; nil: it always waits.
    var tickResponse: Duration?
    /// How long a provider token is used.
    var tokenLifetime: Duration
    /// What is kept after it is settled, in days.
    var retention: Store.Retention
    var expoAccessToken: String?
    var expoPushURL: URL?
    /// Leads straight to Postgres, for `serve --listen-changes`; nil: ``databaseURL`` does.
    var directDatabaseURL: String?
    /// The apps' functions over HTTP; nil: not offered.
    var rpc: RPCSettings?

    /// Reads and checks everything.
    ///
    /// - Throws: ``Failure`` with every problem, one a line.
    init(environment: [String: String]) throws {
        var reader = EnvironmentReader(environment)
        self.init(from: &reader)
        guard reader.problems.isEmpty else {
            throw Failure(.configuration, reader.problems.joined(separator: "\ncuecard: "))
        }
    }

    /// Reads everything; the reader holds what is wrong with it.
    init(from reader: inout EnvironmentReader) {
        databaseURL = reader.text("DATABASE_URL", mend: Self.databaseMend) ?? ""
        let before = reader.problems.count
        credentials = reader.credentials()
        if credentials.isEmpty && reader.problems.count == before {
            reader.problems.append(
                "no APNs key is set; set APNS_TEAM_ID, APNS_PRODUCTION_KEY_ID and APNS_PRODUCTION_PRIVATE_KEY, or the same with APNS_SANDBOX_"
            )
        }
        productionURL = reader.apnsURL("APNS_PRODUCTION_URL")
        sandboxURL = reader.apnsURL("APNS_SANDBOX_URL")
        directDatabaseURL = reader.optional("DIRECT_DATABASE_URL")
        caFile = reader.readableFile("APNS_CA_FILE")
        systemRootsFile = reader.readableFile("SSL_CERT_FILE")
        cronSecret = reader.secret("CRON_SECRET")
        previousCronSecret = reader.secret("CRON_SECRET_PREVIOUS")
        listen = reader.optional("LISTEN") ?? "127.0.0.1:8080"
        tickBudget = reader.seconds("TICK_BUDGET_SECONDS", in: 0...3600) ?? .seconds(50)
        tickResponse =
            reader.optional("TICK_RESPONSE_SECONDS") == "wait"
            ? nil : reader.seconds("TICK_RESPONSE_SECONDS", in: 0...3600) ?? .seconds(2)
        tokenLifetime = .seconds(60 * (reader.whole("APNS_TOKEN_MINUTES", "minutes", in: 20...55) ?? 30))
        retention = Store.Retention()
        if let days = reader.whole("KEEP_ATTEMPTS_DAYS", "days", in: 1...3650) { retention.attemptDays = days }
        if let days = reader.whole("KEEP_RUNS_DAYS", "days", in: 7...3650) { retention.runDays = days }
        expoAccessToken = reader.optional("EXPO_ACCESS_TOKEN")
        expoPushURL = reader.url("EXPO_PUSH_URL")
        rpc = RPCSettings(&reader)
        reader.check("LOG_FORMAT", isOneOf: ["text", "json"])
        reader.check("LOG_LEVEL", isOneOf: ["debug", "info", "warning", "error"])
    }

    /// The variables whose secrets are shorter than ``shortestSecret``.
    var guessableSecrets: [String] {
        [("CRON_SECRET", cronSecret), ("CRON_SECRET_PREVIOUS", previousCronSecret)]
            .filter { $1.map { $0.utf8.count < Self.shortestSecret } ?? false }.map(\.0)
    }

    /// A shorter secret can be guessed.
    static let shortestSecret = 16

    /// The database alone, for commands that send nothing.
    static func databaseURL(in environment: [String: String]) throws -> String {
        var reader = EnvironmentReader(environment)
        guard let url = reader.text("DATABASE_URL", mend: databaseMend) else {
            throw Failure(.configuration, reader.problems.joined(separator: "\ncuecard: "))
        }
        return url
    }

    private static let databaseMend = "set it to a libpq URI such as postgresql://user@host:5432/database"
}
