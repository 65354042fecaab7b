internal import Foundation

extension Draft {
    /// What time and the app's word alone decide of a run, before anything is sent.
    mutating func settleRuns() {
        for index in runs.indices {
            let run = runs[index]
            guard run.state.isLive else { continue }
            guard let startedAt = run.startedAt else {
                // The app started this card; its 8 and 12 hours count from the first tick that sees it.
                settle(index, Settlement(run.state, startedAt: now, closesAt: window(of: run)?.closes), .appStarted)
                horizon.add(now + Limits.longestOnScreen)
                continue
            }
            let endOfLife = startedAt + Limits.longestOnScreen
            if now >= endOfLife {
                let reason = run.state == .ending && run.updateToken == nil ? Reason.endedUnconfirmed : .twelveHours
                settle(index, Settlement(.ended, isGone: true), reason)
            } else if run.isMissing, now >= run.startExpiresAt ?? now {
                settle(index, Settlement(.ended, isGone: true), .missing)
            } else if run.state == .claimed {
                // Whoever recorded the intent never recorded an answer, and its lease is over.
                settle(index, Settlement(.unknown), .noAnswer)
            }
            if runs[index].state.isLive {
                horizon.add(endOfLife)
                horizon.add(run.isMissing ? run.startExpiresAt : nil)
            }
        }
    }

    mutating func settle(_ index: Int, _ settlement: Settlement, _ reason: Reason) {
        let run = runs[index]
        runs[index].state = settlement.state
        runs[index].reason = reason.rawValue
        runs[index].isGone = run.isGone || settlement.isGone
        runs[index].startedAt = run.startedAt ?? settlement.startedAt
        steps.append(Step(.settle(run.id, settlement), run.key, reason))
    }
}
