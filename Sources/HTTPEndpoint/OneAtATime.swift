import Synchronization

/// Shares one run of a question among all who ask meanwhile, so that a flood of callers costs one answer at a time.
final class OneAtATime<Answer: Sendable>: Sendable {
    private let question: @Sendable () async -> Answer
    private let running = Mutex<Task<Answer, Never>?>(nil)

    init(_ question: @escaping @Sendable () async -> Answer) {
        self.question = question
    }

    /// The answer, or nil after the limit; the run goes on for the next who asks.
    func value(within limit: Duration) async -> Answer? {
        let task = running.withLock { running in
            if let running { return running }
            let task = Task.detached { [self] in
                let answer = await question()
                self.running.withLock { running in running = nil }
                return answer
            }
            running = task
            return task
        }
        return await task.value(within: limit)
    }
}
