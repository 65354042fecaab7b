internal import Foundation
internal import Recurrence

extension Draft {
    /// An event that was moved a little keeps its card: a run whose occurrence is no more goes over to the nearest open
    /// window of the same event that nobody holds, at the next free generation there.
    mutating func rekeyMovedRuns() {
        var uprooted = Set(runs.filter { mayMove($0) && isUprooted($0) }.map(\.key))
        while let (former, target) = nearestPair(from: uprooted) {
            uprooted.remove(former)
            rekey(former, to: target)
        }
        // Moved out of its window: what became of a card there says nothing of the windows that open later.
        for index in runs.indices where uprooted.contains(runs[index].key) && !runs[index].state.isLive {
            guard mayMove(runs[index]) else { continue }
            settle(
                index, Settlement(runs[index].state, closesAt: now),
                runs[index].reason.flatMap(Reason.init) ?? .dismissedByPerson)
        }
    }

    private mutating func rekey(_ former: OccurrenceKey, to target: OccurrenceKey) {
        var generation = runs.filter { $0.key == target }.map(\.generation).max() ?? 0
        for index in runs.indices where runs[index].key == former && mayMove(runs[index]) {
            generation += 1
            runs[index].occurrence = target.occurrence
            runs[index].generation = generation
            steps.append(
                Step(.rekey(runs[index].id, target.occurrence, generation: generation), former, .movedAlong))
        }
        runs.sort(by: Run.precedes)
    }

    /// Whether a run has a say in what happens to its occurrence: its card is not known to be gone, or the person swiped
    /// it away, so that a small move brings nothing back.
    private func holds(_ run: Run) -> Bool {
        run.userID == device.userID && (run.state == .dismissed || !run.isGone)
    }

    /// Whether it would have that say elsewhere too: a settled card does until it would have closed.
    ///
    /// Yesterday's dismissal does not keep today's card away because the series moved.
    private func mayMove(_ run: Run) -> Bool {
        holds(run) && (run.state.isLive || now < run.closesAt ?? endOfLife(of: run))
    }

    /// Whether the event is still seen here, but has no such occurrence any more.
    private func isUprooted(_ run: Run) -> Bool {
        // An exception takes an occurrence out, and moves none.
        guard let event = visibleEvent(of: run), !event.excludes(run.occurrence) else { return false }
        do throws(EventProblem) {
            return try event.occurrence(named: run.occurrence) == nil
        } catch {
            return false  // an event that cannot be read says nothing about where its card belongs
        }
    }

    /// Of all these keys and the free windows of their events, the two that are closest; nil: there is no such pair.
    private func nearestPair(from uprooted: Set<OccurrenceKey>) -> (OccurrenceKey, OccurrenceKey)? {
        let taken = Set(runs.filter(holds).map(\.key))
        let free = agenda.ranked.map(\.key).filter { !taken.contains($0) }
        func distance(_ pair: (OccurrenceKey, OccurrenceKey)) -> Int64 {
            abs(pair.0.occurrence.secondsSinceEpoch - pair.1.occurrence.secondsSinceEpoch)
        }
        return uprooted.flatMap { former in free.filter { $0.event == former.event }.map { (former, $0) } }.min {
            (distance($0), $0.0.event, $0.0.occurrence, $0.1.occurrence)
                < (distance($1), $1.0.event, $1.0.occurrence, $1.1.occurrence)
        }
    }

    /// The run's event, where the user has it and the device wants to see it.
    func visibleEvent(of run: Run) -> Event? {
        snapshot.events.first { $0.id == run.eventID && device.shows($0) }
    }
}
