public import Foundation

/// What one device needs at `now`, and when to look again.
///
/// Pure: the same snapshot and moment give the same plan. A push that is lost, refused or forgotten by a crash is a
/// fact in the next snapshot; nothing is remembered elsewhere.
public func decide(_ snapshot: DeviceSnapshot, at now: Date) -> DevicePlan {
    var draft = Draft(snapshot, at: now)
    draft.settleRuns()
    draft.rekeyMovedRuns()
    draft.startCards()
    draft.endCards()
    draft.updateCards()
    draft.wakeApp()
    return draft.plan
}

/// A plan while it is made: each rule adds its steps and leaves the runs as they will then be.
struct Draft {
    let snapshot: DeviceSnapshot
    let agenda: Agenda
    let now: Date
    /// As the steps so far leave them, by occurrence and generation; a card that starts now has none yet.
    var runs: [Run]
    /// The starts that count against the device's budget, this plan's own among them.
    var starts: [Date]
    var steps: [Step] = []
    var horizon: Horizon
    /// Winners that have no card and cannot get one now; their places stay with whoever holds them.
    var vacant = 0
    /// Runs whose end, or whose update, waits for a token.
    var heldEnds: [Run] = []
    var heldUpdates: [Run] = []

    init(_ snapshot: DeviceSnapshot, at now: Date) {
        self.snapshot = snapshot
        self.now = now
        agenda = Agenda(of: snapshot, at: now)
        runs = snapshot.runs.sorted(by: Run.precedes)
        // Only what APNs may have processed; a card that the app started has no expiration.
        starts = runs.filter { $0.state != .failed && $0.startExpiresAt != nil }.compactMap(\.startedAt)
        horizon = Horizon(now: now)
        horizon.add(agenda.nextOpening)
        for moment in agenda.ranked.flatMap(\.boundaries) { horizon.add(moment) }
        for (event, problem) in agenda.problems {
            steps.append(Step(.skip(detail: problem.text), event: event, problem.reason))
        }
        switch snapshot.app?.template {
        case nil: steps.append(Step(.skip(detail: "cuecard.app has no row for \(device.bundleID)"), .noApp))
        case .failure(let error): steps.append(Step(.skip(detail: "app \(device.bundleID): \(error)"), .badTemplate))
        case .success: break
        }
    }

    var device: Device { snapshot.device }

    var plan: DevicePlan {
        DevicePlan(device: device.id, revision: device.revision, steps: steps, nextDueAt: horizon.due)
    }

    /// The time of a push to this run: now, but later than the last one (ActivityKit drops what is not newer).
    func timestamp(after run: Run?) -> Int64 {
        let second = Int64(now.timeIntervalSince1970.rounded(.down))
        return max(second, (run?.lastTimestamp ?? second - 1) + 1)
    }

    /// When content sent now is out of date: never past the close, always in the future.
    func staleDate(closing: Date) -> Date {
        max(min(now + (snapshot.app?.staleAfter ?? 0), closing), now + 1)
    }
}

extension Run {
    /// The order in which runs are planned.
    static func precedes(_ left: Run, _ right: Run) -> Bool {
        (left.eventID, left.occurrence, left.generation) < (right.eventID, right.occurrence, right.generation)
    }
}
