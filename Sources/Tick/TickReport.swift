public import Foundation
public import LiveActivity
public import Planning
public import Recurrence

/// What a tick did, counted.
public struct TickReport: Sendable {
    /// One thing that a tick did, or would do.
    public struct Action: Sendable, Equatable {
        /// The device.
        public var device: DeviceID
        /// Nil: it concerns the device.
        public var event: EventID?
        /// Nil: it concerns the event or the device.
        public var occurrence: LocalDateTime?
        /// What was done, in a word.
        public var action: String
        /// Why.
        public var reason: Reason
    }

    /// The decision time.
    public var now: Date
    /// Devices that were due and free.
    public var claimed = 0
    /// Starts that APNs took; in a dry run, those that would go out, and so for the next three.
    public var started = 0
    /// Updates that APNs took.
    public var updated = 0
    /// Ends that APNs took.
    public var ended = 0
    /// Silent pushes that APNs or Expo took.
    public var woken = 0
    /// Updates that wait for their card's token.
    public var held = 0
    /// Cards or events passed over, each for a reason.
    public var skipped = 0
    /// Pushes that APNs refused, or that certainly never reached it.
    public var failed = 0
    /// Pushes without an answer, and starts whose answer nobody recorded.
    public var unknown = 0
    /// Every push by what it was and what became of it: `accepted`, `rejected`, `unprocessed`, `unknown`.
    public private(set) var pushes: [Push.Event: [String: Int]] = [:]
    /// Tokens that APNs called bad and that are kept all the same, since there were too many of them at once.
    public var sparedTokens = 0
    /// Devices whose start token has become suspect: APNs took several starts, and the app never said a word.
    public var suspects: [DeviceID] = []
    /// How long it took.
    public var duration: Duration = .zero
    /// Work was left when the time was up; the next tick goes on.
    public var isWorkLeft = false
    /// Where devices are due and get nothing.
    public var unserved = UnservedLanes()
    /// What would be done, in order; nothing where it was done.
    public private(set) var actions: [Action] = []
    /// What went wrong, one line each, safe to log; the last line counts what goes beyond ``mostFaults``.
    public var faults: [String] {
        untold == 0 ? told : told + ["and \(untold) faults more: the first \(told.count) are told"]
    }

    /// So many faults are told, so that a pass over a whole fleet needs no more memory than one over a batch.
    public static let mostFaults = 1000

    private var told: [String] = []
    private var untold = 0
    private var noted: Set<String> = []

    /// Nothing done yet.
    public init(now: Date) { self.now = now }

    /// Counts a batch; nil outcomes are a dry run, in which every push counts as if it were taken.
    mutating func add(claims: Int, plans: [DevicePlan], composition: Composition, outcomes: [Outcome]?) {
        claimed += claims
        for plan in plans {
            for step in plan.steps { count(step) }
        }
        if let outcomes {
            for outcome in outcomes { add(outcome) }
        } else {
            for intent in composition.intents where intent.attempt != nil { count(intent.push?.event ?? .wake) }
            actions += plans.flatMap { plan in plan.steps.map { Action($0, of: plan.device) } }
        }
        for fault in composition.faults {
            failed += 1
            add(fault: "device \(fault.device): no \(fault.step.action.name): \(fault.text)")
        }
    }

    /// Says that so many tokens were kept.
    mutating func add(sparedTokens count: Int) {
        guard count > 0 else { return }
        sparedTokens += count
        add(fault: "APNs called \(count) tokens bad at once; they are kept: check apns_environment and the key")
    }

    /// Says whose starts come to nothing.
    mutating func add(suspects devices: [DeviceID]) {
        suspects += devices
        add(faults: devices.map { "device \($0): starts are accepted and the app is silent: a stale start token?" })
    }

    /// One fault of an event or an app is met on many devices, and said once.
    private mutating func note(_ fault: String) {
        if noted.count < Self.mostFaults, noted.insert(fault).inserted { add(fault: fault) }
    }

    /// Says what went wrong elsewhere.
    mutating func add(faults: [String]) { for fault in faults { add(fault: fault) } }

    private mutating func add(fault: String) {
        if told.count < Self.mostFaults { told.append(fault) } else { untold += 1 }
    }

    private mutating func count(_ step: Step) {
        switch step.action {
        case .hold: held += 1
        case .skip(let detail):
            skipped += 1
            if let detail { note(step.event.map { "event \($0): \(detail)" } ?? detail) }
        case .settle where step.reason == .noAnswer: unknown += 1
        case .settle, .rekey, .start, .update, .end, .wake: break
        }
    }

    private mutating func add(_ outcome: Outcome) {
        let event = outcome.intent.push?.event ?? .wake
        pushes[event, default: [:]][outcome.outcome.name, default: 0] += 1
        switch outcome.outcome {
        case .accepted:
            count(event)
        case .rejected(let rejection):
            failed += 1
            add(
                fault:
                    "device \(outcome.intent.device): \(event.rawValue) refused: \(rejection.status) \(rejection.reason)"
            )
            if let push = outcome.intent.push, let until = outcome.consequence.pauseLaneUntil {
                note(
                    "\(push.environment.rawValue) \(push.bundleID) is paused until \(until.rfc3339): look at its key and team"
                )
            }
        case .failed(.notProcessed(let cause)):
            failed += 1
            add(fault: "device \(outcome.intent.device): \(event.rawValue) not sent: \(cause)")
        case .failed(.unknown(let cause)):
            unknown += 1
            add(fault: "device \(outcome.intent.device): \(event.rawValue) without an answer: \(cause)")
        }
    }

    private mutating func count(_ event: Push.Event) {
        switch event {
        case .start: started += 1
        case .update: updated += 1
        case .end: ended += 1
        case .wake: woken += 1
        }
    }
}

extension TickReport.Action {
    fileprivate init(_ step: Step, of device: DeviceID) {
        self.init(
            device: device, event: step.event, occurrence: step.occurrence, action: step.action.name,
            reason: step.reason)
    }
}

extension PushOutcome {
    /// One word for metrics.
    fileprivate var name: String {
        switch self {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .failed(.notProcessed): "unprocessed"
        case .failed(.unknown): "unknown"
        }
    }
}

extension Step.Action {
    /// One word for reports.
    var name: String {
        switch self {
        case .start: "start"
        case .update: "update"
        case .end: "end"
        case .wake: "wake"
        case .hold: "hold"
        case .settle: "settle"
        case .rekey: "rekey"
        case .skip: "skip"
        }
    }
}
