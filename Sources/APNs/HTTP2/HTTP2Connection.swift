import Foundation

/// One connection to APNs: a TLS socket, an HTTP/2 session, and the times that tell a dead one from a slow one.
///
/// Loop thread only. Whoever calls it asks for the verdicts afterwards.
final class HTTP2Connection {
    enum Phase {
        case handshake
        /// TLS stands; the server's SETTINGS are awaited.
        case settings
        case open
        /// It takes no more requests, and closes once the open ones are answered.
        case retired
        case closed
    }

    /// Without a byte for this long, with requests open, the server is asked by a PING whether it lives.
    private static let silenceBeforePing: Duration = .seconds(2)
    /// Where it does not answer that in time, it gets no more requests.
    private static let longestPing: Duration = .seconds(2)
    /// Another connection is dialled beside one that takes longer to prove that it lives.
    private static let proof: Duration = .milliseconds(500)
    /// After this long without a byte the connection is given up.
    private static let longestSilence: Duration = .seconds(10)

    let number: UInt64
    private(set) var phase = Phase.handshake
    /// Why it closed, or will.
    private(set) var reason = ""
    /// The server's SETTINGS came.
    var hasOpened: Bool { session.isReady }
    /// APNs has answered on it at least once.
    private(set) var hasAnswered = false

    private let socket: TLSSocket
    private let session: HTTP2Session
    private let poller: Poller
    private let readyBy: ContinuousClock.Instant
    private let idleProbe: Duration

    private var output: [UInt8] = []
    private var written = 0
    /// How many bytes of earlier output TLS has taken, and up to where it was ever offered any.
    private var flushed: UInt64 = 0
    private var offered: UInt64 = 0
    private var canWrite = true
    private var waitsToWrite = false

    /// Since when nothing was read although something could be expected.
    private var quietSince: ContinuousClock.Instant
    /// A PING is out, since then.
    private var pingedAt: ContinuousClock.Instant?

    init(
        number: UInt64, socket: TLSSocket, session: HTTP2Session, poller: Poller, readyBy: ContinuousClock.Instant,
        idleProbe: Duration, now: ContinuousClock.Instant
    ) {
        self.number = number
        self.socket = socket
        self.session = session
        self.poller = poller
        self.readyBy = readyBy
        self.idleProbe = idleProbe
        quietSince = now
        poller.add(socket.descriptor, number: number)
    }

    var isOpening: Bool { phase == .handshake || phase == .settings }
    var isOpen: Bool { phase == .open }
    var isBusy: Bool { isOpening || session.openRequests > 0 || pingedAt != nil || phase == .retired }
    var openRequests: Int { session.openRequests }

    // MARK: Requests

    /// Whether a request may be submitted now.
    ///
    /// Asks a connection that was idle for long to prove that it lives first.
    func hasRoom(for bytes: Int, now: ContinuousClock.Instant) -> Bool {
        guard phase == .open, pingedAt == nil else { return false }
        if session.openRequests == 0, now - quietSince > idleProbe {
            ping(now)
            return false
        }
        return session.hasRoom(for: bytes)
    }

    /// Whether it was asked a moment ago to prove that it lives, so that another one need not be dialled yet.
    func isProving(now: ContinuousClock.Instant) -> Bool {
        session.openRequests == 0 && pingedAt.map { now - $0 < Self.proof } ?? false
    }

    func submit(_ request: Request, now: ContinuousClock.Instant) {
        if session.openRequests == 0 { quietSince = now }
        session.submit(request)
    }

    func takeVerdicts() -> [(Request, HTTP2Session.Verdict)] { session.takeVerdicts() }

    /// Takes no more requests; what is open may end.
    func retire(_ reason: String) {
        guard phase == .open else { return }
        phase = .retired
        self.reason = reason
    }

    // MARK: The socket

    /// The socket may be read or written.
    func ready(now: ContinuousClock.Instant) {
        if phase == .handshake { handshake(now) }
        if phase == .settings || phase == .open || phase == .retired { read(now) }
        flush()
    }

    func handshake(_ now: ContinuousClock.Instant) {
        switch socket.handshake() {
        case .done: phase = .settings
        case .blocked(let forWriting): waitToWrite(forWriting)
        case .ended(let reason): close(reason)
        }
    }

    private func read(_ now: ContinuousClock.Instant) {
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 1) { buffer in
            while phase != .closed {
                switch socket.read(into: buffer) {
                case .done(let count):
                    heard(now)
                    if let problem = session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count])) {
                        return close("the server broke HTTP/2: \(problem)")
                    }
                case .blocked: return
                case .ended(let reason): return close(session.goAway ?? reason)
                }
            }
        }
    }

    private func heard(_ now: ContinuousClock.Instant) {
        quietSince = now
        pingedAt = nil
    }

    private func ping(_ now: ContinuousClock.Instant) {
        pingedAt = now
        session.ping()
    }

    /// Sends what is queued, up to what the socket takes.
    func flush() {
        if phase == .settings, session.isReady { phase = .open }
        if let reason = session.goAway { retire(reason) }
        writing: while canWrite, phase != .closed, phase != .handshake {
            if written == output.count {
                flushed += UInt64(written)
                output.removeAll(keepingCapacity: true)
                written = 0
                session.produce(into: &output)
                if output.isEmpty {
                    waitToWrite(false)
                    break writing
                }
            }
            // From here on the server may get all of it, whatever the call below says.
            offered = flushed + UInt64(output.count)
            switch output.withUnsafeBytes({ socket.write(UnsafeRawBufferPointer(rebasing: $0[written...])) }) {
            case .done(let count): written += count
            case .blocked(let forWriting):
                waitToWrite(forWriting)
                break writing
            case .ended(let reason):
                // Answers may still wait to be read.
                canWrite = false
                waitToWrite(false)
                retire(reason)
            }
        }
        if phase == .retired, session.openRequests == 0 { close(reason) }
    }

    private func waitToWrite(_ waits: Bool) {
        guard waits != waitsToWrite else { return }
        waitsToWrite = waits
        poller.change(socket.descriptor, number: number, writing: waits)
    }

    /// Ends it at once; each open request gets its verdict.
    func close(_ reason: String) {
        guard phase != .closed else { return }
        phase = .closed
        self.reason = reason
        session.abandon(offered: offered, reason: reason)
        poller.remove(socket.descriptor)
        socket.farewell()
    }

    // MARK: Time

    /// Acts on what is overdue.
    func check(now: ContinuousClock.Instant) {
        if isOpening, now >= readyBy {
            return close(phase == .handshake ? "no answer to the TLS handshake" : "no HTTP/2 SETTINGS in time")
        }
        session.cancel { request in request.deadline.map { now >= $0 } ?? false }
        if session.openRequests > 0 {
            let silence = now - quietSince
            if silence >= Self.longestSilence { return close("the server was silent for 10 s") }
            if silence >= Self.silenceBeforePing, pingedAt == nil { ping(now) }
        }
        if let pingedAt, now - pingedAt >= Self.longestPing { retire("the server does not answer a PING") }
        flush()
    }

    /// Says good-bye to the server, as far as the socket takes it, and closes.
    func leave(_ reason: String) {
        session.terminate()
        flush()
        close(reason)
    }

    /// The pool has got an answer over it.
    func noteAnswer() { hasAnswered = true }
}
