import Foundation
import HTTPEndpoint
import Synchronization

/// A Lambda Runtime API that hands out what a test has prepared, and keeps what it is told.
final class RuntimeService: Sendable {
    struct Post: Sendable {
        var path: String
        var errorType: String?
        var body: String
    }

    private struct State {
        var prepared: [Response]
        var posts: [Post] = []
        var waiting = 0
        var isDead = false
    }

    /// What the server's closure holds, so that the server can go with this object.
    private final class Desk: Sendable {
        let state: Mutex<State>
        init(_ prepared: [Response]) { state = Mutex(State(prepared: prepared)) }
    }

    private let desk: Desk
    private let server: HTTPServer

    /// - Parameter taking: Whether a post to this path is taken; what is not gets 400, as after the deadline.
    init(_ prepared: [Response], taking: @escaping @Sendable (String) -> Bool = { _ in true }) throws {
        let desk = Desk(prepared)
        self.desk = desk
        server = try HTTPServer(listen: ListenAddress(host: "127.0.0.1", port: 0)) { head, body in
            if head.method == "POST" {
                let post = Post(
                    path: head.path, errorType: head.headers["lambda-runtime-function-error-type"],
                    body: String(decoding: body, as: UTF8.self))
                desk.state.withLock { $0.posts.append(post) }
                return Response(status: taking(head.path) ? 202 : 400)
            }
            guard head.path == "/2018-06-01/runtime/invocation/next" else { return Response(status: 404) }
            desk.state.withLock { $0.waiting += 1 }
            defer { desk.state.withLock { $0.waiting -= 1 } }
            return await Self.next(at: desk)
        }
    }

    var host: String { "127.0.0.1:\(server.port)" }
    var posts: [Post] { desk.state.withLock { $0.posts } }
    /// How many wait for an invocation just now.
    var waiting: Int { desk.state.withLock { $0.waiting } }

    func add(_ response: Response) { desk.state.withLock { $0.prepared.append(response) } }

    /// It listens no longer, and whoever waits gets nothing of use.
    func die() async {
        desk.state.withLock { $0.isDead = true }
        _ = await server.stop(within: .seconds(20))
    }

    /// The next one prepared, once there is one: nothing is not an answer of this API.
    private static func next(at desk: Desk) async -> Response {
        while true {
            let (response, isDead) = desk.state.withLock { state in
                (state.prepared.isEmpty ? nil : state.prepared.removeFirst(), state.isDead)
            }
            if let response { return response }
            if isDead { return Response(status: 500) }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { return Response(status: 500) }
        }
    }
}

extension Response {
    /// An invocation with an event, and with this many seconds left.
    static func invocation(_ id: String, _ event: String, left: Double = 120) -> Response {
        let deadline = Int((Date().timeIntervalSince1970 + left) * 1000)
        return Response(
            status: 200,
            headers: [
                "content-type": "application/json", "Lambda-Runtime-Aws-Request-Id": id,
                "Lambda-Runtime-Deadline-Ms": "\(deadline)", "Lambda-Runtime-Trace-Id": "Root=1-0",
            ],
            body: Array(event.utf8))
    }
}
