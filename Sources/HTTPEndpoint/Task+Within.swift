import Synchronization

extension Task where Failure == Never {
    /// The task's value, or nil after the limit; the task itself goes on either way.
    func value(within limit: Duration) async -> Success? {
        await withCheckedContinuation { continuation in
            let once = Once(continuation)
            let timer = Task<Void, any Error>.detached {
                try await Task<Never, Never>.sleep(for: limit)
                once.resume(nil)
            }
            Task<Void, Never>.detached {
                once.resume(await value)
                timer.cancel()
            }
        }
    }
}

/// Resumes a continuation with the first of two values.
private final class Once<Value: Sendable>: Sendable {
    private let waiting: Mutex<CheckedContinuation<Value?, Never>?>

    init(_ continuation: CheckedContinuation<Value?, Never>) {
        waiting = Mutex(continuation)
    }

    func resume(_ value: Value?) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(returning: value)
    }
}
