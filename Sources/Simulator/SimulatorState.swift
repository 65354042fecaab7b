internal import Foundation
internal import LiveActivity
internal import Synchronization

/// The state that the server's thread and its users share, behind one lock.
final class SharedState: Sendable {
    private let mutex: Mutex<SimulatorState>

    init(_ state: consuming sending SimulatorState) { mutex = Mutex(state) }

    /// Runs under the lock, then lets go on whoever waited for what happened.
    func access<Result: Sendable, Failure: Error>(
        _ body: (inout SimulatorState) throws(Failure) -> sending Result
    ) throws(Failure) -> Result {
        try mutex.withLock { state throws(Failure) in
            let result = try body(&state)
            state.releaseWaiters()
            return result
        }
    }
}

/// Everything a simulator knows, and the way of one request through it.
struct SimulatorState: Sendable {
    /// Somebody who waits for a condition.
    struct Waiter: Sendable {
        var condition: @Sendable (SimulatorSnapshot) -> Bool
        var continuation: CheckedContinuation<SimulatorSnapshot, any Error>
    }

    let options: SimulatorOptions
    var voice: PhoneVoice?
    var providerTokens: ProviderTokenRules
    var faults = FaultList()
    var phones: PhoneWorld
    private(set) var requests: [ReceivedRequest] = []
    /// Told whenever something new may be due on the phones.
    var signal: AsyncStream<Void>.Continuation?
    private var received = 0
    private var connections: [Int: ConnectionRecord] = [:]
    private var waiters: [UUID: Waiter] = [:]

    init(_ options: SimulatorOptions) throws(SimulatorError) {
        self.options = options
        voice = options.voice
        providerTokens = ProviderTokenRules(futureTolerance: options.futureTolerance)
        phones = PhoneWorld(options)
        for key in options.keys { try providerTokens.trust(key) }
    }

    var snapshot: SimulatorSnapshot {
        SimulatorSnapshot(requests: requests, phones: phones.phones, cards: phones.cards, scoreboard: phones.score)
    }

    /// Judges a request, lets the phone have it, writes it down, and says what the server does.
    mutating func receive(_ request: HTTPRequest) -> Reaction {
        let push = PushRequest(request)
        var entry = ReceivedRequest(
            id: nextID(), receivedAt: options.wallClock(), phoneTime: phones.arrive(push),
            environment: request.environment, connection: request.connection, stream: request.stream,
            headers: request.headers, body: request.body, payload: push.payload, kind: push.kind, token: push.token,
            verdict: .unread, answer: .none, isProcessed: false, fate: nil, violations: [])
        guard !request.isAfterGoAway else {
            write(entry)
            return Reaction(deed: .silence)
        }
        let effect = faults.strike(push)
        if case .reject(let rejection) = effect {
            entry.verdict = .rejected(rejection)
        } else if effect?.processes ?? true {
            process(push, on: request.connection, into: &entry)
        }
        let reaction = react(to: entry, effect)
        entry.answer = reaction.answer
        write(entry)
        count(entry)
        learnFates()
        signal?.yield()
        return reaction
    }

    private mutating func write(_ entry: ReceivedRequest) {
        if requests.count >= max(2, options.logLimit) { requests.removeFirst(requests.count / 2) }
        requests.append(entry)
    }

    private mutating func count(_ entry: ReceivedRequest) {
        if case .rejected = entry.verdict { phones.score.rejected += 1 }
        if case .dropped = entry.fate { phones.score.dropped += 1 }
        if !entry.violations.isEmpty { phones.score.violating += 1 }
    }

    /// Writes down what became of pushes that had been stored.
    mutating func learnFates() {
        for (id, fate) in phones.lateFates {
            if case .dropped = fate { phones.score.dropped += 1 }
            // The log may have been emptied since.
            if let index = requests.firstIndex(where: { $0.id == id }) { requests[index].fate = fate }
        }
        phones.lateFates.removeAll()
    }

    private mutating func process(_ push: PushRequest, on connection: Int, into entry: inout ReceivedRequest) {
        do throws(Rejection) {
            let owner = try judge(push, on: connection)
            entry.verdict = .accepted
            entry.violations = PayloadRules.violations(of: push)
            entry.isProcessed = true
            entry.fate = phones.deliver(push, to: owner, requestID: entry.id, at: entry.phoneTime)
        } catch {
            entry.verdict = .rejected(error)
        }
    }

    /// Apple's checks in order; the token's owner where all pass, nil where nobody has the token and that is
    /// allowed.
    private mutating func judge(
        _ push: PushRequest, on connection: Int
    ) throws(Rejection) -> TokenRegistry.Entry? {
        try HeaderRules.checkTarget(push)
        let bundleIDs = try providerTokens.check(
            push["authorization"], environment: push.environment,
            connection: &connections[connection, default: ConnectionRecord()], now: options.wallClock())
        try HeaderRules.checkFields(push, allowed: bundleIDs)
        try HeaderRules.checkSize(push.body)
        return try phones.owner(of: push)
    }

    /// What the server does: the true answer, or what a fault makes of it.
    private func react(to entry: ReceivedRequest, _ effect: Fault.Effect?) -> Reaction {
        let response = Self.response(to: entry)
        var reaction: Reaction
        switch effect {
        case nil, .reject: reaction = Reaction(deed: .respond(response))
        case .delay(let delay): reaction = Reaction(deed: .respond(response), delay: delay)
        case .noAnswer: reaction = Reaction(deed: .silence)
        case .reset(let code, _): reaction = Reaction(deed: .reset(code: code))
        case .goAway(let processed):
            reaction = Reaction(deed: .goAway(including: processed, processed ? response : nil))
        case .close: reaction = Reaction(deed: .close)
        }
        reaction.isProcessed = entry.verdict != .unread
        reaction.raisesStreamLimit = entry.verdict == .accepted
        return reaction
    }

    private static func response(to entry: ReceivedRequest) -> HTTPResponse {
        let given = entry.header("apns-id").flatMap { HeaderRules.isCanonicalUUID($0) ? $0 : nil }
        let id = given ?? UUID().uuidString.lowercased()
        if case .rejected(let rejection) = entry.verdict { return rejection.response(id: id) }
        var headers = [HeaderField("apns-id", id)]
        if entry.environment == .sandbox {
            headers.append(HeaderField("apns-unique-id", UUID().uuidString.lowercased()))
        }
        return HTTPResponse(status: 200, headers: headers, body: [])
    }

    /// Adds a waiter, or answers it at once where its condition holds already.
    mutating func add(_ waiter: Waiter, id: UUID) {
        waiters[id] = waiter
    }

    /// Ends a wait that took too long.
    mutating func expireWaiter(_ id: UUID) {
        waiters.removeValue(forKey: id)?.continuation.resume(throwing: SimulatorError.timedOut(seen: snapshot.summary))
    }

    mutating func releaseWaiters() {
        guard !waiters.isEmpty else { return }
        let now = snapshot
        for (id, waiter) in waiters where waiter.condition(now) {
            waiters[id] = nil
            waiter.continuation.resume(returning: now)
        }
    }

    mutating func forgetRequests() { requests.removeAll() }

    private mutating func nextID() -> Int {
        received += 1
        return received
    }
}

extension Reaction {
    /// The log's word for what goes back.
    fileprivate var answer: ReceivedRequest.Answer {
        switch deed {
        case .respond(let response): .status(response.status)
        case .silence: .none
        case .reset(let code): .reset(code: code)
        case .goAway(_, let response): response.map { .status($0.status) } ?? .none
        case .close: .closed
        }
    }
}
