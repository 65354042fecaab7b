import LiveActivity

/// One push on its way through a pool.
///
/// Loop thread only.
final class Request {
    let push: Push
    let head: RequestHead
    private let batch: Batch
    private let index: Int

    /// Nothing of it has gone out: it may be repeated this often.
    private static let mostRepeats = 2
    private var repeats = 0
    /// It was repeated once because its connection was at fault.
    private var changedConnection = false
    /// Set when it is first submitted; holds for its repeats too.
    private(set) var deadline: ContinuousClock.Instant?
    /// What to report where its time runs out while it waits.
    private var standing: PushOutcome?

    init(push: Push, head: RequestHead, batch: Batch, index: Int) {
        self.push = push
        self.head = head
        self.batch = batch
        self.index = index
    }

    /// An attempt begins; the first one starts its time.
    func begin(now: ContinuousClock.Instant, limit: Duration) {
        if deadline == nil { deadline = now + limit }
    }

    /// Until when it may wait: its own time, and its batch's.
    var waitsUntil: ContinuousClock.Instant { min(batch.deadline, deadline ?? batch.deadline) }

    func isLate(_ now: ContinuousClock.Instant) -> Bool { now >= waitsUntil }

    /// Whether it may wait for another attempt, now that this one provably was not processed.
    func mayRepeat(after reason: String, now: ContinuousClock.Instant) -> Bool {
        standing = .failed(.notProcessed(reason))
        guard repeats < Self.mostRepeats, !isLate(now) else { return false }
        repeats += 1
        return true
    }

    /// Whether it may wait for another connection, after an answer that blamed this one.
    func mayChangeConnection(after outcome: PushOutcome, now: ContinuousClock.Instant) -> Bool {
        standing = outcome
        guard !changedConnection, !isLate(now) else { return false }
        changedConnection = true
        return true
    }

    func finish(_ outcome: PushOutcome) { batch.finish(index, outcome) }

    /// It waited, and will wait no longer: its last known outcome stands, or it never went out.
    func finishWaiting(_ reason: String) { finish(standing ?? .failed(.notProcessed(reason))) }
}

/// The pushes of one call to one pool; tells the caller when the last is done.
///
/// Loop thread only.
final class Batch {
    let deadline: ContinuousClock.Instant
    private var outcomes: [PushOutcome?]
    private var open: Int
    private let completion: ([PushOutcome]) -> Void

    init(count: Int, deadline: ContinuousClock.Instant, completion: @escaping ([PushOutcome]) -> Void) {
        self.deadline = deadline
        outcomes = Array(repeating: nil, count: count)
        open = count
        self.completion = completion
    }

    /// The first word about a push stands.
    func finish(_ index: Int, _ outcome: PushOutcome) {
        guard outcomes[index] == nil else { return }
        outcomes[index] = outcome
        open -= 1
        if open == 0 { completion(outcomes.compactMap(\.self)) }
    }
}

/// The requests that wait for room in a pool, oldest first; repeats go before the others.
struct RequestQueue {
    private var requests: [Request] = []
    private var head = 0
    private var repeats: [Request] = []
    /// No request is late before this; nil where there was none.
    private var nextLate: ContinuousClock.Instant?

    var isEmpty: Bool { repeats.isEmpty && head == requests.count }

    var first: Request? { repeats.last ?? (head < requests.count ? requests[head] : nil) }

    mutating func append(_ request: Request) {
        requests.append(request)
        note(request)
    }

    mutating func putBack(_ request: Request) {
        repeats.append(request)
        note(request)
    }

    private mutating func note(_ request: Request) {
        nextLate = min(nextLate ?? request.waitsUntil, request.waitsUntil)
    }

    mutating func removeFirst() {
        guard repeats.popLast() == nil else { return }
        head += 1
        if head == requests.count {
            requests.removeAll(keepingCapacity: true)
            head = 0
        }
    }

    /// Takes out the requests whose time has run out.
    mutating func removeLate(_ now: ContinuousClock.Instant) -> [Request] {
        guard let nextLate, now >= nextLate else { return [] }
        let all = removeAll()
        for request in all where !request.isLate(now) { append(request) }
        return all.filter { $0.isLate(now) }
    }

    /// Takes out all, in their order.
    mutating func removeAll() -> [Request] {
        defer { self = RequestQueue() }
        return repeats.reversed() + requests[head...]
    }
}
