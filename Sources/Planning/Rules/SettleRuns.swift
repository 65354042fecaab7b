internal import Foundation

extension Draft {
    /// What time and the app's word alone decide of a run, before anything is sent.
    mutating func settleRuns() {
        for index in runs.indices where runs[index].state.isLive {
            stampStart(index)
            let run = runs[index]
            if !mayStillShow(run) {
                let isOwed = run.state == .ending && run.updateToken == nil
                settle(index, Settlement(.ended, isGone: true), isOwed ? .endedUnconfirmed : .twelveHours)
            } else if run.isMissing, run.startExpiresAt ?? now <= now {
                settle(index, Settlement(.ended, isGone: true), .missing)
            } else if run.state == .claimed {
                // Whoever recorded the intent never recorded an answer, and its lease is over.
                settle(index, Settlement(.unknown), .noAnswer)
            }
            guard runs[index].state.isLive else { continue }
            horizon.add(endOfLife(of: run))
            horizon.add(run.startedAt.map { $0 + Limits.cardLife })
            if run.isMissing { horizon.add(run.startExpiresAt) }
        }
    }

    /// The 8 and 12 hours of a card that the app started count from the first tick that sees it.
    private mutating func stampStart(_ index: Int) {
        let run = runs[index]
        guard run.startedAt == nil else { return }
        settle(
            index, Settlement(run.state, startedAt: now, closesAt: window(of: run)?.closes),
            run.reason.flatMap(Reason.init) ?? .appStarted)
    }

    /// When no card of this run is on a screen any more, whatever happened to it.
    func endOfLife(of run: Run) -> Date { (run.startedAt ?? now) + Limits.longestOnScreen }

    /// Whether there may be a card on the screen, by its age alone.
    func mayStillShow(_ run: Run) -> Bool { now < endOfLife(of: run) }

    /// One settlement a run: a later one takes the place of an earlier one, and keeps the times that it set.
    mutating func settle(_ index: Int, _ settlement: Settlement, _ reason: Reason) {
        let run = runs[index]
        var settlement = settlement
        steps.removeAll { step in
            guard case .settle(run.id, let earlier) = step.action else { return false }
            settlement.startedAt = settlement.startedAt ?? earlier.startedAt
            settlement.closesAt = settlement.closesAt ?? earlier.closesAt
            return true
        }
        steps.append(Step(.settle(run.id, settlement), run.key, reason))

        runs[index].state = settlement.state
        runs[index].reason = reason.rawValue
        runs[index].startedAt = run.startedAt ?? settlement.startedAt
        runs[index].closesAt = settlement.closesAt ?? run.closesAt
        if settlement.isGone {
            runs[index].isGone = true
            runs[index].updateToken = nil
        }
    }
}
