import CMicrohttpd
import Foundation
import Synchronization

/// HTTP/1.1 on libmicrohttpd: sockets and bytes on one side, requests and answers on the other.
///
/// One thread of the library's polls all connections. It only reads, hands a whole request to a task, and writes the
/// answer; while the task works the connection is suspended and costs nothing. A connection carries one request, so
/// that its age is the age of the request.
package final class HTTPServer: Sendable {
    /// What it bears; see ``HTTPEndpoint/Configuration``.
    package struct Limits: Sendable {
        package var body = 65_536
        package var head = 16_384
        package var connections = 64
        package var connectionsPerAddress = 48
        package var deadline: Duration = .seconds(10)
        package var silenceSeconds = 5

        package init() {}
    }

    package typealias Refuse = @Sendable (RequestHead) -> Response?
    package typealias Left = @Sendable () -> Void
    package typealias Answer = @Sendable (RequestHead, [UInt8]) async -> Response

    /// The port it listens on.
    package let port: UInt16
    private let limits: Limits
    private let refuse: Refuse
    private let left: Left
    private let answer: Answer
    private let slow: SlowConnections
    private let state = Mutex(State())
    private let sweeper = Mutex<Task<Void, Never>?>(nil)

    private struct State {
        var daemon: Daemon?
        var isQuiet = false
        var isStopping = false
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        /// Sockets on which no whole head has come yet.
        var unasked: Set<Int32> = []
    }

    /// The library's handle; the functions called on it here may be called from any thread.
    private struct Daemon: @unchecked Sendable {
        let pointer: OpaquePointer
    }

    /// Listens and serves from now on.
    ///
    /// - Parameters:
    ///   - listen: Where.
    ///   - limits: What it bears.
    ///   - refuse: The answer to a head that is not worth reading on for, or nil; it must be quick.
    ///   - cut: Told how many connections were cut for slowness.
    ///   - left: Told of each connection that closed before a whole head had come.
    ///   - answer: The answer to a whole request; also called after a refusal, whose body it gets empty.
    /// - Throws: ``HTTPEndpointError``, where it cannot listen.
    package init(
        listen: ListenAddress, limits: Limits = Limits(), refuse: @escaping Refuse = { _ in nil },
        cut: @escaping @Sendable (Int) -> Void = { _ in }, left: @escaping Left = {}, answer: @escaping Answer
    ) throws(HTTPEndpointError) {
        let socket = try ListeningSocket(listen)
        port = socket.port
        self.limits = limits
        self.refuse = refuse
        self.left = left
        self.answer = answer
        slow = SlowConnections(limit: limits.deadline)
        let bounds = cuecard_mhd_limits(
            connections: UInt32(limits.connections), connections_per_address: UInt32(limits.connectionsPerAddress),
            silence_seconds: UInt32(limits.silenceSeconds), memory_bytes: limits.head)
        // The library keeps this pointer until stop(), which ends before the last reference can go.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let daemon = cuecard_mhd_start(socket.descriptor, bounds, context, access, completed, connectionChanged)
        guard let daemon else {
            Foundation.close(socket.descriptor)
            throw .notStarted
        }
        state.withLock { $0.daemon = Daemon(pointer: daemon) }
        let slow = slow
        sweeper.withLock { sweeper in
            sweeper = Task.detached {
                while !Task.isCancelled {
                    do { try await Task.sleep(for: .milliseconds(200)) } catch { return }
                    let count = slow.cut()
                    if count > 0 { cut(count) }
                }
            }
        }
    }

    deinit { close() }

    /// Stops accepting, lets what runs finish, and closes everything at the limit; safe to call again.
    ///
    /// - Parameter limit: How long requests that are here may still take.
    /// - Returns: Whether every request had its own answer.
    package func stop(within limit: Duration) async -> Bool {
        let daemon = state.withLock { state in
            defer { state.isQuiet = true }
            return state.isQuiet ? nil : state.daemon
        }
        guard let daemon else { return true }
        let listening = MHD_quiesce_daemon(daemon.pointer)
        if listening >= 0 { Foundation.close(listening) }
        let isDone = await idle(within: limit)
        if !isDone {
            refuseWhatIsLeft()
            _ = await idle(within: .seconds(1))
        }
        close()
        return isDone
    }

    private func idle(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while state.withLock({ !$0.exchanges.isEmpty }) {
            guard ContinuousClock.now < deadline else { return false }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { return false }
        }
        return true
    }

    private func refuseWhatIsLeft() {
        let left = state.withLock { state in
            state.isStopping = true
            return state.exchanges
        }
        for exchange in left.values { exchange.finish(stopping) }
    }

    /// The library may not be stopped while a connection is suspended.
    private func close() {
        refuseWhatIsLeft()
        sweeper.withLock { $0?.cancel() }
        let daemon = state.withLock { state in
            defer { state.daemon = nil }
            return state.daemon
        }
        if let daemon { MHD_stop_daemon(daemon.pointer) }
    }

    private var stopping: Response {
        .error(503, "stopping", "the process is stopping", hint: "the next tick takes up what is left")
    }

    // MARK: - On the library's thread

    fileprivate func begin(_ head: RequestHead, _ connection: OpaquePointer) -> Exchange {
        let socket = cuecard_mhd_socket(connection)
        state.withLock { _ = $0.unasked.remove(socket) }
        return Exchange(head: head, refusal: refuse(head))
    }

    fileprivate func receive(_ bytes: UnsafeRawBufferPointer, for exchange: Exchange) -> Bool {
        exchange.receive(bytes, limit: limits.body)
    }

    /// Whether the body is announced as larger than anyone should read.
    fileprivate func isHopeless(_ exchange: Exchange) -> Bool {
        exchange.refusal != nil && Int(exchange.head.headers["content-length"] ?? "0").map { $0 > limits.body } ?? true
    }

    fileprivate func work(on exchange: Exchange, _ connection: OpaquePointer) -> MHD_Result {
        // Under the lock: once we are stopping, no connection is suspended any more.
        let isTaken = state.withLock { state in
            guard !state.isStopping else { return false }
            state.exchanges[ObjectIdentifier(exchange)] = exchange
            exchange.suspend(connection)
            return true
        }
        guard isTaken else { return write(stopping, to: connection) }
        slow.forget(cuecard_mhd_socket(connection))
        Task.detached { [answer] in
            exchange.finish(await answer(exchange.head, exchange.body))
        }
        return .YES
    }

    fileprivate func write(_ response: Response, to connection: OpaquePointer) -> MHD_Result {
        slow.watch(cuecard_mhd_socket(connection))
        var body = response.body
        guard let answer = MHD_create_response_from_buffer(body.count, &body, .RESPMEM_MUST_COPY) else { return .NO }
        defer { MHD_destroy_response(answer) }
        let headers = response.headers.merging(["connection": "close", "cache-control": "no-store"]) { mine, _ in mine }
        for (name, value) in headers { MHD_add_response_header(answer, name, value) }
        return MHD_queue_response(connection, UInt32(response.status), answer)
    }

    fileprivate func end(_ exchange: Exchange) {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = nil }
    }

    fileprivate func opened(_ connection: OpaquePointer) {
        let socket = cuecard_mhd_socket(connection)
        slow.watch(socket)
        state.withLock { _ = $0.unasked.insert(socket) }
    }

    fileprivate func closed(_ connection: OpaquePointer) {
        let socket = cuecard_mhd_socket(connection)
        slow.forget(socket)
        if state.withLock({ $0.unasked.remove(socket) }) != nil { left() }
    }
}

