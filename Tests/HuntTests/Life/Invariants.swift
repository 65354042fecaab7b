import Foundation
import LiveActivity
import Simulator

import struct Tick.TickReport

/// An invariant that broke: its name and what was seen.
struct Violation: Error, CustomStringConvertible {
    var name: String
    var detail: String
    /// Of the story.
    var second: Int
    init(_ name: String, _ detail: String, at second: Int = .max) {
        (self.name, self.detail, self.second) = (name, detail, second)
    }
    var description: String { "\(name): \(detail)" }
}

/// Everything there is to be seen after a tick.
struct View {
    var now: Date
    /// The tick ran to its end undisturbed.
    var isClean: Bool
    /// Nothing disturbed the worker or its network for so long that every retry is through.
    var isCalm: Bool
    var snapshot: SimulatorSnapshot
    /// The cards that run, by phone.
    var running: [String: [Simulator.Card]]
    var handsets: [Handset]
    var calendars: Calendars
    var ledger: Ledger
    /// Changes that the tick should have fanned out.
    var waitingChanges: Int
    /// What a fresh plan of every device would do at once.
    var debts: [String]
    /// Since the last look.
    var newRequests: [ReceivedRequest]
}

/// The worker's rows.
struct Ledger {
    struct Device {
        let id, user: String
        let startToken, wakeToken: String?
        let isEnabled, isUnregistered: Bool
        let environment: String
        let isDue, isLeased: Bool
        let revision: Int64
        /// It has its next turn in the second after the look.
        let isNext: Bool
        init(_ row: [String?]) {
            (id, user, startToken, wakeToken) = (row[0] ?? "", row[1] ?? "", row[2], row[3])
            (isEnabled, isUnregistered, environment) = (row[4] == "t", row[5] == "t", row[6] ?? "")
            (isDue, isLeased, revision) = (row[7] == "t", row[8] == "t", row[9].flatMap { Int64($0) } ?? 0)
            isNext = row[10] == "t"
        }
    }

    struct Run {
        let id, device, event, state: String
        let reason, updateToken: String?
        let startedAt: Date?
        let activity: String?
        let generation, occurrence: String
        init(_ row: [String?]) {
            (id, device, event, state) = (row[0] ?? "", row[1] ?? "", row[2] ?? "", row[3] ?? "")
            (reason, updateToken, activity) = (row[4], row[5], row[7])
            startedAt = row[6].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0) }
            (generation, occurrence) = (row[8] ?? "", row[9] ?? "")
        }
        var isLive: Bool { ["claimed", "accepted", "confirmed", "ending", "unknown"].contains(state) }
        var isOld: Bool { false }
    }

    let devices: [Device]
    let runs: [Run]

    func device(of handset: Handset) -> Device? {
        devices.first { $0.id == handset.device && $0.user == handset.user.map { "user\($0)" } }
    }
}

/// The invariants of the design, each stated once, and what they must remember.
struct Invariants {
    private var lastRequest = 0
    /// Accepted starts by run.
    private var started: Set<String> = []
    /// What was accepted for (device, occurrence, generation).
    private var identities: [String: String] = [:]
    /// The newest timestamp sent for a run.
    private var timestamps: [String: Int64] = [:]
    private var runOfToken: [String: String] = [:]
    /// Tokens that an end was accepted for.
    private var ended: Set<String> = []
    private var startTimes: [String: [Date]] = [:]
    private var wakeTimes: [String: [Date]] = [:]
    /// Since when something has been owed that nothing excuses, by what it is.
    private var owed: [String: Date] = [:]

    /// The requests that no look has seen yet.
    func new(in requests: [ReceivedRequest]) -> [ReceivedRequest] {
        Array(requests[(requests.lastIndex { $0.id <= lastRequest } ?? -1).advanced(by: 1)...])
    }

