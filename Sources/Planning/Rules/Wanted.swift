internal import Foundation

extension Draft {
    /// The window of a run's occurrence, open or not; nil where there is none on this device any more.
    func window(of run: Run) -> CardWindow? {
        guard let app = snapshot.app, let event = visibleEvent(of: run) else { return nil }
        do throws(EventProblem) {
            return try event.window(named: run.occurrence, on: device, for: app)
        } catch {
            return nil  // the agenda has said so already
        }
    }

    /// Why a running card must go; nil: it may stay.
    func reasonToEnd(_ run: Run) -> Reason? {
        reasonOfAccount(run) ?? reasonOfEvent(run) ?? reasonOfAge(run)
    }

    private func reasonOfAccount(_ run: Run) -> Reason? {
        if run.userID != device.userID { return .accountChanged }
        if device.isUnregistered { return .loggedOut }
        if !device.isEnabled { return .liveActivitiesOff }
        if snapshot.app == nil { return .noApp }
        // A second card of one occurrence never becomes wanted, and an end that was sent is never taken back.
        if run.state == .ending, run.isEndSent || run.reason == Reason.secondCard.rawValue {
            return run.reason.flatMap(Reason.init) ?? .endOwed
        }
        return nil
    }

    private func reasonOfEvent(_ run: Run) -> Reason? {
        guard let event = snapshot.events.first(where: { $0.id == run.eventID }) else {
            return run.eventExists ? .unshared : .deleted
        }
        if !device.shows(event) { return .switchedOff }
        if event.overrides[run.occurrence]?.isCancelled == true { return .cancelled }
        if event.excludes(run.occurrence), window(of: run) == nil { return .cancelled }
        if let problem = agenda.problem(of: event.id) { return problem.reason }
        guard let window = window(of: run), now >= window.opens else { return .moved }
        return now >= window.closes ? .over : nil
    }

    private func reasonOfAge(_ run: Run) -> Reason? {
        let newer = runs.filter {
            $0.key == run.key && $0.generation > run.generation && $0.state.isLive
                && $0.reason != Reason.secondCard.rawValue
        }
        if newer.contains(where: \.isConfirmed) { return .renewed }
        guard let startedAt = run.startedAt, now >= startedAt + Limits.cardLife else { return nil }
        return newer.isEmpty ? .eightHours : .renewed
    }
}
