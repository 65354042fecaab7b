import Planning

extension DevicePlan {
    /// The steps, a line each.
    var lines: [String] { steps.map(\.line) }

    /// Those that send something or change the ledger.
    var acts: [String] { steps.filter(\.isAct).map(\.line) }

    var starts: [Start] { steps.compactMap { if case .start(let start) = $0.action { start } else { nil } } }
    var updates: [Update] { steps.compactMap { if case .update(let update) = $0.action { update } else { nil } } }
    var ends: [End] { steps.compactMap { if case .end(let end) = $0.action { end } else { nil } } }
}

extension Step {
    /// Whether it does anything: a hold and a skip do not.
    var isAct: Bool {
        switch action {
        case .hold, .skip: false
        case .start, .update, .end, .wake, .settle, .rekey: true
        }
    }

    /// Such as `start e1 #1 window_open`, `end r1 over` or `wake r1 r2 take_down`.
    var line: String {
        switch action {
        case .start(let start): "start \(event.name) #\(start.generation) \(reason.rawValue)"
        case .update(let update): "update r\(update.run.number) \(reason.rawValue)"
        case .end(let end): "end r\(end.run.number) \(reason.rawValue)"
        case .wake(let runs, let cause): "wake \(runs.map { "r\($0.number)" }.joined(separator: " ")) \(cause.rawValue)"
        case .hold(let run): "hold r\(run.number)"
        case .settle(let run, let settlement): "settle r\(run.number) \(settlement.state.rawValue) \(reason.rawValue)"
        case .rekey(let run, let occurrence, let generation): "rekey r\(run.number) \(occurrence) #\(generation)"
        case .skip: "skip \(event.name) \(reason.rawValue)"
        }
    }
}

extension EventID? {
    fileprivate var name: String { map { "e\($0.number)" } ?? "device" }
}