    /// The first invariant that does not hold.
    mutating func broken(in view: View) -> Violation? {
        for card in view.running.values.joined() {
            if let token = card.updateToken, let run = card.runID { runOfToken[token] = run }
        }
        for request in view.newRequests where request.kind == .end && request.isProcessed {
            if let token = request.token { ended.insert(token) }
        }
        let checks: [(String, (inout Self, View) -> String?)] = [
            ("I1 one start", { $0.oneStart($1) }), ("I2 no lost wake-up", { $0.noLostWakeUp($1) }),
            ("I3 every card is taken down", { $0.everyCardTakenDown($1) }),
            ("I6 no key, no push", { $0.noKeyNoPush($1) }), ("I7 one provider token", { $0.oneProviderToken($1) }),
            ("I10 honest states", { $0.honestStates($1) }), ("I11 order", { $0.order($1) }),
            ("budgets", { $0.budgets($1) }), ("payloads", { $0.payloads($1) }),
            ("wanted cards are there", { $0.wantedCardsAreThere($1) }), ("cards are true", { $0.cardsAreTrue($1) }),
        ]
        defer { lastRequest = view.newRequests.last?.id ?? lastRequest }
        for (name, check) in checks {
            if let detail = check(&self, view) {
                let second = Int(view.now.timeIntervalSince1970) - Story.begin
                return Violation(name, "\(view.now.rfc3339) \(detail)", at: second)
            }
        }
        return nil
    }

    // MARK: I1

    /// APNs accepts one start for a run and a (device, occurrence, generation), and no phone shows two cards of one.
    private mutating func oneStart(_ view: View) -> String? {
        if let failure = view.snapshot.scoreboard.failures.first(where: { !isDisplacedEnd($0, view) }) {
            return failure
        }
        for request in view.newRequests where request.kind == .start && request.isProcessed {
            guard let run = request.payload?["aps"]?["attributes"]?["runId"]?.string else {
                return "a start without runId"
            }
            if !started.insert(run).inserted { return "two accepted starts for run \(run)" }
        }
        for run in view.ledger.runs where started.contains(run.id) {
            let identity = "\(run.device) \(run.event) \(run.occurrence) \(run.generation)"
            if let other = identities.updateValue(run.id, forKey: identity), other != run.id, started.contains(other),
                view.ledger.runs.contains(where: {
                    $0.id == other && $0.generation == run.generation && $0.occurrence == run.occurrence
                })
            {
                return "runs \(other) and \(run.id) for \(identity)"
            }
        }
        return nil
    }

    /// Two cards where the first one's end was accepted, and lost on its way.
    ///
    /// APNs keeps one push for an offline phone, and the next card's start took the end's place. The app ends the first
    /// one when it runs next.
    private func isDisplacedEnd(_ failure: String, _ view: View) -> Bool {
        view.snapshot.cards.values.contains { card in
            failure.contains(": \(card.id) and ") && card.updateToken.map(ended.contains) ?? false
        }
    }

    // MARK: I2, I9

    /// After a clean tick no device that is free is due, no change waits, and a fresh plan finds nothing to do.
    private func noLostWakeUp(_ view: View) -> String? {
        guard view.isClean, view.isCalm else { return nil }
        if view.waitingChanges > 0 { return "\(view.waitingChanges) changes wait after a clean tick" }
        if let due = view.ledger.devices.first(where: { $0.isDue && !$0.isLeased && $0.environment == "production" }) {
            return "device \(due.id) is due after a clean tick"
        }
        return view.debts.first
    }

    // MARK: I3

    /// A card that nobody wants any more goes within minutes; within an hour and a quarter where its app must be woken
    /// first; a run is settled within 12 hours of its start.
    private mutating func everyCardTakenDown(_ view: View) -> String? {
        var debts: [String: TimeInterval] = [:]
        for handset in view.handsets where view.isCalm {
            guard let phone = view.snapshot.phones[handset.phone], phone.isOnline, phone.environment == .production
            else { continue }
            let wanted = Set(view.calendars.open(on: handset, at: view.now).map { Life.id(event: $0.event) })
            for card in view.running[handset.phone] ?? [] {
                guard let event = card.attributes["eventId"]?.string, !wanted.contains(event) else { continue }
                let run = view.ledger.runs.first { $0.id == card.runID }
                if let token = card.updateToken, ended.contains(token) { continue }
                if let token = card.updateToken, run?.updateToken == token {
                    debts["card \(card.id) of run \(card.runID ?? "-") (\(event)) on \(handset.phone)"] = 300
                } else if let run, let device = view.ledger.device(of: handset), device.id == run.device,
                    device.wakeToken == phone.wakeToken, !device.isUnregistered, phone.app.wake == .reconciles,
                    !phone.isForceQuit, handset.user != nil
                {
                    debts["tokenless card \(card.id) of run \(run.id) (\(event)) on \(handset.phone)"] = 4500
                }
            }
        }
        for run in view.ledger.runs where view.isCalm && run.isLive {
            if let startedAt = run.startedAt, startedAt + 12 * 3600 + 300 < view.now {
                return "run \(run.id) is \(run.state) 12 hours after its start"
            }
        }
        return overdue("down", debts, view)
    }

