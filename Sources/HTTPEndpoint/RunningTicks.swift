import Synchronization

/// The ticks that run now; no caller's leaving ends one.
final class RunningTicks: Sendable {
    private let limit: Int
    private let tick: @Sendable (TickRequest) async -> TickResponse
    private let running = Mutex<[Int: Task<TickResponse, Never>]>([:])
    private let started = Atomic<Int>(0)

    init(limit: Int, tick: @escaping @Sendable (TickRequest) async -> TickResponse) {
        self.limit = limit
        self.tick = tick
    }

    /// Starts one, or gives nil where as many run as may.
    func start(_ request: TickRequest) -> Task<TickResponse, Never>? {
        let number = started.add(1, ordering: .relaxed).newValue
        return running.withLock { tasks in
            guard tasks.count < limit else { return nil }
            let task = Task.detached { [self] in
                let response = await tick(request)
                running.withLock { tasks in tasks[number] = nil }
                return response
            }
            tasks[number] = task
            return task
        }
    }

    /// Asks all that run to hand on what they have not begun, and waits; false where some still run at the limit.
    func finish(within limit: Duration) async -> Bool {
        let tasks = running.withLock { Array($0.values) }
        for task in tasks { task.cancel() }
        let all = Task.detached { for task in tasks { _ = await task.value } }
        return await all.value(within: limit) != nil
    }
}
