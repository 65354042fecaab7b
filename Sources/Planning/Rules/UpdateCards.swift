internal import Foundation
internal import LiveActivity

extension Draft {
    /// An update for every wanted card whose phase or content changed, or whose content would soon be stale.
    mutating func updateCards() {
        guard let app = snapshot.app, case .success(let template) = app.template else { return }
        for run in runs where run.state.isLive && run.state != .ending {
            guard let window = window(of: run) else { continue }
            let context = window.context(run: run.id, locale: device.locale, at: now)
            let card = template.render(context)
            guard let reason = reasonToUpdate(run, card, context.phase, closing: window.closes) else { continue }
            guard let token = run.updateToken else {
                hold(run, reason)
                continue
            }
            if let wait = [run.retryAt, nextUpdate(of: run, reason)].compactMap(\.self).max(), wait > now {
                horizon.add(wait)
                continue
            }
            let staleAt = staleDate(closing: window.closes)
            steps.append(
                Step(
                    .update(
                        Update(
                            run: run.id, token: token, context: context, card: card, timestamp: timestamp(after: run),
                            staleAt: staleAt, closesAt: window.closes, isUrgent: reason == .phaseChanged)), run.key,
                    reason))
            addRefresh(staleAt, closing: window.closes)
        }
    }

    private mutating func reasonToUpdate(_ run: Run, _ card: Card, _ phase: Phase, closing: Date) -> Reason? {
        if run.phase != nil && run.phase != phase { return .phaseChanged }
        if run.contentKey != card.contentKey { return .contentChanged }
        // Without a token a refresh is no debt: the card goes stale by itself, and is true all the same.
        guard run.updateToken != nil, let staleAt = run.staleAt else { return nil }
        return addRefresh(staleAt, closing: closing) ? .refresh : nil
    }

    /// Whether the time to refresh has come; content that is good until the close needs none.
    @discardableResult
    private mutating func addRefresh(_ staleAt: Date, closing: Date) -> Bool {
        guard staleAt < closing else { return false }
        let refresh = staleAt - min(300, (snapshot.app?.staleAfter ?? 0) / 4)
        horizon.add(refresh)
        return refresh <= now
    }

    /// When the card may change once more: what it shows then is the newest state, whatever came in between.
    ///
    /// A phase begins at its moment all the same.
    private func nextUpdate(of run: Run, _ reason: Reason) -> Date? {
        if reason == .phaseChanged { return nil }
        guard let last = run.lastTimestamp, let startedAt = run.startedAt else { return nil }
        let told = Date(timeIntervalSince1970: TimeInterval(last))
        // The start itself is no update: a token that comes at once is told at once.
        return told > startedAt ? told + Limits.betweenUpdates : nil
    }

    private mutating func hold(_ run: Run, _ reason: Reason) {
        steps.append(Step(.hold(run.id), run.key, .noUpdateToken))
        heldUpdates.append(run)
    }
}
