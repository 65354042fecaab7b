import Foundation
import LiveActivity
import Planning
import Recurrence
import TestSupport

/// One device's rows and what the database's functions do to them, so that plans can be followed for days.
///
/// A model of the rules for tests of the planner alone; the functions themselves are tested on Postgres.
struct Ledger {
    var device = Device.sample()
    var app: AppPolicy?
    var events: [Event] = []
    var runs: [Run] = []
    var wakes: [DeviceSnapshot.Wake] = []
    /// `.distantPast`: something changed.
    var nextDueAt: Date? = .distantPast
    /// Every step that was carried out, and what came of its push.
    var history: [Entry] = []
    private var lastID = 0

    struct Entry {
        var at: Date
        var step: Step
        var run: RunID?
        var event: Push.Event?
        var token: PushToken?
        var timestamp: Int64?
        var outcome: PushOutcome?
        /// Of a start: the runs of its occurrence as it was recorded.
        var former: [Run] = []
    }

    func snapshot(at now: Date) -> DeviceSnapshot {
        var runs = runs
        for index in runs.indices { runs[index].eventExists = events.contains { $0.id == runs[index].eventID } }
        return DeviceSnapshot(
            device: device, app: app, events: events, runs: runs,
            wakes: wakes.filter { $0.at > now - 3600 })
    }

    func isDue(at now: Date) -> Bool { nextDueAt.map { $0 <= now } ?? false }

    mutating func newID() -> UUID {
        lastID += 1
        return RunID.unique(lastID).uuid
    }

    // MARK: A tick

    /// Plans until nothing is due.
    ///
    /// `answer` is what became of a push; nil: the worker was killed before it recorded that.
    ///
    /// - Returns: The rounds that it took, 10 at most; more would mean a tick that never ends.
    mutating func tick(at now: Date, answer: (Intent) -> PushOutcome?) -> Int {
        var rounds = 0
        while isDue(at: now), rounds < 10 {
            rounds += 1
            let snapshot = snapshot(at: now)
            let plan = decide(snapshot, at: now)
            var taken = lastID
            let composition = Composition([(plan, snapshot)]) {
                taken += 1
                return RunID.unique(taken).uuid
            }
            lastID = taken
            nextDueAt = plan.nextDueAt
            settle(composition.intents, at: now)
            let cleared = composition.intents.filter { $0.attempt != nil && record($0, at: now) }
            var outcomes: [Outcome] = []
            for intent in cleared {
                let outcome = answer(intent)
                history[history.lastIndex { $0.step == intent.step && $0.run == intent.run } ?? 0].outcome = outcome
                guard let outcome else {
                    nextDueAt = .distantPast
                    return rounds
                }
                outcomes.append(Outcome(intent, outcome, at: now))
            }
            for outcome in outcomes { record(outcome, at: now) }
            if outcomes.contains(where: { $0.outcome != .accepted }) { nextDueAt = .distantPast }
        }
        return rounds
    }

    /// `apply_settlements`.
    private mutating func settle(_ intents: [Intent], at now: Date) {
        for intent in intents {
            guard let index = runs.firstIndex(where: { $0.id == intent.run }) else { continue }
            switch intent.step.action {
            case .rekey(_, let occurrence, let generation):
                runs[index].occurrence = occurrence
                runs[index].generation = generation
            case .settle(_, let settlement):
                if runs[index].state != settlement.state { runs[index].retryAt = nil }
                runs[index].state = settlement.state
                runs[index].reason = intent.step.reason.rawValue
                runs[index].startedAt = runs[index].startedAt ?? settlement.startedAt
                runs[index].closesAt = settlement.closesAt ?? runs[index].closesAt
                if settlement.isGone {
                    runs[index].isGone = true
                    runs[index].updateToken = nil
                }
            default: continue
            }
            history.append(Entry(at: now, step: intent.step, run: intent.run))
        }
    }

