import HTTPEndpoint

/// Why a user's token opens nothing; no case holds a piece of the token.
public enum TokenError: Error, Equatable {
    /// There is no `Authorization: Bearer …`.
    case missing
    /// It is no signed token, its algorithm is none of ours, or no key of ours made its signature.
    case invalid(String)
    /// It is signed well, and its claims do not hold.
    case claims(String)
    /// It names another role than `authenticated`.
    case role
    /// The keys cannot be fetched, and none are known.
    case keysUnavailable

    /// As PostgREST answers it (its codes PGRST301 to PGRST303).
    var response: RPCResponse {
        switch self {
        case .missing:
            .error(
                401, code: "PGRST302", message: "Anonymous access is disabled",
                hint: "Send the user's token as Authorization: Bearer …", challenge: "Bearer")
        case .invalid(let reason): .error(401, code: "PGRST301", message: reason, challenge: Self.challenge(reason))
        case .claims(let reason): .error(401, code: "PGRST303", message: reason, challenge: Self.challenge(reason))
        case .role:
            .error(
                403, code: "42501", message: "the token's role may not call this",
                hint: "Call with the token of a signed-in user, whose role is authenticated.")
        case .keysUnavailable:
            .error(
                503, code: "keys_unavailable", message: "the keys for users' tokens cannot be fetched",
                hint: "Look at JWT_JWKS_URL and the log; try again in a minute.")
        }
    }

    /// RFC 6750 section 3.
    private static func challenge(_ reason: String) -> String {
        "Bearer error=\"invalid_token\", error_description=\"\(reason)\""
    }
}
