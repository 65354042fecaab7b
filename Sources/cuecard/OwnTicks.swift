import Foundation
import Synchronization

/// The ticks that `serve` makes by itself: at steady times, and when it hears of a change; never two at once.
final class OwnTicks: Sendable {
    private let wishes: AsyncStream<Void>.Continuation
    private let tick: @Sendable () async -> Bool
    private let isAtWork = Atomic(false)
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// Starts them; with neither an interval nor changes there are none.
    ///
    /// - Parameters:
    ///   - every: At each multiple of this by the wall clock, so that `1m` ticks as minutes begin; and once at first.
    ///   - changes: Ticks soon after it hears of one.
    ///   - tick: Plays one; false where it failed, which is tried again, each time after a longer wait.
    init(every: Duration?, changes: ChangeFeed?, tick: @escaping @Sendable () async -> Bool) {
        // What is wished for during a tick is one more tick after it.
        let (stream, wishes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.wishes = wishes
        self.tick = tick
        var tasks = [Task { for await _ in stream { await self.tickUntilDone() } }]
        if let every { tasks.append(Task { await Self.beat(every) { wishes.yield() } }) }
        if let changes { tasks.append(Task { await changes.follow { wishes.yield() } }) }
        self.tasks.withLock { $0 = tasks }
    }

    /// Begins no other tick, and has the one that runs end after its batch; false where it still runs at the limit.
    func stop(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        wishes.finish()
        for task in tasks.withLock({ $0 }) { task.cancel() }
        while isAtWork.load(ordering: .sequentiallyConsistent) {
            guard ContinuousClock.now < deadline else { return false }
            do { try await Task.sleep(for: .milliseconds(20)) } catch { return false }
        }
        return true
    }

    private func tickUntilDone() async {
        var failures = 0
        while await !tickUnlessStopped() {
            failures += 1
            await BackOff.wait(after: failures)
        }
    }

    /// False where the tick failed.
    private func tickUnlessStopped() async -> Bool {
        // First said, then asked: `stop` cancels first and then looks, so that one of the two sees the other.
        isAtWork.store(true, ordering: .sequentiallyConsistent)
        defer { isAtWork.store(false, ordering: .sequentiallyConsistent) }
        return Task.isCancelled ? true : await tick()
    }

    private static func beat(_ every: Duration, _ wish: @Sendable () -> Void) async {
        let seconds = Double(every.components.seconds)
        while !Task.isCancelled {
            wish()
            // From the wall clock each time, so that nothing adds up; a sleep that ended early is no second beat.
            let now = Date().timeIntervalSince1970
            let next = ((now + seconds / 10) / seconds).rounded(.down) * seconds + seconds
            do { try await Task.sleep(for: .seconds(next - now)) } catch { return }
        }
    }

    /// Reads `60`, `90s` or `1m`: 1 s to 1 h.
    static func interval(_ text: String) throws -> Duration {
        let unit = text.hasSuffix("m") ? 60 : 1
        let digits = text.hasSuffix("m") || text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let number = Int(digits), (1...3600).contains(number), number * unit <= 3600 else {
            throw Failure(.usage, "--every \"\(text)\" is no time from 1s to 60m; write it like 60, 30s or 1m")
        }
        return .seconds(number * unit)
    }
}

/// How long whoever met a failure waits before the next try.
enum BackOff {
    /// 1, 2, 4, … 60 s, up to a fifth less, so that many do not come back at once; shorter where the task is cancelled.
    static func wait(after failures: Int) async {
        let seconds = min(60, pow(2, Double(failures - 1))) * Double.random(in: 0.8...1)
        do { try await Task.sleep(for: .seconds(seconds)) } catch {}
    }
}
