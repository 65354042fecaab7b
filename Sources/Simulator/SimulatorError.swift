/// Why a simulator could not start or go on; each says what to do.
public enum SimulatorError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The port is taken by another program.
    case portInUse(Int)
    /// A system call failed; `code` is its `errno`.
    case system(call: String, code: Int32)
    /// OpenSSL could not do a step.
    case cryptography(String)
    /// The public key with this ID is not a P-256 key in PEM.
    case badPublicKey(keyID: String)
    /// The text of a `--public-key` option is not `KEYID=PATH[:TEAM[:sandbox|production|both]]`.
    case badKeyOption(String)
    /// The file could not be read or written.
    case file(path: String, reason: String)
    /// No phone has this name, or no card this activity id.
    case unknown(String)
    /// What was waited for did not come in time; `seen` says what did.
    case timedOut(seen: String)

    /// One line: what happened, and what to do.
    public var description: String {
        switch self {
        case .portInUse(let port): "port \(port) is in use: choose another with --port, or 0 for any"
        case .system(let call, let code): "\(call) failed (errno \(code))"
        case .cryptography(let step): "OpenSSL could not \(step)"
        case .badPublicKey(let keyID):
            "the public key \(keyID) is not a P-256 key in PEM: export it with openssl ec -pubout"
        case .badKeyOption(let text):
            "--public-key \(text): write KEYID=PATH, KEYID=PATH:TEAM or KEYID=PATH:TEAM:sandbox|production|both"
        case .file(let path, let reason): "\(path): \(reason)"
        case .unknown(let what): "the simulator knows no \(what): add the phone first, or check the id"
        case .timedOut(let seen): "what was waited for did not come in time; seen so far: \(seen)"
        }
    }
}
