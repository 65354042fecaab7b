internal import Foundation

/// The occurrences that may have a card on one device at one moment, best first.
struct Agenda {
    /// Every open window of an event that the device wants to see.
    let ranked: [CardWindow]
    /// The first so many of them, as the app allows: they have the cards.
    let winners: [CardWindow]
    /// Events that can have no card, and why.
    let problems: [(event: EventID, problem: EventProblem)]
    /// When the next window opens.
    let nextOpening: Date?

    init(of snapshot: DeviceSnapshot, at now: Date) {
        var windows = Event.Windows()
        var problems: [(event: EventID, problem: EventProblem)] = []
        if let app = snapshot.app {
            for event in snapshot.events.sorted(by: { $0.id < $1.id }) where snapshot.device.shows(event) {
                do throws(EventProblem) {
                    windows.add(try event.windows(at: now, on: snapshot.device, for: app))
                } catch {
                    problems.append((event.id, error))
                }
            }
        }
        ranked = windows.open.sorted { CardWindow.ranks($0, before: $1, at: now) }
        winners = Array(ranked.prefix(snapshot.app?.maxCards ?? 0))
        nextOpening = windows.nextOpening
        self.problems = problems
    }

    /// Where an occurrence stands in the order; one whose window is not open comes last.
    func rank(of key: OccurrenceKey) -> Int { ranked.firstIndex { $0.key == key } ?? .max }

    /// Why an event can have no card; nil: it can.
    func problem(of event: EventID) -> EventProblem? { problems.first { $0.event == event }?.problem }
}

extension Device {
    /// Whether the person wants to see this kind of calendar here.
    func shows(_ event: Event) -> Bool {
        switch event.kind {
        case .personal: showsPersonal
        case .shared: showsShared
        }
    }
}
