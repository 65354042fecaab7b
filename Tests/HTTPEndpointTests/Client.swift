import Foundation

/// A bare TCP client that sends exactly the bytes it is given.
final class Client {
    private let descriptor: Int32

    struct Refused: Error {}

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        // A server that never answers is a failed test, not a hanging one.
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            Foundation.close(descriptor)
            throw Refused()
        }
    }

    deinit { close() }

    private var isClosed = false

    func close() {
        if !isClosed { Foundation.close(descriptor) }
        isClosed = true
    }

    /// False where the other side has gone.
    @discardableResult
    func send(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
            == text.utf8.count
    }

    /// Everything until the other side closes, read on a thread of its own.
    func rest() async -> String {
        let descriptor = descriptor
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var bytes: [UInt8] = []
                var chunk = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = recv(descriptor, &chunk, chunk.count, 0)
                    guard count > 0 else { break }
                    bytes += chunk.prefix(count)
                }
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }

    /// One request and its whole answer.
    static func ask(_ port: UInt16, _ text: String) async throws -> String {
        let client = try Client(port: port)
        client.send(text)
        return await client.rest()
    }
}
