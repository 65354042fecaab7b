import CMicrohttpd
import Foundation
import Synchronization

/// Cuts connections that are past their deadline, however busily they drip.
///
/// The library's own time-out counts silence alone.
final class SlowConnections: Sendable {
    private let limit: Duration
    private let deadlines = Mutex<[Int32: ContinuousClock.Instant]>([:])

    init(limit: Duration) {
        self.limit = limit
    }

    /// From now on the socket has the whole limit: for its request, and then for taking the answer.
    func watch(_ socket: Int32) {
        let deadline = ContinuousClock.now + limit
        deadlines.withLock { $0[socket] = deadline }
    }

    /// The socket waits for us, or is about to be closed.
    func forget(_ socket: Int32) {
        deadlines.withLock { $0[socket] = nil }
    }

    /// Shuts down whatever is too late, which the library sees as a client that left, and gives their number.
    func cut() -> Int {
        let now = ContinuousClock.now
        // Under the lock, so that a socket's number cannot be another connection's meanwhile.
        return deadlines.withLock { deadlines in
            let late = deadlines.filter { $0.value <= now }.keys
            for socket in late {
                shutdown(socket, Int32(SHUT_RDWR))
                deadlines[socket] = nil
            }
            return late.count
        }
    }
}
