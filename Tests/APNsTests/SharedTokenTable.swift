import APNs
import Foundation
import Synchronization

/// A clock that a test moves by hand: the database's and the monotonic one go together.
final class HandClock: Sendable {
    private let passed = Mutex(Duration.zero)
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    var elapsed: Duration { passed.withLock { $0 } }
    var date: Date { start + TimeInterval(elapsed.components.seconds) }

    func move(to time: Duration) { passed.withLock { $0 = time } }
}

/// The store's contract, as the database keeps it: the first of competing candidates wins, and nothing younger than
/// 20 minutes is replaced.
final class SharedTokenTable: Sendable {
    struct Down: Error, CustomStringConvertible {
        let description = "the database does not answer"
    }

    private struct State {
        var tokens: [ProviderKey.ID: ProviderToken] = [:]
        var history: [ProviderToken] = []
        var offers = 0
        var loads = 0
        var isDown = false
    }

    private let state = Mutex(State())
    private let clock: @Sendable () -> Date

    init(clock: @escaping @Sendable () -> Date = { Date() }) { self.clock = clock }

    /// Every token that was ever kept, in order.
    var history: [ProviderToken] { state.withLock(\.history) }
    var offers: Int { state.withLock(\.offers) }
    var loads: Int { state.withLock(\.loads) }

    func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    /// Puts a token in, as if another process had minted it.
    func put(_ token: ProviderToken, for id: ProviderKey.ID) {
        state.withLock { $0.tokens[id] = token }
    }

    var store: ProviderTokenStore {
        ProviderTokenStore(
            load: { id in
                await Task.yield()
                return try self.load(id)
            },
            offer: { id, candidate in
                await Task.yield()
                return try self.offer(id, candidate)
            })
    }

    private func load(_ id: ProviderKey.ID) throws -> ProviderTokenStore.Reading {
        let now = clock()
        return try state.withLock { state in
            state.loads += 1
            if state.isDown { throw Down() }
            guard let token = state.tokens[id] else { return .empty(clock: now) }
            return .stored(StoredProviderToken(token: token, clock: now))
        }
    }

    private func offer(_ id: ProviderKey.ID, _ candidate: ProviderToken) throws -> StoredProviderToken {
        let now = clock()
        return try state.withLock { state in
            state.offers += 1
            if state.isDown { throw Down() }
            if let kept = state.tokens[id], now.timeIntervalSince(kept.issuedAt) < 20 * 60 {
                return StoredProviderToken(token: kept, clock: now)
            }
            state.tokens[id] = candidate
            state.history.append(candidate)
            return StoredProviderToken(token: candidate, clock: now)
        }
    }
}
