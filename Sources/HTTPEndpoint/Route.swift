/// The paths that the handler knows.
enum Route: Equatable {
    case tick, healthz, readyz, metrics, openapi
    case rpc(RPCOperation)

    /// Nil where there is nothing at the path.
    init?(_ path: String, rpc: RPCRoutes?) {
        switch path {
        case "/tick": self = .tick
        case "/healthz": self = .healthz
        case "/readyz": self = .readyz
        case "/metrics": self = .metrics
        case "/openapi.json": self = .openapi
        default:
            guard let operation = rpc?.operations.first(where: { path == "/rpc/\($0.name)" }) else { return nil }
            self = .rpc(operation)
        }
    }

    var path: String {
        switch self {
        case .tick: "/tick"
        case .healthz: "/healthz"
        case .readyz: "/readyz"
        case .metrics: "/metrics"
        case .openapi: "/openapi.json"
        case .rpc(let operation): "/rpc/\(operation.name)"
        }
    }

    var methods: [String] {
        switch self {
        case .tick, .rpc: ["POST"]
        case .healthz, .readyz, .metrics, .openapi: ["GET", "HEAD"]
        }
    }

    static func paths(rpc: RPCRoutes?) -> [String] {
        [Route.tick, .healthz, .readyz, .metrics, .openapi].map(\.path)
            + (rpc?.operations ?? []).map { Route.rpc($0).path }
    }

    /// An error in the form of the path's other errors: those of `/rpc` are PostgREST's.
    func error(
        _ status: Int, _ code: String, _ message: String, hint: String, headers: [String: String] = [:]
    ) -> Response {
        var response = Response.error(status, code, message, hint: hint, headers: headers)
        if case .rpc = self { response.body = RPCResponse.error(status, code: code, message: message, hint: hint).body }
        return response
    }
}
