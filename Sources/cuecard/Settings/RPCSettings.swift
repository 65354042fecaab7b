import Foundation
import PostgresStore
import UserRPC

/// What `POST /rpc/NAME` needs: keys for users' tokens, and a login that may become `authenticated`.
struct RPCSettings {
    var databaseURL: String
    var keys: KeySet?
    var keysURL: URL?
    var audience: String?
    var issuer: String?
    /// The roots to trust with ``keysURL``; nil: the system's.
    var rootsFile: String?

    /// Nil where nothing of it is set, or something of it is wrong, which the reader then holds.
    init?(_ reader: inout EnvironmentReader) {
        let secret = reader.optional("JWT_SECRET")
        let file = reader.readableFile("JWT_JWKS_FILE")
        keysURL = reader.url("JWT_JWKS_URL")
        audience = reader.optional("JWT_AUDIENCE")
        issuer = reader.optional("JWT_ISSUER")
        rootsFile = reader.optional("SSL_CERT_FILE")
        let hasKeys = secret != nil || file != nil || keysURL != nil
        guard let databaseURL = reader.optional("RPC_DATABASE_URL") else {
            if hasKeys {
                reader.problems.append(
                    "RPC_DATABASE_URL is missing; set it to a login that is a member of authenticated, for /rpc")
            }
            return nil
        }
        self.databaseURL = databaseURL
        guard hasKeys else {
            reader.problems.append(
                "RPC_DATABASE_URL is set and no key for users' tokens; set JWT_SECRET, JWT_JWKS_FILE or JWT_JWKS_URL")
            return nil
        }
        if let url = keysURL, url.scheme != "https", !["127.0.0.1", "::1", "localhost"].contains(url.host ?? "") {
            reader.problems.append("JWT_JWKS_URL is not https; whoever sits between could hand out keys")
        }
        if let secret { add("JWT_SECRET", &reader) { () throws(KeySet.Problem) in try KeySet(secret: secret) } }
        if let file {
            add("JWT_JWKS_FILE", &reader) { () throws(KeySet.Problem) in
                try KeySet(
                    json: FileManager.default.contents(atPath: file) ?? Data(), takesSecrets: true)
            }
        }
    }

    private mutating func add(
        _ name: String, _ reader: inout EnvironmentReader, _ read: () throws(KeySet.Problem) -> KeySet
    ) {
        do throws(KeySet.Problem) { keys = try read().joined(with: keys) } catch {
            reader.problems.append("\(name) is of no use: \(error)")
        }
    }

    /// Calls that may be in the database at once; each has a connection, opened with its first call.
    private static let connections = 4

    /// Nothing is opened yet.
    func service() -> UserRPC {
        let began = ContinuousClock.now
        let remote = keysURL.map { [rootsFile] url in
            RemoteKeys(
                report: { Log.warning($0) }, elapsed: { .now - began },
                fetch: { await JWKSFetch(url: url, rootsFile: rootsFile).run() })
        }
        var verifier = TokenVerifier(keys: keys, remote: remote, now: { Date() })
        verifier.audience = audience
        verifier.issuer = issuer
        return UserRPC(
            verifier: verifier, connections: (0..<Self.connections).map { _ in Connection(url: databaseURL) })
    }
}
