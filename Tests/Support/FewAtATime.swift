public import Testing

/// Lets few test cases run at once, over all suites that have it: each of them holds a database and its connections.
///
/// All of them at once would need more open files than Foundation's `Process` stands, and would starve a small machine.
public struct FewAtATime: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        await Self.gate.enter()
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await function()) } catch { outcome = .failure(error) }
        await Self.gate.leave()
        try outcome.get()
    }

    private static let gate = Gate(width: 12)

    private actor Gate {
        private var free: Int
        private var waiting: [CheckedContinuation<Void, Never>] = []

        init(width: Int) { free = width }

        func enter() async {
            if free > 0 {
                free -= 1
            } else {
                await withCheckedContinuation { waiting.append($0) }
            }
        }

        func leave() {
            if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == FewAtATime {
    /// Few test cases at once.
    public static var fewAtATime: FewAtATime { FewAtATime() }
}
