internal import CNghttp2
internal import COpenSSL
internal import Glibc
internal import LiveActivity

/// One client's socket: TLS around an HTTP/2 session.
///
/// Only the server's thread touches it.
final class Connection {
    /// Bytes put into one TLS record.
    private static let recordSize = 16_384

    let descriptor: Int32
    let number: Int
    let environment: APNsEnvironment
    let session: Session
    /// Output waits for the socket to take more.
    private(set) var isBlocked = false
    /// The socket is to be closed without another word.
    var isDoomed = false
    /// Nothing is read, written or answered any more, yet the socket stays open.
    var isFrozen = false
    /// The highest stream whose request was acted on.
    var processedStream: Int32 = 0
    private let ssl: OpaquePointer
    private var isHandshakeDone = false
    private var output: [UInt8] = []
    private var written = 0

    init(
        descriptor: Int32, number: Int, environment: APNsEnvironment, context: TLSContext, traits: ConnectionTraits
    ) throws(SimulatorError) {
        guard let ssl = SSL_new(context.pointer), SSL_set_fd(ssl, descriptor) == 1 else {
            throw .cryptography("take a connection")
        }
        SSL_set_accept_state(ssl)
        self.descriptor = descriptor
        self.number = number
        self.environment = environment
        self.ssl = ssl
        session = try Session(traits: traits)
    }

    deinit {
        SSL_free(ssl)
        close(descriptor)
    }

    /// Reads what came and writes what waits; false means that the connection is over.
    func progress() -> Bool {
        guard !isFrozen else { return true }
        guard handshake() else { return false }
        guard isHandshakeDone else { return true }
        guard read(), !isDoomed, flush() else { return false }
        return !(session.isOver && output.isEmpty)
    }

    /// Writes waiting frames until all are out or the socket takes no more; false means that it is broken.
    func flush() -> Bool {
        guard isHandshakeDone, !isFrozen else { return true }
        isBlocked = false
        while true {
            if written == output.count {
                output.removeAll(keepingCapacity: true)
                written = 0
                guard session.gather(into: &output, limit: Self.recordSize) else { return false }
                if output.isEmpty { return true }
            }
            ERR_clear_error()
            let count = output.withUnsafeBytes { bytes in
                SSL_write(ssl, bytes.baseAddress.map { $0 + written }, Int32(output.count - written))
            }
            if count <= 0 {
                isBlocked = wantsMore(count)
                return isBlocked
            }
            written += Int(count)
        }
    }

    private func handshake() -> Bool {
        guard !isHandshakeDone else { return true }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        isHandshakeDone = result == 1
        return isHandshakeDone || wantsMore(result)
    }

    private func read() -> Bool {
        var buffer = [UInt8](repeating: 0, count: Self.recordSize)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else { return wantsMore(count) }
            let isValid = buffer.withUnsafeBufferPointer {
                session.receive(UnsafeBufferPointer(rebasing: $0.prefix(Int(count))))
            }
            guard isValid else { return false }
            if isDoomed || isFrozen { return true }
        }
    }

    private func wantsMore(_ result: Int32) -> Bool {
        let reason = SSL_get_error(ssl, result)
        return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE
    }
}