    // MARK: I6, I7, I8

    private func noKeyNoPush(_ view: View) -> String? {
        view.newRequests.first { $0.environment == .sandbox }.map { "a push without a key: \($0)" }
    }

    private func oneProviderToken(_ view: View) -> String? {
        for request in view.newRequests {
            if case .rejected(let rejection) = request.verdict,
                ["TooManyProviderTokenUpdates", "ExpiredProviderToken", "MissingProviderToken"].contains(
                    rejection.reason)
            {
                return "\(request)"
            }
        }
        return nil
    }

    /// I8: neither what goes into the log nor the summary names a token.
    func secrets(in report: TickReport, of snapshot: SimulatorSnapshot) -> Violation? {
        let text = report.faults.joined(separator: "\n") + report.json(withActions: true).description
        let long = text.firstMatch(of: /[0-9a-f]{64}|eyJ[A-Za-z0-9_-]{10}/)
        return long.map { _ in Violation("I8 secrets stay secret", "a token in what a tick reports") }
    }

    // MARK: I10

    /// `accepted` and `failed` are what APNs says too; `confirmed` needs a card.
    private func honestStates(_ view: View) -> String? {
        for run in view.ledger.runs {
            switch run.state {
            case "accepted" where !started.contains(run.id):
                return "run \(run.id) is accepted, and APNs took no start"
            case "failed" where started.contains(run.id): return "run \(run.id) is failed, and APNs took its start"
            case "confirmed" where run.activity.flatMap({ view.snapshot.cards[$0] }) == nil:
                return "run \(run.id) is confirmed, and no phone has its card"
            default: break
            }
        }
        return nil
    }

    // MARK: I11

    /// The timestamps of one run strictly increase; a tick that was asleep may be late with one, and the phone drops it.
    private mutating func order(_ view: View) -> String? {
        for request in view.newRequests where request.kind != .wake && request.isProcessed {
            let aps = request.payload?["aps"]
            guard let time = aps?["timestamp"]?.integer else { return "no timestamp: \(request)" }
            let run =
                request.kind == .start ? aps?["attributes"]?["runId"]?.string : request.token.flatMap { runOfToken[$0] }
            guard let run else { continue }
            if let last = timestamps[run], last >= time, view.isCalm || last == time {
                return "\(request.kind) of run \(run) at \(time) after \(last)"
            }
            timestamps[run] = max(time, timestamps[run] ?? 0)
        }
        return nil
    }

    // MARK: Budgets and payloads

    /// At most four starts and two wakes of a device in any hour.
    private mutating func budgets(_ view: View) -> String? {
        for request in view.newRequests where request.isProcessed {
            guard let token = request.token else { continue }
            // A clock that is set back a little may let one through early.
            if request.kind == .start {
                let recent = (startTimes[token] ?? []).filter { $0 > request.phoneTime - 3200 } + [request.phoneTime]
                startTimes[token] = recent
                if recent.count > 4 { return "five starts within an hour: \(request)" }
            } else if request.kind == .wake {
                let recent = (wakeTimes[token] ?? []).filter { $0 > request.phoneTime - 3200 } + [request.phoneTime]
                wakeTimes[token] = recent
                if recent.count > 2 { return "three wakes within an hour: \(request)" }
            }
        }
        return nil
    }

