internal import Foundation
internal import Recurrence

extension Draft {
    /// An event that was moved a little keeps its card: a run whose occurrence is no more goes over to the nearest open
    /// window of the same event that has no run.
    ///
    /// A dismissed run goes along, so that a small move brings nothing back; one whose card is known to be gone does not.
    mutating func rekeyMovedRuns() {
        let moved = Dictionary(grouping: runs.filter { ($0.state == .dismissed || !$0.isGone) && isUprooted($0) }, by: \.key)
        for (former, group) in moved.sorted(by: { $0.key.occurrence < $1.key.occurrence }) {
            guard let target = nearestFreeWindow(to: former) else { continue }
            for (offset, run) in group.sorted(by: { $0.generation < $1.generation }).enumerated() {
                guard let index = runs.firstIndex(where: { $0.id == run.id }) else { continue }
                runs[index].occurrence = target.key.occurrence
                runs[index].generation = offset + 1
                steps.append(
                    Step(.rekey(run.id, target.key.occurrence, generation: offset + 1), former, .contentChanged))
            }
        }
    }

    /// Whether the event is still seen here, but has no such occurrence any more.
    private func isUprooted(_ run: Run) -> Bool {
        guard run.userID == device.userID, let event = visibleEvent(of: run) else { return false }
        do throws(EventProblem) {
            return try event.occurrence(named: run.occurrence) == nil
        } catch {
            return false  // an event that cannot be read says nothing about where its card belongs
        }
    }

    private func nearestFreeWindow(to key: OccurrenceKey) -> CardWindow? {
        let taken = Set(runs.map(\.key))
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
