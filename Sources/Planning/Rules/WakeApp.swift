internal import Foundation

extension Draft {
    /// One silent push where an end or an update waits for a token, within the device's budget.
    mutating func wakeApp() {
        guard device.canBeWoken else { return }
        var wakes = snapshot.wakes.sorted { $0.at < $1.at }
        let debts: [(cause: WakeCause, runs: [Run])] = [(.takeDown, heldEnds), (.update, heldUpdates)]
        if let due = debts.first(where: { nextWake($0.cause, for: $0.runs, after: wakes).map { $0 <= now } ?? false }) {
            let owed = (heldEnds + heldUpdates).filter { ripens($0) <= now }
            steps.append(Step(.wake(owed.map(\.id), due.cause), .noUpdateToken))
            wakes.append(.init(at: now, cause: due.cause))
        }
        for debt in debts where !debt.runs.isEmpty {
            horizon.add(nextWake(debt.cause, for: debt.runs, after: wakes))
            // The last one may prove to have been lost, and then this is the next one's time.
            horizon.add(wakes.last.map { $0.at + Limits.betweenWakes })
        }
    }

    /// When the app may be woken for these runs; nil: there are none.
    private func nextWake(_ cause: WakeCause, for runs: [Run], after wakes: [DeviceSnapshot.Wake]) -> Date? {
        guard let ripe = runs.map(ripens).min() else { return nil }
        // The last one of the hour is kept for take-downs.
        let most = cause == .takeDown ? Limits.wakesPerHour : Limits.wakesPerHour - 1
        // A take-down does not wait for the answer to an update.
        let spaced =
            wakes.last { $0.cause == .takeDown || cause == .update }.map { $0.at + Limits.betweenWakes } ?? ripe
        let counted = wakes.filter { !$0.isLost }
        let budgeted = counted.dropLast(most - 1).last.map { $0.at + Limits.budgetWindow } ?? ripe
        return max(ripe, spaced, budgeted)
    }

    /// None in a card's first minutes: its token may be on its way.
    private func ripens(_ run: Run) -> Date { (run.startedAt ?? now) + Limits.firstWakeAge }
}
