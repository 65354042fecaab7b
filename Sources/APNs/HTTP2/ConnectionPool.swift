import LiveActivity

/// The waiting requests and the connections of one key in one environment.
///
/// Loop thread only.
///
/// After whatever happens `advance` brings everything forward: verdicts, new requests, output, more connections.
final class ConnectionPool {
    /// After so many connections in a row that brought no answer, the requests that wait are given up: few where not
    /// even the connection stood, more where it did, since a server that is being replaced says GOAWAY to anybody.
    private static let mostFailures = (dialling: 2, standing: 5)

    private let settings: PoolSettings
    private let loop: PushLoop
    private let poller: Poller
    private var waiting = RequestQueue()
    private var connections: [HTTP2Connection] = []
    private var dial: Dial?
    private var heads: [RequestHead.Key: RequestHead] = [:]
    private var failures = 0
    private var nextDial: ContinuousClock.Instant

    init(_ settings: PoolSettings, loop: PushLoop, poller: Poller, now: ContinuousClock.Instant) {
        self.settings = settings
        self.loop = loop
        self.poller = poller
        nextDial = now
    }

    /// Whether time alone can bring a change.
    var isBusy: Bool { !waiting.isEmpty || dial != nil || connections.contains(where: \.isBusy) }

    // MARK: What happens to a pool

    func submit(_ submission: Submission, now: ContinuousClock.Instant) {
        let batch = Batch(
            count: submission.pushes.count, deadline: submission.deadline, completion: submission.completion)
        let authorization = "bearer " + submission.token.jwt
        heads = heads.filter { $0.key.authorization == authorization }
        for (index, push) in submission.pushes.enumerated() {
            waiting.append(Request(push: push, head: head(of: push, authorization), batch: batch, index: index))
        }
        advance(now)
    }

    /// A descriptor of this pool is ready; false where the number is not one of its own.
    func ready(_ number: UInt64, now: ContinuousClock.Instant) -> Bool {
        if let dial, dial.number == number {
            progress(dial.check(ready: true, now: now), of: dial, now)
        } else if let connection = connections.first(where: { $0.number == number }) {
            connection.ready(now: now)
        } else {
            return false
        }
        advance(now)
        return true
    }

    /// A look-up has ended.
    func resolved(
        _ number: UInt64, _ result: Result<[SocketAddress], SocketAddress.ResolutionFailure>,
        now: ContinuousClock.Instant
    ) {
        guard let dial, dial.number == number else { return }
        progress(dial.resolved(result, now: now), of: dial, now)
        advance(now)
    }

    /// Time has passed.
    func check(now: ContinuousClock.Instant) {
        for request in waiting.removeLate(now) {
            request.finishWaiting("its time ran out before it was sent")
        }
        if let dial { progress(dial.check(ready: false, now: now), of: dial, now) }
        for connection in connections { connection.check(now: now) }
        advance(now)
    }

    /// Nothing more is sent; every request gets its outcome.
    func close(now: ContinuousClock.Instant) {
        dial = nil
        giveUpWaiting("the sender was closed")
        for connection in connections { connection.leave("the sender was closed") }
        for (request, verdict) in connections.flatMap({ $0.takeVerdicts() }) {
            switch verdict {
            case .answered(let outcome): request.finish(outcome)
            case .notProcessed(let reason): request.finish(.failed(.notProcessed(reason)))
            case .unknown(let reason): request.finish(.failed(.unknown(reason)))
            }
        }
        connections = []
    }

    private func advance(_ now: ContinuousClock.Instant) {
        settle(now)
        fill(now)
        for connection in connections { connection.flush() }
        settle(now)
        grow(now)
    }

    private func head(of push: Push, _ authorization: String) -> RequestHead {
        let key = RequestHead.Key(
            authorization: authorization, topic: push.topic, pushType: push.pushType, priority: push.priority)
        if let head = heads[key] { return head }
        let head = RequestHead(key, authority: settings.authority)
        heads[key] = head
        return head
    }

    // MARK: Requests

