import ExpoPush
import Foundation
import HTTPEndpoint
import Synchronization

/// A service that answers as a test tells it, and keeps what it was asked.
struct ExpoService {
    struct Asked: Sendable {
        var head: RequestHead
        var body: String

        /// The tokens of a send, in their order.
        var tokens: [String] {
            get throws { try JSONDecoder().decode([Message].self, from: Data(body.utf8)).map(\.to) }
        }

        private struct Message: Decodable { var to: String }
    }

    private final class Log: Sendable {
        let asked = Mutex<[Asked]>([])
    }

    private let log = Log()
    private let server: HTTPServer

    init(_ answer: @escaping @Sendable (Asked) throws -> Response) throws {
        server = try HTTPServer(listen: ListenAddress(host: "127.0.0.1", port: 0)) { [log] head, body in
            let asked = Asked(head: head, body: String(decoding: body, as: UTF8.self))
            log.asked.withLock { $0.append(asked) }
            do { return try answer(asked) } catch { return Response(status: 500, body: Array("\(error)".utf8)) }
        }
    }

    /// In the order in which they came.
    var asked: [Asked] { log.asked.withLock { $0 } }
    var url: String { "http://127.0.0.1:\(server.port)/--/api/v2/push" }

    func client(accessToken: String? = nil, deadline: Duration = .seconds(60)) -> ExpoPushClient {
        ExpoPushClient(url: url, accessToken: accessToken, deadline: deadline)
    }
}

/// JSON as it is written.
func json(_ text: String, status: Int = 200) -> Response {
    Response(status: status, headers: ["content-type": "application/json"], body: Array(text.utf8))
}

/// `ok` tickets, each with its token as the receipt's id.
func tickets(_ tokens: [String]) -> Response {
    json(#"{"data":["# + tokens.map { #"{"status":"ok","id":"\#($0)"}"# }.joined(separator: ",") + "]}")
}

func token(_ number: Int) -> String { "ExponentPushToken[number-\(number)]" }
