internal import Foundation

extension Draft {
    /// One silent push where an end or an update waits for a token, within the device's budget.
    mutating func wakeApp() {
        guard device.canBeWoken else { return }
        let wakes = snapshot.wakes.filter { $0.at > now - Limits.budgetWindow }.sorted { $0.at < $1.at }
        let cause: WakeCause = heldEnds.isEmpty ? .update : .takeDown
        let debts = heldEnds.isEmpty ? heldUpdates : heldEnds + heldUpdates
        guard !debts.isEmpty else { return }

        // None in a card's first minutes: its token may be on its way.
        let owed = debts.filter { ($0.startedAt ?? now) + Limits.firstWakeAge <= now }
        guard !owed.isEmpty else {
            horizon.add(debts.compactMap { $0.startedAt.map { $0 + Limits.firstWakeAge } }.min())
            return
        }
        // The last one of the hour is kept for take-downs.
        let most = cause == .takeDown ? Limits.wakesPerHour : Limits.wakesPerHour - 1
        let earliest = [
            wakes.last.map { $0.at + Limits.betweenWakes },
            wakes.count < most ? nil : wakes[wakes.count - most].at + Limits.budgetWindow,
        ].compactMap(\.self).max() ?? now
        guard earliest <= now else {
            horizon.add(earliest)
            return
        }
        steps.append(Step(.wake(owed.map(\.id), cause), .noUpdateToken))
        horizon.add(now + Limits.betweenWakes)
    }
}
