import CNghttp2
import Foundation
import Glibc
import LiveActivity
import Synchronization

/// Pushes for one pool, on their way to the loop's thread.
struct Submission: Sendable {
    let pool: PoolSettings
    let token: ProviderToken
    let pushes: [Push]
    /// What is not sent by then is not sent at all.
    let deadline: ContinuousClock.Instant
    /// Gets an outcome for each push, in order, on the loop's thread.
    let completion: @Sendable ([PushOutcome]) -> Void
}

/// The thread that owns every connection, and the way to it: a locked list and an eventfd.
final class PushLoop: Sendable {
    enum Command: Sendable {
        case submit(Submission)
        case resolved(
            pool: PoolSettings.ID, number: UInt64, Result<[SocketAddress], SocketAddress.ResolutionFailure>)
        case close
    }

    private struct Inbox {
        var commands: [Command] = []
        var isClosed = false
    }

    private let inbox = Mutex(Inbox())
    fileprivate let wakeDescriptor: Int32
    /// Signalled when the thread is done and has let go of everything.
    private let end = DispatchSemaphore(value: 0)

    /// Starts the thread.
    ///
    /// - Throws: ``APNsError/setting(_:)`` where the process has no file descriptor left.
    init() throws(APNsError) {
        let polling = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeDescriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard polling >= 0, wakeDescriptor >= 0 else {
            if polling >= 0 { Glibc.close(polling) }
            throw .setting("no file descriptor is left for the connections to APNs; raise the limit (ulimit -n)")
        }
        let thread = Thread { [self] in
            // A write to a connection that the server has closed must be an error, not the end of the process.
            var broken = sigset_t()
            sigemptyset(&broken)
            sigaddset(&broken, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &broken, nil)
            Reactor(self, Poller(polling)).run()
            end.signal()
        }
        thread.name = "apns"
        thread.start()
    }

    deinit { Glibc.close(wakeDescriptor) }

    func submit(_ submission: Submission) {
        guard post(.submit(submission)) else {
            let outcome = PushOutcome.failed(.notProcessed("the sender was closed"))
            return submission.completion(Array(repeating: outcome, count: submission.pushes.count))
        }
    }

    /// Gives every request its outcome and ends the thread, soon.
    func beginClosing() {
        _ = post(.close)
    }

    /// The same, and waits for it: afterwards no thread of ours uses OpenSSL.
    func close() {
        guard post(.close) else { return }
        end.wait()
    }

    /// Looks a host up on a thread of its own, since that blocks for as long as it likes.
    func resolve(host: String, port: Int, pool: PoolSettings.ID, number: UInt64) {
        Thread.detachNewThread { [self] in
            _ = post(.resolved(pool: pool, number: number, SocketAddress.resolve(host: host, port: port)))
        }
    }

    /// False once the loop has been closed.
    private func post(_ command: Command) -> Bool {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return false }
            inbox.commands.append(command)
            if case .close = command { inbox.isClosed = true }
            eventfd_write(wakeDescriptor, 1)
            return true
        }
    }

    fileprivate func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands.removeAll() }
            return inbox.commands
        }
    }
}

/// What runs on the loop's thread.
private final class Reactor {
    /// How often deadlines are looked at while anything is on its way.
    private static let beat: Duration = .milliseconds(25)

    private let loop: PushLoop
    private let poller: Poller
    private var pools: [PoolSettings.ID: ConnectionPool] = [:]
    private var nextCheck = ContinuousClock.now
    private var isClosed = false

    init(_ loop: PushLoop, _ poller: Poller) {
        (self.loop, self.poller) = (loop, poller)
        poller.add(loop.wakeDescriptor, number: 0)
    }

    func run() {
        while !isClosed {
            let isBusy = pools.values.contains(where: \.isBusy)
            let ready = poller.wait(milliseconds: isBusy ? Int32(Self.beat / .milliseconds(1)) : -1)
            let now = ContinuousClock.now
            // Sockets first: a connection that died in the meantime must not get what the commands bring.
            for number in ready where number != 0 { _ = pools.values.contains { $0.ready(number, now: now) } }
            if ready.contains(0) { obey(now) }
            if now >= nextCheck {
                nextCheck = now + Self.beat
                for pool in pools.values { pool.check(now: now) }
            }
        }
    }

    private func obey(_ now: ContinuousClock.Instant) {
        var count: eventfd_t = 0
        eventfd_read(loop.wakeDescriptor, &count)
        for command in loop.takeCommands() {
            switch command {
            case .submit(let submission): pool(submission.pool, now).submit(submission, now: now)
            case .resolved(let pool, let number, let result): pools[pool]?.resolved(number, result, now: now)
            case .close:
                for pool in pools.values { pool.close(now: now) }
                isClosed = true
            }
        }
    }

    private func pool(_ settings: PoolSettings, _ now: ContinuousClock.Instant) -> ConnectionPool {
        if let pool = pools[settings.id] { return pool }
        let pool = ConnectionPool(settings, loop: loop, poller: poller, now: now)
        pools[settings.id] = pool
        return pool
    }
}
