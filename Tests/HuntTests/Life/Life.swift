import APNs
import Foundation
import LiveActivity
import Planning
import PostgresStore
import Simulator
import Synchronization
import TestSupport
import Tick

@testable import cuecard

/// Plays a story on a virtual clock: the real planner and the real SQL, the simulator's phones, and an app on each.
actor Life {
    static let bundleID = "com.example.family"
    static let attributesType = "FamilyEventAttributes"

    let story: Story
    let database: VirtualDatabase
    let simulator: APNsSimulator
    let key: ProviderKey
    private let trueTime: SharedTime
    private let ids = Names()

    var calendars: Calendars
    var handsets: [Handset] = []
    private(set) var now = Date(timeIntervalSince1970: TimeInterval(Story.begin))
    private var clocks = (worker: 0, database: 0)
    /// Until then the worker may be behind, and is not to blame for it.
    private(set) var troubledUntil = Date.distantPast
    private var isStruck = false
    private var pausedUntil = Date.distantPast
    private var invariants = Invariants()
    private var known: Violation?
    private(set) var counts = Counts()

    /// What was played, for the report.
    struct Counts: Sendable {
        var ticks = 0
        var disturbed = 0
        var killed = 0
        var checks = 0
        var pushes = 0
        var starts = 0
        var refusedCalls = 0
    }

    init(_ story: Story, in database: VirtualDatabase) throws {
        self.story = story
        self.database = database
        let pair = try SigningKeyPair()
        key = try ProviderKey(teamID: "TESTTEAM01", keyID: "HUNTINGKEY", privateKey: pair.privateKeyPEM)
        let time = SharedTime()
        trueTime = time
        var options = SimulatorOptions { time.now }
        options.keys = [TrustedKey(keyID: "HUNTINGKEY", teamID: "TESTTEAM01", publicKeyPEM: pair.publicKeyPEM)]
        options.phoneClock = .reads { time.now }
        simulator = try APNsSimulator(options)
        calendars = Calendars(users: story.users)
    }

    // MARK: The story

    /// Plays it to its end and half a day beyond, in which nothing goes wrong any more.
    ///
    /// - Parameter known: A violation to be met again: nothing else is looked for, and only about then.
    /// - Returns: The first invariant that broke.
    func play(toMeet known: Violation? = nil) async throws -> Violation? {
        self.known = known
        try await database.reset()
        try await settle()
        simulator.setVoice(voice)
        try await moveIn()
        var deeds = story.deeds[...]
        let end = story.days * 86_400
        var second = 0
        while second < min(end + 13 * 3600, known.map { $0.second + 120 } ?? .max) {
            if second >= end, deeds.isEmpty == false || isStruck || clocks != (0, 0) { try await calmDown(&deeds) }
            second = try await nextMinute(after: second, deeds.first)
            if let violation = try await playMinute(second, &deeds) { return violation }
        }
        return nil
    }

    /// The next minute in which something happens, or in half an hour.
    private func nextMinute(after second: Int, _ deed: Deed?) async throws -> Int {
        let due = try await database.run(
            """
            select extract(epoch from least(
                (select min(greatest(next_due_at, '2000-01-01')) from cuecard.device where apns_environment = 'production' and next_due_at is not null),
                (select min(greatest(coalesce(not_before, '2000-01-01'), '2000-01-01')) from cuecard.change)))::bigint
            """)[0][0].flatMap { Int($0) }.map { $0 - Story.begin - clocks.worker }
        let phones = simulator.nextDue.map { Int($0.timeIntervalSince1970.rounded(.up)) - Story.begin }
        let next = [due, phones, deed?.at, second + 1800].compactMap(\.self).min() ?? second
        return max(second + 60, (next + 59) / 60 * 60)
    }

    private func playMinute(_ second: Int, _ deeds: inout ArraySlice<Deed>) async throws -> Violation? {
        var disturbance: Deed?
        while let deed = deeds.first, deed.at <= second, disturbance == nil {
            deeds.removeFirst()
            try await turnTo(deed.at)
            if deed.stopsTicks { disturbance = deed } else { try await perform(deed) }
        }
        if disturbance == nil { try await turnTo(second) }
        guard now >= pausedUntil else { return nil }
        var hasWorked = true
        if let disturbance {
            counts.disturbed += 1
            trouble(for: 45 * 60)
            var meanwhile = Array(deeds.prefix { $0.at == disturbance.at && !$0.isFault })
            deeds.removeFirst(meanwhile.count)
            if let violation = try await disturb(disturbance, &meanwhile) { return violation }
        } else {
            counts.ticks += 1
            let report = try await Tick.tick(at: decisionTime, with: clients(), settings: TickSettings(batch: 7))
            hasWorked = report.claimed > 0
            if let leak = invariants.secrets(in: report, of: simulator.snapshot) { return leak }
        }
        let violation = try await check(afterCleanTick: disturbance == nil, hasWorked: hasWorked)
        try await turnTo(Int(now.timeIntervalSince1970) - Story.begin + 10)
        return violation
    }

    /// Nothing of the violation's kind can be seen yet; no debt is patient for longer than three hours.
    private func isPointless(_ known: Violation) -> Bool {
        known.name == "I1 one start" && simulator.snapshot.scoreboard.failures.isEmpty
            || Int(now.timeIntervalSince1970) - Story.begin < known.second - 3 * 3600
    }

    private func check(afterCleanTick isClean: Bool, hasWorked: Bool) async throws -> Violation? {
        if let known, isPointless(known) { return nil }
        counts.checks += 1
        let view = try await view(isClean: isClean, hasWorked: hasWorked)
        let violation = invariants.broken(in: view)
        counts.pushes += view.newRequests.count
        counts.starts += view.newRequests.count { $0.kind == .start && $0.verdict == .accepted }
        return violation
    }

    /// Every fault ends, and every phone comes back.
    private func calmDown(_ deeds: inout ArraySlice<Deed>) async throws {
        deeds = []
        try await perform(Deed(at: 0, what: .endOfFaults))
        try await perform(Deed(at: 0, what: .clocks(worker: 0, database: 0)))
        pausedUntil = .distantPast
        for handset in handsets { try await perform(Deed(at: 0, what: .comeOnline(handset.number))) }
    }

    // MARK: Time

    /// The decision clock, which the worker's machine may have wrong.
    var decisionTime: Date { now + TimeInterval(clocks.worker) }

    /// Lets the true time pass; everything that was due on the phones happens.
    private func turnTo(_ second: Int) async throws {
        now = max(now, Date(timeIntervalSince1970: TimeInterval(Story.begin + second)))
        try await settle()
    }

    private func settle() async throws {
        trueTime.now = now
        try await database.setWall(now + TimeInterval(clocks.database))
        await simulator.settle(at: now)
    }

    private func trouble(for seconds: TimeInterval) { troubledUntil = max(troubledUntil, now + seconds) }

    func turnClocks(worker: Int, database: Int) {
        clocks = (worker, database)
        trouble(for: 300)
    }

    func strike(_ fault: Fault) {
        simulator.add(fault)
        isStruck = true
        trouble(for: 86_400)
    }

    func endFaults() {
        simulator.removeFaults()
        isStruck = false
        // The longest wait of a retry, and of a paused lane.
        troubledUntil = now + 45 * 60
    }

    func pauseTicks(minutes: Int) {
        pausedUntil = max(pausedUntil, now + TimeInterval(minutes * 60))
        troubledUntil = max(troubledUntil, pausedUntil + 300)
    }

    // MARK: Ticks

    /// Ticks that something happens to.
    private func disturb(_ deed: Deed, _ meanwhile: inout [Deed]) async throws -> Violation? {
        switch deed.what {
        case .hurry:
            _ = try await Tick.tick(at: decisionTime, with: clients(), settings: TickSettings(batch: 3, budget: .zero))
        case .kill(let place, let nth):
            let tick = steppedTick()
            var left = nth
            while left > 0, await tick.tick.step() { left -= tick.tick.place == place ? 1 : 0 }
            await tick.tick.kill()
            counts.killed += 1
            return tick.failure()
        case .overlap(let seed, let count, let outlivesLease):
            return try await overlap(seed, count, outlivesLease, &meanwhile)
        default: break
        }
        for deed in meanwhile { try await perform(deed) }
        return nil
    }

    private func overlap(
        _ seed: UInt64, _ count: Int, _ outlivesLease: Bool, _ meanwhile: inout [Deed]
    ) async throws -> Violation? {
        var random = SplitMix64(seed: seed)
        var running = (0..<count).map { _ in steppedTick() }
        var asleep: (tick: SteppedTick, failure: () -> Violation?)?
        var mayFallAsleep = outlivesLease
        while !running.isEmpty {
            let index = Int.random(in: 0..<running.count, using: &random)
            guard await running[index].tick.step() else {
                if let violation = running.remove(at: index).failure() { return violation }
                if running.isEmpty, let sleeper = asleep {
                    running = [sleeper]
                    asleep = nil
                }
                continue
            }
            switch Int.random(in: 0..<40, using: &random) {
            case 0:
                await running.remove(at: index).tick.kill()
                counts.killed += 1
            case 1...6 where !meanwhile.isEmpty:
                try await perform(meanwhile.removeFirst())
            case 7...9:
                try await turnTo(Int(now.timeIntervalSince1970) - Story.begin + 1)
            case 10...12 where mayFallAsleep:
                // Its machine stands still for longer than its lease; others go on, and then it does.
                mayFallAsleep = false
                asleep = running.remove(at: index)
                try await turnTo(Int(now.timeIntervalSince1970) - Story.begin + 100)
                running.append(steppedTick())
            default: break
            }
        }
        if let sleeper = asleep { while await sleeper.tick.step() {} }
        for deed in meanwhile { try await perform(deed) }
        return asleep?.failure()
    }

    private func steppedTick() -> (tick: SteppedTick, failure: () -> Violation?) {
        let failure = Mutex<String?>(nil)
        let box = Box(failure)
        let (moment, store) = (decisionTime, store(Connection(url: database.url)))
        let tick = SteppedTick { [self] stops in
            do {
                _ = try await Tick.tick(
                    at: moment, with: await clients(store, stops), settings: TickSettings(batch: 3))
            } catch is SteppedTick.Killed {
            } catch {
                box.value.withLock { $0 = "\(error)" }
            }
        }
        return (tick, { box.value.withLock(\.self).map { Violation("a tick failed", $0) } })
    }

    private final class Box: Sendable {
        let value: Mutex<String?>
        init(_ value: consuming sending Mutex<String?>) { self.value = value }
    }

    private func store(_ connection: Connection) -> Store {
        Store(
            connection: connection, worker: "hunt",
            lanes: [Store.Lane(environment: "production", bundleID: nil)])
    }

    private func clients() -> TickClients { clients(store(database.connection), nil) }

    /// Everything a tick does, with a stop before and after each line, and before each push.
    private func clients(_ store: Store, _ stops: SteppedTick?) -> TickClients {
        @Sendable func line<Value: Sendable>(
            _ name: String, _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            try await stops?.stop("before " + name)
            let value = try await body()
            try await stops?.stop("after " + name)
            return value
        }
        let shared = ProviderTokenStore.shared(through: store)
        let stoppedStore = ProviderTokenStore(
            load: { key in try await line("token") { try await shared.load(key) } },
            offer: { key, token in try await line("offer") { try await shared.offer(key, token) } })
        let (ids, simulator, key) = (ids, simulator, key)
        return TickClients(
            begin: { pass, now in try await line("begin") { try await store.beginTick(pass, at: now) } },
            checkReceipts: { _ in [] },
            fanOut: { try await line("fanOut") { try await store.fanOut() } },
            claim: { pass, now, limit in
                try await line("claim") { try await store.claimDue(pass, at: now, limit: limit) }
            },
            peek: { now, last, limit in try await store.peekDue(at: now, after: last, limit: limit) },
            unserved: { now in try await store.unservedLanes(at: now) },
            load: { claims, now in try await line("load") { try await store.load(claims, at: now) } },
            recordIntent: { pass, now, intents in
                try await line("recordIntent") { try await store.recordIntent(pass, at: now, intents) }
            },
            send: { pushes in
                var outcomes: [PushOutcome] = []
                for push in pushes {
                    do {
                        try await stops?.stop("before push")
                        let tokens = try ProviderTokens(store: stoppedStore, elapsed: { .zero })
                        let token = try await tokens.token(for: key)
                        outcomes.append(simulator.judge(push, bearer: token.jwt))
                    } catch {
                        outcomes.append(.failed(.notProcessed("\(error)")))
                    }
                }
                return outcomes
            },
            wakeThroughExpo: { $0.map { _ in ExpoWake.Answer(.failed(.notProcessed("there is no Expo here"))) } },
            recordOutcomes: { now, outcomes in
                try await line("recordOutcomes") { try await store.recordOutcomes(at: now, outcomes) }
            },
            reschedule: { pass, plans in try await line("reschedule") { try await store.reschedule(pass, plans) } },
            finish: { pass, report in
                try await line("finish") { try await store.finishTick(pass, summary: report.json().description) }
            },
            newID: { ids.next() },
            elapsed: { .zero })
    }

    // MARK: What the invariants look at

    private func view(isClean: Bool, hasWorked: Bool) async throws -> View {
        let devices = try await database.run(
            """
            select id, user_id, push_to_start_token, wake_token, live_activities_enabled, unregistered_at is not null,
                apns_environment, next_due_at <= '\(decisionTime.rfc3339)', coalesce(claimed_until > clock_timestamp(), false),
                revision, next_due_at <= '\((decisionTime + 1).rfc3339)'
            from cuecard.device
            """)
        let runs = try await database.run(
            """
            select id, device_id, event_id, state, reason, update_token, extract(epoch from started_at)::bigint, activity_id,
                generation, occurrence, extract(epoch from retry_at)::bigint
            from cuecard.run where settled_at is null or settled_at > clock_timestamp() - interval '3 days'
            """)
        let changes = try await database.run("select count(*) from cuecard.change where not_before is null")[0][0]
        let ledger = Ledger(devices: devices.map(Ledger.Device.init), runs: runs.map(Ledger.Run.init))
        return View(
            now: now, isClean: isClean, isCalm: now >= troubledUntil, snapshot: simulator.snapshot,
            running: Dictionary(
                grouping: handsets.flatMap { simulator.cards(on: $0.phone) }.filter(\.isRunning), by: \.phoneID),
            handsets: handsets,
            calendars: calendars, ledger: ledger, waitingChanges: changes.flatMap { Int($0) } ?? 0,
            debts: isClean && now >= troubledUntil && (hasWorked || counts.checks % 5 == 0)
                ? try await debts(of: ledger) : [],
            newRequests: invariants.new(in: simulator.requests))
    }

    /// What a fresh plan of every device would do now.
    private func debts(of ledger: Ledger) async throws -> [String] {
        let claims = ledger.devices.filter { $0.environment == "production" && !$0.isLeased }.compactMap { device in
            UUID(uuidString: device.id).map { Claim(device: DeviceID($0), revision: device.revision) }
        }
        let next = Set(ledger.devices.filter(\.isNext).map(\.id))
        let snapshots = try await store(database.connection).load(claims, at: decisionTime)
        return snapshots.compactMap { snapshot in
            let debts = decide(snapshot, at: decisionTime).steps.filter { step in
                switch step.action {
                case .hold, .skip: false
                // A card takes its place after the tick that took the former one down.
                case .start: !(step.reason == .cardGone && next.contains(snapshot.device.id.description))
                // The same state for another reason: nothing is owed to anybody.
                case .settle(let run, let settlement) where !settlement.isGone && settlement.startedAt == nil:
                    snapshot.runs.first { $0.id == run }?.state != settlement.state
                default: true
                }
            }
            let words = debts.map {
                "\($0.reason) \("\($0.action)".prefix(60)) of event \($0.event.map { "\($0)" } ?? "-")"
            }
            return debts.isEmpty ? nil : "\(snapshot.device.id): " + words.joined(separator: "; ")
        }
    }

    func count(refused: Int) { counts.refusedCalls += refused }
}

extension Deed {
    /// Whether it is about how the tick of its minute goes.
    fileprivate var stopsTicks: Bool {
        switch what {
        case .kill, .overlap, .hurry: true
        default: false
        }
    }
}

/// The true time, which the phones and APNs read.
final class SharedTime: Sendable {
    private let moment = Mutex(Date(timeIntervalSince1970: TimeInterval(Story.begin)))
    var now: Date {
        get { moment.withLock(\.self) }
        set { moment.withLock { $0 = newValue } }
    }
}

/// Ids that are the same each time a story is played.
private final class Names: Sendable {
    private let random = Mutex(SplitMix64(seed: 1))
    func next() -> UUID {
        random.withLock { random in
            let bytes = (random.next(), random.next())
            return withUnsafeBytes(of: bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        }
    }
}
