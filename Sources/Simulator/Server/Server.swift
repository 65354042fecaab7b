internal import CNghttp2
internal import Foundation
internal import Glibc
internal import LiveActivity
internal import Synchronization

/// The server's thread and the way to speak to it from others.
final class Server: Sendable {
    enum Command: Sendable {
        case stop
        /// Close every connection at once, without a word.
        case drop
        /// Leave every connection open, but read and answer nothing on it any more.
        case freeze
    }

    /// Called on the server's thread with each whole request.
    typealias Handler = @Sendable (HTTPRequest) -> Reaction

    /// What the thread is to do next, and who waits for it; nil once the thread takes no more.
    private let commands = Mutex<[(command: Command, done: DispatchSemaphore)]?>([])
    private let wakeUp: Int32
    private let finished = DispatchSemaphore(value: 0)
    private let isStopped = Mutex(false)
    /// How connections behave that are opened from now on.
    let traits: Mutex<ConnectionTraits>

    init(
        sockets: [ListeningSocket], context: TLSContext, traits: ConnectionTraits, handler: @escaping Handler
    ) throws(SimulatorError) {
        wakeUp = eventfd(0, Int32(EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw .system(call: "eventfd", code: errno) }
        self.traits = Mutex(traits)
        let poll = epoll_create1(0)
        guard poll >= 0 else { throw .system(call: "epoll_create1", code: errno) }
        // A client that went away must not end the process.
        signal(SIGPIPE, SIG_IGN)
        let thread = Thread { [self] in
            let loop = ServerLoop(
                poll: poll, wakeUp: wakeUp, sockets: sockets, context: context, server: self, handler: handler)
            loop.run()
            refuseCommands()
            finished.signal()
        }
        thread.name = "cuecard-simulator"
        thread.start()
    }

    /// Has the thread do something and waits until it is done; nothing happens after ``stop()``.
    func perform(_ command: Command) {
        let done = DispatchSemaphore(value: 0)
        let isTaken = commands.withLock { commands in
            commands?.append((command, done))
            return commands != nil
        }
        guard isTaken else { return }
        var one: UInt64 = 1
        _ = write(wakeUp, &one, MemoryLayout<UInt64>.size)
        done.wait()
    }

    /// For the loop: obeys the commands that wait.
    func takeCommands(_ obey: (Command) -> Void) {
        var count: UInt64 = 0
        _ = read(wakeUp, &count, MemoryLayout<UInt64>.size)
        let taken = commands.withLock { commands in
            defer { commands = commands.map { _ in [] } }
            return commands ?? []
        }
        for (command, done) in taken {
            obey(command)
            done.signal()
        }
    }

    private func refuseCommands() {
        let left = commands.withLock { commands in
            defer { commands = nil }
            return commands ?? []
        }
        for (_, done) in left { done.signal() }
    }

    /// Closes everything and waits for the thread to end; safe to call again.
    func stop() {
        let isFirst = isStopped.withLock { stopped in
            defer { stopped = true }
            return !stopped
        }
        guard isFirst else { return }
        perform(.stop)
        finished.wait()
        close(wakeUp)
    }
}

/// The epoll loop; it lives and dies on the server's thread.
private final class ServerLoop {
    private struct Timer {
        var due: ContinuousClock.Instant
        var connection: Int
        var stream: Int32
        var deed: Reaction.Deed
    }

    private let poll: Int32
    private let wakeUp: Int32
    private let sockets: [Int32: ListeningSocket]
    private let context: TLSContext
    private unowned let server: Server
    private let handler: Server.Handler
    private var connections: [Int32: Connection] = [:]
    private var accepted = 0
    private var timers: [Timer] = []
    private var isStopping = false

    init(
        poll: Int32, wakeUp: Int32, sockets: [ListeningSocket], context: TLSContext, server: Server,
        handler: @escaping Server.Handler
    ) {
        self.poll = poll
        self.wakeUp = wakeUp
        self.sockets = Dictionary(uniqueKeysWithValues: sockets.map { ($0.descriptor, $0) })
        self.context = context
        self.server = server
        self.handler = handler
    }