    /// `record_intent`; whether the push may go out.
    private mutating func record(_ intent: Intent, at now: Date) -> Bool {
        var entry = Entry(
            at: now, step: intent.step, run: intent.run, event: intent.push?.event ?? .wake, token: intent.push?.token)
        switch intent.step.action {
        case .start(let start):
            guard let id = intent.run, let event = intent.step.event, let occurrence = intent.step.occurrence else {
                return false
            }
            entry.former = runs.filter { $0.eventID == event && $0.occurrence == occurrence && $0.id != id }
            entry.timestamp = start.timestamp
            var run = Run(
                id: id, userID: device.userID, eventID: event, occurrence: occurrence, generation: start.generation,
                state: .claimed, reason: intent.step.reason.rawValue, content: intent.content,
                contentKey: intent.contentKey,
                phase: intent.phase, staleAt: start.staleAt, lastTimestamp: start.timestamp, startedAt: now,
                startExpiresAt: start.expiresAt, closesAt: start.closesAt)
            if let index = runs.firstIndex(where: { $0.key == run.key && $0.generation == run.generation }) {
                guard runs[index].state == .failed, runs[index].id == id else { return false }
                run.failures = runs[index].failures
                runs[index] = run
            } else {
                runs.append(run)
            }
        case .update(let update):
            guard let index = runs.firstIndex(where: { $0.id == update.run }) else { return false }
            entry.timestamp = update.timestamp
            runs[index].closesAt = update.closesAt
            runs[index].lastTimestamp = update.timestamp
            runs[index].retryAt = nil
        case .end(let end):
            guard let index = runs.firstIndex(where: { $0.id == end.run }) else { return false }
            entry.timestamp = end.timestamp
            runs[index].lastTimestamp = end.timestamp
            runs[index].retryAt = nil
            runs[index].isEndSent = true
            if runs[index].state.isLive {
                runs[index].state = .ending
                runs[index].reason = intent.step.reason.rawValue
            }
        case .wake(_, let cause):
            wakes.append(.init(at: now, cause: cause))
        case .hold, .skip, .settle, .rekey:
            return false
        }
        history.append(entry)
        return true
    }

    /// `record_outcomes`.
    private mutating func record(_ outcome: Outcome, at now: Date) {
        let consequence = outcome.consequence
        if consequence.isTokenSpent, outcome.intent.push?.event == .start { device.startToken = nil }
        guard let index = runs.firstIndex(where: { $0.id == outcome.intent.run }) else { return }
        if let state = consequence.toState, consequence.fromStates.contains(runs[index].state) {
            runs[index].state = state
            runs[index].reason = consequence.reason?.rawValue ?? runs[index].reason
        }
        if consequence.isGone { runs[index].isGone = true }
        if consequence.isTokenSpent, runs[index].updateToken == outcome.intent.push?.token {
            runs[index].updateToken = nil
        }
        if outcome.outcome == .accepted, case .update(let update) = outcome.intent.step.action {
            runs[index].content = outcome.intent.content
            runs[index].contentKey = outcome.intent.contentKey
            runs[index].phase = outcome.intent.phase
            runs[index].staleAt = update.staleAt
        }
        runs[index].retryAt = consequence.retryAt
        runs[index].failures = outcome.outcome == .accepted ? 0 : runs[index].failures + 1
    }

    // MARK: The app's word

    /// `register_activity`.
    mutating func register(_ run: RunID, token: PushToken?) {
        guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
        if let token, token != runs[index].updateToken {
            runs[index].updateToken = token
            runs[index].retryAt = nil
        }
        runs[index].isConfirmed = true
        runs[index].isMissing = false
        if [.claimed, .accepted, .unknown, .failed].contains(runs[index].state) { runs[index].state = .confirmed }
        nextDueAt = .distantPast
    }

    /// `report_activity` with `dismissed`.
    mutating func dismiss(_ run: RunID) {
        guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
        if runs[index].state != .ended {
            runs[index].state = .dismissed
            runs[index].reason = Reason.dismissedByPerson.rawValue
        }
        runs[index].updateToken = nil
        runs[index].isGone = true
        nextDueAt = .distantPast
    }

    /// `report_activity` with `missing`.
    mutating func reportMissing(_ run: RunID) {
        guard let index = runs.firstIndex(where: { $0.id == run }) else { return }
        runs[index].isMissing = true
        nextDueAt = .distantPast
    }
}

extension Identifier {
    /// The n-th fresh id of a ledger.
    fileprivate static func unique(_ n: Int) -> Identifier { numbered(1_000_000 + n) }
}
