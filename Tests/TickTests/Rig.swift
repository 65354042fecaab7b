import Foundation
import LiveActivity
import Planning
import Recurrence
import Synchronization
import Tick

/// What a tick called, in order, and what it handed over.
final class Calls: Sendable {
    struct Seen {
        var names: [String] = []
        var recorded: [Intent] = []
        var pushes: [Push] = []
        var expoWakes: [ExpoWake] = []
        var outcomes: [Outcome] = []
        var plans: [DevicePlan] = []
        var finished: [TickReport] = []
        var elapsed: Duration = .zero
        var ids = 0
    }
    private let seen = Mutex(Seen())

    var now: Seen { seen.withLock { $0 } }
    func note(_ name: String, _ change: (inout Seen) -> Void = { _ in }) {
        seen.withLock {
            $0.names.append(name)
            change(&$0)
        }
    }
    func with<Value>(_ body: (inout Seen) -> Value) -> Value { seen.withLock { body(&$0) } }
}

struct Failure: Error, Equatable { var at: String }

/// A store, an APNs and an Expo of closures, with one batch of devices that are due.
struct Rig {
    let calls = Calls()
    var snapshots: [DeviceSnapshot]
    var unserved = UnservedLanes()
    /// The call that throws.
    var failing: String?
    /// Which intents the store clears.
    var clears: @Sendable (Intent) -> Bool = { _ in true }
    var answer: @Sendable (Push) -> PushOutcome = { _ in .accepted }
    /// Changes that wait to be fanned out.
    var changes = 0
    /// What each batch costs.
    var batchTime: Duration = .zero
    var fanOutTime: Duration = .zero
    var receipts: [Opening.Receipt] = []
    /// What the store calls suspect.
    var suspects: [DeviceID] = []
    /// How many batches are due.
    var batches = 1

    init(_ snapshots: [DeviceSnapshot]) { self.snapshots = snapshots }

    var clients: TickClients {
        let (rig, calls) = (self, calls)
        @Sendable func call(_ name: String, _ change: (inout Calls.Seen) -> Void = { _ in }) throws {
            calls.note(name, change)
            if rig.failing == name { throw Failure(at: name) }
        }
        let claims = snapshots.map { Claim(device: $0.device.id, revision: $0.device.revision) }
        return TickClients(
            begin: { _, _ in
                try call("begin")
                return Opening(unserved: rig.unserved, receipts: rig.receipts)
            },
            checkReceipts: { receipts in
                try call("checkReceipts")
                return receipts.map { "asked for \($0.receipt)" }
            },
            fanOut: {
                try call("fanOut") { $0.elapsed += rig.fanOutTime }
                return calls.now.names.count { $0 == "fanOut" } <= rig.changes
            },
            claim: { _, _, _ in
                try call("claim")
                return calls.now.names.count { $0 == "claim" } <= rig.batches ? claims : []
            },
            peek: { _, last, _ in
                try call("peek")
                return last == nil ? claims : []
            },
            unserved: { _ in
                try call("unserved")
                return rig.unserved
            },
            load: { _, _ in
                try call("load")
                return rig.snapshots
            },
            recordIntent: { _, _, intents in
                try call("recordIntent") { $0.recorded += intents }
                return Set(intents.filter(rig.clears).compactMap(\.attempt))
            },
            send: { pushes in
                calls.note("send") { $0.pushes += pushes }
                return pushes.map(rig.answer)
            },
            wakeThroughExpo: { wakes in
                calls.note("wakeThroughExpo") { $0.expoWakes += wakes }
                return wakes.map { ExpoWake.Answer(.accepted, receipt: "r-\($0.token)") }
            },
            recordOutcomes: { _, outcomes in
                try call("recordOutcomes") { $0.outcomes += outcomes }
                return rig.suspects
            },
            reschedule: { _, plans in
                try call("reschedule") {
                    $0.plans += plans
                    $0.elapsed += rig.batchTime
                }
            },
            finish: { _, report in try call("finish") { $0.finished.append(report) } },
            newID: {
                calls.with {
                    $0.ids += 1
                    return uuid($0.ids)
                }
            },
            elapsed: { calls.now.elapsed })
    }
}

/// The UUID that ends with this number.
func uuid(_ number: Int) -> UUID {
    let digits = String(number)
    return UUID(uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!
}

/// 2026-03-02, 09:30 UTC.
let now = Date(timeIntervalSince1970: 1_772_443_800)

extension DeviceSnapshot {
    /// A device with an event at ten o'clock, half an hour from now.
    static func due(
        device number: Int = 1, runs: [Run] = [], wakeToken: String? = "bb01", expoToken: String? = nil,
        title: String = "Talk",
        rrule: String? = nil
    ) throws -> DeviceSnapshot {
        DeviceSnapshot(
            device: Device(
                id: DeviceID(uuid(number)), revision: 5, userID: "ada", bundleID: "app.example",
                environment: .production,
                startToken: PushToken("aa01"), wakeToken: wakeToken.flatMap { PushToken($0) }, expoToken: expoToken,
                zone: try Zone.named("UTC"), locale: "en", showsPersonal: true, showsShared: true, isEnabled: true,
                takesInputPushToken: true, isUnregistered: false, isSilent: false),
            app: AppPolicy(bundleID: "app.example", template: .success(try CardTemplate(attributesType: "Trip"))),
            events: [
                Event(
                    id: EventID(uuid(70)), kind: .personal, title: title,
                    startsAt: LocalDateTime("2026-03-02T10:00:00")!,
                    duration: NominalDuration(seconds: 3600), timeZone: "UTC", rrule: rrule)
            ], runs: runs)
    }
}

extension Run {
    /// A card whose event was deleted, half an hour old.
    static func orphan(_ number: Int, token: String?) -> Run {
        Run(
            id: RunID(uuid(number)), userID: "ada", eventID: EventID(uuid(number)),
            occurrence: LocalDateTime("2026-03-02T09:45:00")!,
            generation: 1, state: .confirmed, updateToken: token.flatMap { PushToken($0) },
            startedAt: now - 1800, startExpiresAt: now, isConfirmed: true, eventExists: false)
    }
}