    func run() {
        watch(wakeUp, EPOLL_CTL_ADD, EPOLLIN.rawValue)
        for descriptor in sockets.keys { watch(descriptor, EPOLL_CTL_ADD, EPOLLIN.rawValue) }
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while !isStopping {
            let count = epoll_wait(poll, &events, Int32(events.count), timeout())
            for event in events.prefix(Int(max(0, count))) { handle(event.data.fd) }
            fireTimers()
        }
        connections.removeAll()
        for descriptor in sockets.keys { close(descriptor) }
        close(poll)
    }

    private func handle(_ descriptor: Int32) {
        if descriptor == wakeUp {
            server.takeCommands(obey)
        } else if let socket = sockets[descriptor] {
            accept(from: socket)
        } else if let connection = connections[descriptor] {
            settle(connection, isAlive: connection.progress())
        }
    }

    private func obey(_ command: Server.Command) {
        switch command {
        case .stop: isStopping = true
        case .drop: connections.removeAll()
        case .freeze:
            for connection in connections.values {
                connection.isFrozen = true
                watch(connection.descriptor, EPOLL_CTL_DEL, 0)
            }
        }
    }

    private func accept(from socket: ListeningSocket) {
        while true {
            let descriptor = Glibc.accept(socket.descriptor, nil, nil)
            guard descriptor >= 0 else { return }
            guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                close(descriptor)
                continue
            }
            var noDelay: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
            open(descriptor, socket.environment)
        }
    }

    private func open(_ descriptor: Int32, _ environment: APNsEnvironment) {
        accepted += 1
        do {
            let connection = try Connection(
                descriptor: descriptor, number: accepted, environment: environment, context: context,
                traits: server.traits.withLock { $0 })
            connection.session.onRequest = { [unowned self, unowned connection] stream, headers, body, isLate in
                let request = HTTPRequest(
                    environment: environment, connection: connection.number, stream: stream, headers: headers,
                    body: body, isAfterGoAway: isLate)
                react(handler(request), on: connection, stream: stream)
            }
            connections[descriptor] = connection
            watch(descriptor, EPOLL_CTL_ADD, EPOLLIN.rawValue)
        } catch {
            close(descriptor)
        }
    }

    private func react(_ reaction: Reaction, on connection: Connection, stream: Int32) {
        if reaction.isProcessed { connection.processedStream = max(connection.processedStream, stream) }
        if reaction.raisesStreamLimit { connection.session.raiseStreamLimit() }
        guard reaction.delay > .zero else { return perform(reaction.deed, on: connection, stream: stream) }
        timers.append(
            Timer(due: .now + reaction.delay, connection: connection.number, stream: stream, deed: reaction.deed))
    }

    private func perform(_ deed: Reaction.Deed, on connection: Connection, stream: Int32) {
        switch deed {
        case .respond(let response):
            connection.session.respond(response, on: stream)
        case .silence: break
        case .reset(let code): connection.session.reset(stream, code: code)
        case .goAway(let including, let response):
            connection.session.goAway(at: stream, including: including, processedUpTo: connection.processedStream)
            if let response { connection.session.respond(response, on: stream) }
        case .close: connection.isDoomed = true
        }
    }

    private func timeout() -> Int32 {
        guard let due = timers.map(\.due).min() else { return -1 }
        let wait = ContinuousClock.now.duration(to: due) / .milliseconds(1)
        return Int32(clamping: Int(max(0, wait.rounded(.up))))
    }

    private func fireTimers() {
        guard !timers.isEmpty else { return }
        let now = ContinuousClock.now
        let due = timers.filter { $0.due <= now }
        timers.removeAll { $0.due <= now }
        for timer in due {
            guard let connection = connections.values.first(where: { $0.number == timer.connection }) else { continue }
            perform(timer.deed, on: connection, stream: timer.stream)
            settle(connection, isAlive: !connection.isDoomed && connection.flush())
        }
    }

    private func settle(_ connection: Connection, isAlive: Bool) {
        guard isAlive else {
            connections[connection.descriptor] = nil
            return
        }
        guard !connection.isFrozen else { return }
        let blocked = connection.isBlocked ? EPOLLOUT.rawValue : 0
        watch(connection.descriptor, EPOLL_CTL_MOD, EPOLLIN.rawValue | blocked)
    }

    private func watch(_ descriptor: Int32, _ operation: Int32, _ events: UInt32) {
        var event = epoll_event()
        event.events = events
        event.data.fd = descriptor
        epoll_ctl(poll, operation, descriptor, &event)
    }
}
