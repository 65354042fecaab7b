import CMicrohttpd
import Synchronization

/// One request and its answer, while the library holds their connection.
///
/// The library's thread alone touches the request. The answer comes from any thread, once, and wakes the connection.
final class Exchange: Sendable {
    let head: RequestHead
    let refusal: Response?
    private let state = Mutex(State())

    private struct State: Sendable {
        var body: [UInt8] = []
        var discarded = 0
        var answer: Response?
        var connection: Connection?
    }

    /// A suspended connection, which may be resumed from any thread, once.
    private struct Connection: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    init(head: RequestHead, refusal: Response?) {
        self.head = head
        self.refusal = refusal
    }

    var body: [UInt8] { state.withLock { $0.body } }
    var answer: Response? { state.withLock { $0.answer } }

    /// Takes a piece of the body, up to the limit; what is beyond, or of a refused request, is read and dropped.
    ///
    /// - Returns: False where so much was dropped that the client deserves no answer.
    func receive(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        state.withLock { state in
            // One byte over the limit is kept, so that the router sees that there was more.
            let room = refusal == nil ? max(0, limit + 1 - state.body.count) : 0
            state.body += bytes.prefix(room)
            state.discarded += max(0, bytes.count - room)
            return state.discarded <= 16 * limit
        }
    }

    /// Takes the connection out of the library's loop until ``finish(_:)``.
    func suspend(_ connection: OpaquePointer) {
        state.withLock { $0.connection = Connection(pointer: connection) }
        MHD_suspend_connection(connection)
    }

    /// Gives the answer and wakes the connection; all but the first call do nothing.
    func finish(_ response: Response) {
        state.withLock { state in
            guard let connection = state.connection else { return }
            state.answer = response
            state.connection = nil
            // Under the lock, so that the server cannot stop between the two.
            MHD_resume_connection(connection.pointer)
        }
    }
}