// MARK: - The library's callbacks, which capture nothing

private func server(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
}

/// Called with the head, then with each piece of the body, then at its end, then again after each resumption.
private func access(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let server = server(context), let connection, let url, let method, let size, let slot else { return .NO }
    guard let known = slot.pointee else {
        let head = RequestHead(
            method: String(cString: method), path: String(cString: url), headers: headers(of: connection))
        let exchange = server.begin(head, connection)
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        // Told at once where reading on is no use; the library then closes the connection, body unread.
        return server.isHopeless(exchange) ? server.work(on: exchange, connection) : .YES
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(known).takeUnretainedValue()
    if let answer = exchange.answer { return server.write(answer, to: connection) }
    if size.pointee > 0 {
        let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        return server.receive(bytes, for: exchange) ? .YES : .NO
    }
    return server.work(on: exchange, connection)
}

private func completed(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, cause: MHD_RequestTerminationCode
) {
    guard let server = server(context), let known = slot?.pointee else { return }
    server.end(Unmanaged<Exchange>.fromOpaque(known).takeRetainedValue())
    slot?.pointee = nil
}

private func connectionChanged(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, change: MHD_ConnectionNotificationCode
) {
    guard let server = server(context), let connection else { return }
    change == .CONNECTION_NOTIFY_STARTED ? server.opened(connection) : server.closed(connection)
}

private func headers(of connection: OpaquePointer) -> [String: String] {
    var headers: [String: String] = [:]
    withUnsafeMutablePointer(to: &headers) { pointer in
        _ = MHD_get_connection_values(
            connection, .HEADER_KIND,
            { context, _, name, value in
                guard let headers = context?.assumingMemoryBound(to: [String: String].self), let name else {
                    return .YES
                }
                headers.pointee[String(cString: name).lowercased()] = value.map { String(cString: $0) } ?? ""
                return .YES
            }, pointer)
    }
    return headers
}
