/// Why a key, a provider token or a sender could not be made.
///
/// No case ever holds a key, a provider token or a push token.
public enum APNsError: Error, Equatable, CustomStringConvertible {
    /// The private key cannot be used; the text says why, and what to give instead.
    case unusableKey(keyID: String, problem: String)
    /// The team id is not of Apple's form; the text says what it must be.
    case malformedTeamID(String)
    /// The key id is not of Apple's form; the text says what it must be.
    case malformedKeyID(String)
    /// OpenSSL would not sign with the key.
    case signing(keyID: String)
    /// The shared store of provider tokens failed: no token is minted without it.
    case tokenStore(keyID: String, problem: String)
    /// A setting of the sender is out of its range or malformed; the text names it.
    case setting(String)

    /// One line: what happened, to which key or setting, and what to do.
    public var description: String {
        switch self {
        case .unusableKey(let keyID, let problem): "the private key of \(keyID) cannot be used: \(problem)"
        case .malformedTeamID(let problem), .malformedKeyID(let problem): problem
        case .signing(let keyID): "signing a provider token with key \(keyID) failed; check that key's file"
        case .tokenStore(let keyID, let problem):
            "the store of provider tokens failed for key \(keyID), so nothing was sent with it: \(problem)"
        case .setting(let problem): problem
        }
    }
}
