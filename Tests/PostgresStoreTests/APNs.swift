import Foundation
import LiveActivity
import Planning
import PostgresStore
import Testing
import Tick

/// The process dies here.
struct Killed: Error {}

/// What stands for APNs: it notes every push and answers as told.
final class APNs: @unchecked Sendable {  // `lock` guards everything
    private let lock = NSLock()
    private var sent: [Push] = []
    private var woken: [ExpoWake] = []
    var answer: @Sendable (Push) -> PushOutcome = { _ in .accepted }
    /// What Expo says of a wake.
    var answerExpo: @Sendable (ExpoWake) -> ExpoWake.Answer = { .init(.accepted, receipt: $0.id.uuidString) }
    /// Happens while the pushes are on their way.
    var meanwhile: (@Sendable () async throws -> Void)?
    var isKilledBeforeRecording = false

    var pushes: [Push] { lock.withLock { sent } }

    var wakes: [ExpoWake] { lock.withLock { woken } }

    func clients(_ store: Store) -> TickClients {
        let began = ContinuousClock.now
        return TickClients(
            begin: { try await store.beginTick($0, at: $1) }, checkReceipts: { _ in [] },
            fanOut: { try await store.fanOut() },
            claim: { try await store.claimDue($0, at: $1, limit: $2) },
            peek: { try await store.peekDue(at: $0, after: $1, limit: $2) },
            unserved: { try await store.unservedLanes(at: $0) },
            load: { try await store.load($0, at: $1) }, recordIntent: { try await store.recordIntent($0, at: $1, $2) },
            send: { pushes in
                self.lock.withLock { self.sent += pushes }
                do { try await self.meanwhile?() } catch { Issue.record(error) }
                return pushes.map(self.answer)
            },
            wakeThroughExpo: { wakes in
                self.lock.withLock { self.woken += wakes }
                return wakes.map(self.answerExpo)
            },
            recordOutcomes: {
                if self.isKilledBeforeRecording { throw Killed() }
                return try await store.recordOutcomes(at: $0, $1)
            },
            reschedule: { try await store.reschedule($0, $1) },
            finish: { try await store.finishTick($0, summary: $1.json().description) },
            newID: { UUID() }, elapsed: { .now - began })
    }
}
