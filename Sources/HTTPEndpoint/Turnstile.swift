import Synchronization

/// Lets in so many at once.
final class Turnstile: Sendable {
    private let limit: Int
    private let inside = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// False where as many are inside as may be.
    func enter() -> Bool {
        inside.withLock { inside in
            guard inside < limit else { return false }
            inside += 1
            return true
        }
    }

    func leave() { inside.withLock { $0 -= 1 } }
}