    /// Nothing that a phone drops for a fault of the sender's.
    private func payloads(_ view: View) -> String? {
        let ours: Set<DropReason> = [
            .invalidPayload, .wrongTokenKind, .wrongAttributesType, .undecodableAttributes, .undecodableContentState,
            .futureTimestamp, .staleAtBirth, .startBudget,
        ]
        for request in view.newRequests {
            if let violation = request.violations.first { return "\(violation): \(request)" }
            if case .dropped(let reason) = request.fate, ours.contains(reason), !isLateByItsClock(request, reason) {
                return "\(reason): \(request)"
            }
            if case .rejected(let rejection) = request.verdict, rejection.status == 400,
                rejection.reason != "BadDeviceToken"
            {
                return "\(rejection): \(request)"
            }
        }
        return nil
    }

    /// Whether a worker whose clock was behind sent a start in the last minutes before its close.
    private func isLateByItsClock(_ request: ReceivedRequest, _ reason: DropReason) -> Bool {
        guard reason == .staleAtBirth, let sent = request.payload?["aps"]?["timestamp"]?.integer else { return false }
        return request.phoneTime.timeIntervalSince1970 - Double(sent) > 5
    }

    // MARK: Nothing is lost

    /// Where a phone wants one card, can have it and had none of that event before, a start goes out within minutes.
    private mutating func wantedCardsAreThere(_ view: View) -> String? {
        var debts: [String: TimeInterval] = [:]
        for handset in view.handsets where view.isCalm && handset.serverStarts && !handset.owesRegistration {
            guard let phone = view.snapshot.phones[handset.phone], phone.environment == .production,
                let device = view.ledger.device(of: handset), let token = device.startToken, device.isEnabled,
                !device.isUnregistered, phone.startTokens[Life.attributesType] == token
            else { continue }
            let open = view.calendars.open(on: handset, at: view.now)
            let runs = view.ledger.runs.filter { $0.device == device.id }
            guard open.count == 1, let window = open.first, (startTimes[token] ?? []).count < 4,
                !runs.contains(where: { $0.event == Life.id(event: window.event) })
            else { continue }
            debts["no start of event \(window.event) on \(handset.phone)"] = 150
        }
        return overdue("wanted", debts, view)
    }

    /// A wanted card whose token is known shows what the calendar says, within minutes.
    private mutating func cardsAreTrue(_ view: View) -> String? {
        var debts: [String: TimeInterval] = [:]
        for handset in view.handsets where view.isCalm {
            guard view.snapshot.phones[handset.phone]?.isOnline == true else { continue }
            let open = view.calendars.open(on: handset, at: view.now)
            for card in view.running[handset.phone] ?? [] {
                guard let token = card.updateToken, let event = card.attributes["eventId"]?.string,
                    let run = view.ledger.runs.first(where: { $0.id == card.runID }), run.isLive, run.state != "ending",
                    run.updateToken == token
                else { continue }
                let windows = open.filter { Life.id(event: $0.event) == event }
                guard !windows.isEmpty else { continue }
                let isTrue = windows.contains {
                    $0.title == card.contentState["title"]?.string
                        && $0.start.timeIntervalSinceReferenceDate == card.contentState["startsAt"]?.number
                        && $0.end.timeIntervalSinceReferenceDate == card.contentState["endsAt"]?.number
                }
                if !isTrue { debts["card \(card.id) of run \(run.id) shows \(card.contentState)"] = 150 }
            }
        }
        return overdue("true", debts, view)
    }

    /// The first debt that is older than its patience; debts that are gone are forgotten.
    private mutating func overdue(_ kind: String, _ debts: [String: TimeInterval], _ view: View) -> String? {
        owed = owed.filter { !$0.key.hasPrefix(kind) || debts[String($0.key.dropFirst(kind.count))] != nil }
        for (what, patience) in debts.sorted(by: { $0.key < $1.key }) {
            let since = owed[kind + what] ?? view.now
            owed[kind + what] = since
            if view.now.timeIntervalSince(since) > patience { return "\(what), since \(since.rfc3339)" }
        }
        return nil
    }
}
