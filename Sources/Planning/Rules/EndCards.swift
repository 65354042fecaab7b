internal import Foundation
internal import LiveActivity

extension Draft {
    /// An end for every card that must go, or the wish for one while its update token is missing.
    mutating func endCards() {
        let outranked = outrankedOccurrences
        for index in runs.indices {
            let run = runs[index]
            if run.state.isLive {
                if let reason = reasonToEnd(run) ?? (outranked.contains(run.key) ? .outranked : nil) {
                    end(index, reason)
                } else if run.state == .ending {
                    // Its end never went out, and it is wanted once more: it lives on.
                    let known: Run.State = run.isConfirmed ? .confirmed : run.isStartTaken ? .accepted : .unknown
                    settle(index, Settlement(known), .wantedAgain)
                }
            } else if run.updateToken != nil, mayStillShow(run) {
                end(index, .endOwed)
            }
        }
    }

    /// Occurrences whose places went to better ones; a place is lost only once its winner may start.
    private var outrankedOccurrences: Set<OccurrenceKey> {
        let winners = Set(agenda.winners.map(\.key))
        let losers = Set(runs.filter { $0.state.isLive && reasonToEnd($0) == nil }.map(\.key)).subtracting(winners)
        let best = losers.sorted {
            (agenda.rank(of: $0), $0.event, $0.occurrence) < (agenda.rank(of: $1), $1.event, $1.occurrence)
        }
        // Places that no winner fills now: those of winners that must wait, and those beyond the last winner.
        let free = vacant + (snapshot.app?.maxCards ?? 0) - agenda.winners.count
        return Set(best.dropFirst(max(0, free)))
    }

    private mutating func end(_ index: Int, _ reason: Reason) {
        let run = runs[index]
        guard let token = run.updateToken else {
            if run.state != .ending || run.reason != reason.rawValue { settle(index, Settlement(.ending), reason) }
            heldEnds.append(runs[index])
            return
        }
        // A wait after a failed update does not hold up the first end.
        let isRepeat = run.state == .ending || !run.state.isLive
        if isRepeat, let retryAt = run.retryAt, retryAt > now {
            horizon.add(retryAt)
            return
        }
        let timestamp = timestamp(after: run)
        let end = End(
            run: run.id, token: token, content: run.content ?? .null, timestamp: timestamp,
            dismissAt: dismissal(of: run, reason) ?? Date(unix: timestamp),
            expiresAt: max(endOfLife(of: run), now + Limits.shortestExpiration))
        steps.append(Step(.end(end), run.key, reason))
        if run.state.isLive { runs[index].state = .ending }
        // Once this card is gone its occurrence may have another one.
        if agenda.winners.contains(where: { $0.key == run.key }) { horizon.add(now + 1) }
    }

    /// A card whose occurrence is over may linger; nil: every other one goes at once.
    private func dismissal(of run: Run, _ reason: Reason) -> Date? {
        guard reason == .over, let closes = window(of: run)?.closes else { return nil }
        return closes + (snapshot.app?.linger ?? 0)
    }
}
