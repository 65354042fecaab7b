internal import Foundation
internal import Recurrence

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
        var open: [CardWindow] = []
        var problems: [(event: EventID, problem: EventProblem)] = []
        var nextOpening: Date?
        if let app = snapshot.app {
            for event in snapshot.events where snapshot.device.shows(event) {
                do throws(EventProblem) {
                    let windows = try event.windows(at: now, in: snapshot.device.zone, for: app)
                    open += windows.open
                    if let next = windows.nextOpening { nextOpening = nextOpening.map { min($0, next) } ?? next }
                } catch {
                    problems.append((event.id, error))
                }
            }
        }
        ranked = open.sorted { CardWindow.ranks($0, before: $1, at: now) }
        winners = Array(ranked.prefix(snapshot.app?.maxCards ?? 0))
        self.problems = problems
        self.nextOpening = nextOpening
    }

    /// Where an occurrence stands in the order; nil: its window is not open.
    func rank(of key: OccurrenceKey) -> Int? { ranked.firstIndex { $0.key == key } }
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
