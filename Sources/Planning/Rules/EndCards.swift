internal import Foundation
internal import LiveActivity

extension Draft {
    /// An end for every card that must go, or the wish for one while its update token is missing.
    mutating func endCards() {
        let outranked = outrankedRuns
        for index in runs.indices where runs[index].id.uuid != .zero {
            let run = runs[index]
            if run.state.isLive {
                if let reason = reasonToEnd(run) ?? (outranked.contains(run.id) ? .outranked : nil) {
                    end(index, reason)
                } else if run.state == .ending {
                    // Its end never went out, and it is wanted once more: it lives on.
                    settle(index, Settlement(run.isConfirmed ? .confirmed : .accepted), .wantedAgain)
                }
            } else if run.updateToken != nil {
                end(index, .endOwed)
            }
        }
    }

    /// Cards whose places went to better ones. A place is lost only once its winner may start.
    private var outrankedRuns: Set<RunID> {
        let winners = Set(agenda.winners.map(\.key))
        let losers = runs
            .filter { $0.state.isLive && reasonToEnd($0) == nil && !winners.contains($0.key) }
            .sorted { (agenda.rank(of: $0.key) ?? .max) < (agenda.rank(of: $1.key) ?? .max) }
        // Places that no winner fills now: those of winners that must wait, and those beyond the last winner.
        let free = vacant + (snapshot.app?.maxCards ?? 0) - agenda.winners.count
        return Set(losers.dropFirst(max(0, free)).map(\.id))
    }

    private mutating func end(_ index: Int, _ reason: Reason) {
        let run = runs[index]
        guard let token = run.updateToken else {
            if run.state != .ending || run.reason != reason.rawValue {
                settle(index, Settlement(.ending), reason)
            }
            heldEnds.append(runs[index])
            return
        }
        if run.state.isLive { runs[index].state = .ending }
        if let retryAt = run.retryAt, retryAt > now {
            if run.state != .ending && run.state.isLive { settle(index, Settlement(.ending), reason) }
            horizon.add(retryAt)
            return
        }
        let endOfLife = (run.startedAt ?? now) + Limits.longestOnScreen
        steps.append(
            Step(
                .end(
                    End(
                        run: run.id, token: token, content: run.content ?? .null, timestamp: timestamp(after: run),
                        dismissAt: dismissal(of: run, reason),
                        expiresAt: max(endOfLife, now + Limits.shortestExpiration))), run.key, reason))
    }

    /// A card whose occurrence is over may linger; every other one goes at once.
    private func dismissal(of run: Run, _ reason: Reason) -> Date {
        guard reason == .over, let closes = window(of: run)?.closes else { return now }
        return closes + (snapshot.app?.linger ?? 0)
    }
}
