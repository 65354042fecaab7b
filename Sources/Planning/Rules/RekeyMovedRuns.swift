internal import Foundation
internal import Recurrence

extension Draft {
    /// An event that was moved a little keeps its card: a run whose occurrence is no more goes over to the nearest open
    /// window of the same event that nobody holds, at the next free generation there.
    mutating func rekeyMovedRuns() {
        let uprooted = Set(runs.filter { holds($0) && isUprooted($0) }.map(\.key))
        for former in uprooted.sorted(by: { ($0.event, $0.occurrence) < ($1.event, $1.occurrence) }) {
            guard let target = nearestFreeWindow(to: former)?.key else { continue }
            var generation = runs.filter { $0.key == target }.map(\.generation).max() ?? 0
            for index in runs.indices where runs[index].key == former && holds(runs[index]) {
                generation += 1
                runs[index].occurrence = target.occurrence
                runs[index].generation = generation
                steps.append(
                    Step(.rekey(runs[index].id, target.occurrence, generation: generation), former, .movedAlong))
            }
            runs.sort(by: Run.precedes)
        }
    }

    /// Whether a run has a say in what happens to its occurrence: its card is not known to be gone, or the person swiped
    /// it away, so that a small move brings nothing back.
    private func holds(_ run: Run) -> Bool {
        run.userID == device.userID && (run.state == .dismissed || !run.isGone)
    }

    /// Whether the event is still seen here, but has no such occurrence any more.
    private func isUprooted(_ run: Run) -> Bool {
        guard let event = visibleEvent(of: run) else { return false }
        do throws(EventProblem) {
            return try event.occurrence(named: run.occurrence) == nil
        } catch {
            return false  // an event that cannot be read says nothing about where its card belongs
        }
    }

    private func nearestFreeWindow(to key: OccurrenceKey) -> CardWindow? {
        let taken = Set(runs.filter(holds).map(\.key))
        func distance(_ window: CardWindow) -> Int64 {
            abs(window.key.occurrence.secondsSinceEpoch - key.occurrence.secondsSinceEpoch)
        }
        return agenda.ranked
            .filter { $0.key.event == key.event && !taken.contains($0.key) }
            .min { (distance($0), $0.key.occurrence) < (distance($1), $1.key.occurrence) }
    }

    /// The run's event, where the user has it and the device wants to see it.
    func visibleEvent(of run: Run) -> Event? {
        snapshot.events.first { $0.id == run.eventID && device.shows($0) }
    }
}
