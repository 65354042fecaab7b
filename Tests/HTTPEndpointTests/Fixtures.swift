import Foundation
import HTTPEndpoint
import Synchronization

/// A gate that a tick waits at until a test opens it.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    /// Whether somebody waits at it.
    var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

    func open() {
        for continuation in state.withLock({ state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }) { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// What the ticks of a test did.
final class Ticks: Sendable {
    private let state = Mutex<(asked: [TickRequest], finished: Int)>(([], 0))

    var asked: [TickRequest] { state.withLock { $0.asked } }
    var finished: Int { state.withLock { $0.finished } }

    func begin(_ request: TickRequest) { state.withLock { $0.asked.append(request) } }
    func finish() { state.withLock { $0.finished += 1 } }
}

let secret = "a long secret"

extension HTTPEndpoint.Configuration {
    static func forTests(_ change: (inout HTTPEndpoint.Configuration) -> Void = { _ in }) throws
        -> HTTPEndpoint.Configuration
    {
        var configuration = HTTPEndpoint.Configuration(
            listen: ListenAddress(host: "127.0.0.1", port: 0), secrets: [secret])
        // Longer than any test runs, so that only a test of the limits meets them.
        configuration.responseLimit = .seconds(60)
        configuration.deadline = .seconds(60)
        configuration.silenceSeconds = 60
        change(&configuration)
        return configuration
    }
}

/// A JSON object's values as text.
func fields(_ body: some Sequence<UInt8>) throws -> [String: String] {
    let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:]
    return object.mapValues { "\($0)" }
}