    /// Hands waiting requests to the connection with the fewest open ones, as long as one has room.
    private func fill(_ now: ContinuousClock.Instant) {
        while let request = waiting.first {
            if request.isLate(now) {
                waiting.removeFirst()
                request.finishWaiting("its time ran out before it was sent")
                continue
            }
            let bytes = request.push.payload.count
            var roomiest: HTTP2Connection?
            for connection in connections where connection.hasRoom(for: bytes, now: now) {
                if connection.openRequests < roomiest?.openRequests ?? .max { roomiest = connection }
            }
            guard let connection = roomiest else { return }
            waiting.removeFirst()
            request.begin(now: now, limit: settings.requestDeadline)
            connection.submit(request, now: now)
        }
    }

    /// Acts on every verdict, and lets go of connections that have closed.
    private func settle(_ now: ContinuousClock.Instant) {
        for connection in connections {
            for (request, verdict) in connection.takeVerdicts() { settle(request, verdict, of: connection, now) }
        }
        for connection in connections where connection.phase == .closed && !connection.hasAnswered {
            let limit = connection.hasOpened ? Self.mostFailures.standing : Self.mostFailures.dialling
            noteFailure(connection.reason, limit: limit, now)
        }
        connections.removeAll { $0.phase == .closed }
    }

    private func settle(
        _ request: Request, _ verdict: HTTP2Session.Verdict, of connection: HTTP2Connection,
        _ now: ContinuousClock.Instant
    ) {
        switch verdict {
        case .answered(let outcome):
            connection.noteAnswer()
            failures = 0
            if case .rejected(let rejection) = outcome, rejection.meaning == .connection {
                connection.retire(rejection.reason)
                // Shutdown says that APNs has trouble: whether and when to repeat is the caller's decision.
                if rejection.reason != "Shutdown", request.mayChangeConnection(after: outcome, now: now) {
                    return waiting.putBack(request)
                }
            }
            request.finish(outcome)
        case .notProcessed(let reason):
            if request.mayRepeat(after: reason, now: now) { return waiting.putBack(request) }
            request.finishWaiting(reason)
        case .unknown(let reason):
            request.finish(.failed(.unknown("\(settings.authority): \(reason)")))
        }
    }

    private func giveUpWaiting(_ reason: String) {
        for request in waiting.removeAll() { request.finishWaiting(reason) }
    }

    // MARK: Connections

    /// Dials one more connection where requests wait although every connection is full.
    ///
    /// One at a time, and none beside a connection that APNs has not answered on: until then its limit is one stream.
    private func grow(_ now: ContinuousClock.Instant) {
        guard !waiting.isEmpty, dial == nil, now >= nextDial,
            !connections.contains(where: { $0.isOpening || $0.isProving(now: now) })
        else { return }
        let usable = connections.filter(\.isOpen)
        guard usable.count < settings.connections, usable.allSatisfy(\.hasAnswered) else { return }
        let number = poller.nextNumber()
        dial = Dial(number: number, deadline: now + settings.connectDeadline, poller: poller)
        loop.resolve(host: settings.host, port: settings.port, pool: settings.id, number: number)
    }

    private func progress(_ progress: Dial.Progress, of dial: Dial, _ now: ContinuousClock.Instant) {
        switch progress {
        case .waiting: return
        case .failed(let reason):
            self.dial = nil
            noteFailure(reason, limit: Self.mostFailures.dialling, now)
        case .connected(let descriptor):
            self.dial = nil
            guard let socket = TLSSocket(descriptor: descriptor, host: settings.host, context: settings.tls),
                let session = HTTP2Session()
            else { return noteFailure("OpenSSL or nghttp2 could not be set up", limit: 1, now) }
            let connection = HTTP2Connection(
                number: dial.number, socket: socket, session: session, poller: poller, readyBy: dial.deadline,
                idleProbe: settings.idleProbe, now: now)
            connections.append(connection)
            connection.ready(now: now)
        }
    }

    /// A connection brought no answer: the next one waits, from 0.1 s to 5 s, and after a few nobody waits for it.
    private func noteFailure(_ reason: String, limit: Int, _ now: ContinuousClock.Instant) {
        failures += 1
        nextDial = now + min(.seconds(5), .milliseconds(50) * (1 << min(failures, 7)))
        let isHopeless = failures >= limit && !connections.contains { $0.isOpen || $0.isOpening }
        if isHopeless { giveUpWaiting("no connection to \(settings.authority): \(reason)") }
    }
}
