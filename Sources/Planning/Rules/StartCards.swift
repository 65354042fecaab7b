internal import Foundation
internal import LiveActivity

extension Draft {
    /// A start for every winner that has no card, best first, as far as the device and its budget allow.
    mutating func startCards() {
        for window in agenda.winners {
            let former = runs.filter { $0.key == window.key }
            let running = former.last { $0.state.isLive && reasonToEnd($0) == nil }
            if let running, !needsRenewal(running, window) { continue }

            switch permission(for: window, former: former, renewing: running) {
            case .refused(let reason, let until):
                horizon.add(until)
                if running == nil { vacant += 1 }
                steps.append(Step(.skip(detail: nil), window.key, reason))
            case .granted(let reason):
                start(window, former: former, reason)
            }
        }
    }

    private enum Permission {
        case granted(Reason)
        /// Until: when to ask again; nil: when something changes.
        case refused(Reason, until: Date?)
    }

    /// Whether this card's 8 hours end before its occurrence closes, and a new one should take over now.
    private mutating func needsRenewal(_ run: Run, _ window: CardWindow) -> Bool {
        guard let startedAt = run.startedAt, window.closes > startedAt + Limits.cardLife else { return false }
        horizon.add(startedAt + Limits.renewalAge)
        return now >= startedAt + Limits.renewalAge
    }

    private func permission(for window: CardWindow, former: [Run], renewing: Run?) -> Permission {
        if let reason = deviceObstacle ?? personsWord(former) { return .refused(reason, until: nil) }
        if let card = former.last(where: { $0.id != renewing?.id && mayRemain($0) }) {
            return .refused(.formerCardMayRemain, until: endOfLife(of: card))
        }
        if let failed = failedStart(former) {
            if failed.reason == Reason.startRefused.rawValue { return .refused(.startRefused, until: nil) }
            if let retryAt = failed.retryAt, retryAt > now { return .refused(.waitsToRetry, until: retryAt) }
        } else if let last = former.filter({ $0.state != .failed }).compactMap(\.startedAt).max(),
            last + Limits.betweenGenerations > now
        {
            return .refused(.tooSoonAfterStart, until: last + Limits.betweenGenerations)
        }
        if let until = budgetReturns { return .refused(.startBudget, until: until) }
        if failedStart(former) != nil { return .granted(.retry) }
        return .granted(renewing != nil ? .renewal : former.isEmpty ? .windowOpen : .cardGone)
    }

    /// What keeps every start from this device.
    private var deviceObstacle: Reason? {
        if device.isUnregistered { return .loggedOut }
        if !device.isEnabled { return .liveActivitiesOff }
        if device.isSilent { return .silentDevice }
        if device.startToken == nil { return .noStartToken }
        if case .failure = snapshot.app?.template { return .badTemplate }
        return nil
    }

    /// The person swiped the card away, or may have: APNs no longer knows the newest card's token.
    private func personsWord(_ former: [Run]) -> Reason? {
        let own = former.filter { $0.userID == device.userID && $0.state != .failed }
        if own.contains(where: { $0.state == .dismissed }) { return .dismissedByPerson }
        return own.last?.reason == Reason.updateTokenGone.rawValue ? .updateTokenGone : nil
    }

    /// Whether a former card may be on the screen: live, or settled without proof that it left.
    private func mayRemain(_ run: Run) -> Bool {
        run.state != .failed && !run.isGone && mayStillShow(run)
    }

    /// The newest run, where its start is known not to have been processed: it is tried again, under the same id.
    private func failedStart(_ former: [Run]) -> Run? {
        former.last.flatMap { $0.state == .failed && $0.userID == device.userID ? $0 : nil }
    }

    /// When the device may get its next start; nil: now.
    private var budgetReturns: Date? {
        let most = max(1, snapshot.app?.maxStartsPerHour ?? 1)
        // The oldest one of a full hour: with its age the next start becomes free.
        guard let oldest = starts.sorted().dropLast(most - 1).last else { return nil }
        let until = oldest + Limits.budgetWindow
        return until > now ? until : nil
    }

    private mutating func start(_ window: CardWindow, former: [Run], _ reason: Reason) {
        let failed = failedStart(former)
        let deadline = now < window.start ? window.start : window.closes
        let start = Start(
            run: failed?.id, generation: failed?.generation ?? (former.last?.generation ?? 0) + 1,
            context: window.context(run: failed?.id ?? .unnamed, locale: device.locale, at: now),
            timestamp: timestamp(after: failed), staleAt: staleDate(closing: window.closes),
            expiresAt: max(deadline, now + Limits.shortestExpiration), closesAt: window.closes)
        steps.append(Step(.start(start), window.key, reason))
        starts.append(now)
        horizon.add(now + Limits.longestOnScreen)
        if window.closes > now + Limits.cardLife { horizon.add(now + Limits.renewalAge) }
    }
}

extension RunID {
    /// Stands for the id that a new run gets when it is recorded.
    static let unnamed = RunID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
}
