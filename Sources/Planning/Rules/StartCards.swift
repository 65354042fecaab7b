internal import Foundation
internal import LiveActivity

extension Draft {
    /// A start for every winner that has no card, best first, as far as the device and its budget allow.
    mutating func startCards() {
        for window in agenda.winners {
            let former = runs.filter { $0.key == window.key }
            let running = former.filter { $0.state.isLive && reasonToEnd($0) == nil }
            if let newest = running.last, !needsRenewal(newest, window) { continue }

            switch permission(for: window, former: former, renewing: running.last) {
            case .refused(let reason, let until):
                horizon.add(until)
                if running.isEmpty { vacant += 1 }
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
        horizon.add(startedAt + Limits.cardLife)
        return now >= startedAt + Limits.renewalAge
    }

    private func permission(for window: CardWindow, former: [Run], renewing: Run?) -> Permission {
        if let reason = deviceObstacle { return .refused(reason, until: nil) }
        if former.contains(where: { $0.state == .dismissed }) { return .refused(.dismissedByPerson, until: nil) }
        if former.contains(where: { $0.reason == Reason.updateTokenGone.rawValue }) {
            return .refused(.updateTokenGone, until: nil)
        }
        if let mayRemain = former.last(where: { $0.id != renewing?.id && mayRemain($0) }) {
            return .refused(.formerCardMayRemain, until: mayRemain.startedAt.map { $0 + Limits.longestOnScreen })
        }
        var reason = renewing != nil ? Reason.renewal : former.isEmpty ? .windowOpen : .cardGone
        if let failed = former.last, failed.state == .failed {
            if failed.reason == Reason.startRefused.rawValue { return .refused(.startRefused, until: nil) }
            if let retryAt = failed.retryAt, retryAt > now { return .refused(.waitsToRetry, until: retryAt) }
            reason = .retry
        } else if renewing == nil, let last = former.compactMap(\.startedAt).max(), last + Limits.betweenGenerations > now {
            return .refused(.tooSoonAfterStart, until: last + Limits.betweenGenerations)
        }
        if let until = budgetReturns { return .refused(.startBudget, until: until) }
        return .granted(reason)
    }

    /// What keeps every start from this device.
    private var deviceObstacle: Reason? {
        if device.isUnregistered { return .loggedOut }
        if !device.isEnabled { return .liveActivitiesOff }
        if device.isSilent { return .silentDevice }
        if device.startToken == nil { return .noStartToken }
        if !device.hasKnownZone { return .unknownZone }
        if case .failure = snapshot.app?.template { return .badTemplate }
        return nil
    }

    /// A former card that may still be on the screen: live, or settled without proof that it left.
    private func mayRemain(_ run: Run) -> Bool {
        guard run.state != .failed, !run.isGone else { return false }
        return run.state.isLive || (run.startedAt.map { $0 + Limits.longestOnScreen > now } ?? true)
    }

    /// When the device may get its next start; nil: now. Only starts that APNs may have processed count.
    private var budgetReturns: Date? {
        let started = runs
            .filter { $0.state != .failed && $0.startExpiresAt != nil }
            .compactMap(\.startedAt)
            .filter { $0 > now - Limits.budgetWindow }
            .sorted()
        let most = snapshot.app?.maxStartsPerHour ?? 0
        return started.count < most ? nil : started[started.count - most] + Limits.budgetWindow
    }

    private mutating func start(_ window: CardWindow, former: [Run], _ reason: Reason) {
        let failed = former.last.flatMap { $0.state == .failed ? $0 : nil }
        let generation = failed?.generation ?? (former.last?.generation ?? 0) + 1
        let deadline = now < window.start ? window.start : window.closes
        let step = Start(
            run: failed?.id, generation: generation,
            context: window.context(run: failed?.id ?? RunID(UUID.zero), locale: device.locale, at: now),
            timestamp: timestamp(after: failed), staleAt: staleDate(closing: window.closes),
            expiresAt: max(deadline, now + Limits.shortestExpiration), closesAt: window.closes)
        steps.append(Step(.start(step), window.key, reason))

        // As the runs will be: it counts against the budget, and the horizon knows it.
        runs.removeAll { $0.id == failed?.id }
        runs.append(
            Run(
                id: RunID(.zero), userID: device.userID, eventID: window.key.event, occurrence: window.key.occurrence,
                generation: generation, state: .claimed, startedAt: now, startExpiresAt: step.expiresAt))
        horizon.add(now + Limits.longestOnScreen)
        if window.closes > now + Limits.cardLife { horizon.add(now + Limits.renewalAge) }
    }
}

extension UUID {
    /// Stands for the id that a new run gets when it is recorded.
    static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
