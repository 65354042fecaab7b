import Foundation
import LiveActivity
import PostgresStore
import Simulator

/// What the backend, the people and their apps do.
extension Life {
    /// The calendars and the phones at the story's begin.
    func moveIn() async throws {
        var script =
            "insert into cuecard.app (bundle_id, attributes_type) values ('\(Self.bundleID)', '\(Self.attributesType)');"
        for calendar in 0..<story.users + story.users / 2 {
            let kind = calendars.isShared(calendar) ? "shared" : "personal"
            script +=
                "insert into cuecard.calendar (id, owner_id, kind) values ('\(Self.id(calendar: calendar))', 'user\(calendars.owner(of: calendar))', '\(kind)');"
            for member in calendars.members[calendar] ?? [] {
                script +=
                    "insert into cuecard.calendar_member (calendar_id, user_id) values ('\(Self.id(calendar: calendar))', 'user\(member)');"
            }
        }
        try await database.run(script)
        for number in 0..<story.phones {
            handsets.append(
                Handset(
                    number: number, phone: "phone-\(number)", device: Self.id(device: number),
                    user: number % story.users,
                    zone: Story.zones[number % Story.zones.count], takesStarts: number % 8 != 7))
            simulator.add(phone(number, named: "phone-\(number)"))
            try await register(number)
        }
    }

    static func id(calendar: Int) -> String { "cccccccc-0000-4000-8000-\(100_000_000_000 + calendar)" }
    static func id(event: Int) -> String { "eeeeeeee-0000-4000-8000-\(100_000_000_000 + event)" }
    static func id(device: Int) -> String { "dddddddd-0000-4000-8000-\(100_000_000_000 + device)" }
    static func event(id: String) -> Int? { Int(id.suffix(12)).map { $0 - 100_000_000_000 } }

    /// Every eighth phone is too old for starts by push, one in twelve has no key here, and the apps differ.
    private func phone(_ number: Int, named name: String) -> Phone {
        var app = AppBehaviour()
        app.updateToken = [.after(2), .after(2), .after(40), .afterAllow, .whenRun, .after(2), .never][number % 7]
        app.confirmsStarts = number % 3 == 0
        app.wake = number % 7 == 6 ? .ignores : .reconciles
        app.reportsDismissals = number % 5 != 4
        app.reportsEndings = number % 2 == 0
        app.answerForDeadTokens = number % 4 < 2 ? Rejection(410, "ExpiredToken") : nil
        let state = ContentShape.object([
            "title": .string, "location": .optional(.string), "startsAt": .date, "endsAt": .date, "phase": .string,
            "details": .any,
        ])
        let attributes = ContentShape.object(["runId": .string, "eventId": .string])
        return Phone(
            id: name, environment: number % 12 == 11 ? .sandbox : .production, bundleID: Self.bundleID,
            attributesTypes: [Self.attributesType: Phone.AttributesType(attributes: attributes, contentState: state)],
            systemVersion: number % 8 == 7 ? 17.0 : 18.2, app: app)
    }

    /// Does one thing of the story, if what it is about is there.
    func perform(_ deed: Deed) async throws {
        switch deed.what {
        case .add, .retitle, .move, .delete, .override, .join, .leave, .spoil: try await write(deed.what)
        case .apns(let effect, let kinds, let times): strike(Fault(effect, kinds: kinds, times: times))
        case .endOfFaults: endFaults()
        case .pause(let minutes): pauseTicks(minutes: minutes)
        case .clocks(let worker, let database): turnClocks(worker: worker, database: database)
        case .kill, .overlap, .hurry: break
        default: try await live(deed.what)
        }
    }

    // MARK: The backend

    private func write(_ what: Deed.What) async throws {
        switch what {
        case .add(let event, let plan):
            calendars.events[event] = Calendars.Event(plan: plan, title: "Event \(event)")
            let zone = plan.zone.map { "'\($0)'" } ?? "null"
            let rule = plan.every.map { "'FREQ=DAILY;INTERVAL=\($0)'" } ?? "null"
            try await database.run(
                """
                insert into cuecard.event (id, calendar_id, title, starts_at, duration, time_zone, rrule)
                values ('\(Self.id(event: event))', '\(Self.id(calendar: plan.calendar))', 'Event \(event)',
                    \(local(plan.start)), '\(plan.minutes) minutes', \(zone), \(rule))
                """)
        case .retitle(let event, let title):
            guard calendars.events[event] != nil else { return }
            calendars.events[event]?.title = title
            try await database.run("update cuecard.event set title = '\(title)' where id = '\(Self.id(event: event))'")
        case .move(let event, let minutes):
            guard calendars.events[event] != nil else { return }
            calendars.events[event]?.plan.start += minutes * 60
            try await database.run(
                "update cuecard.event set starts_at = starts_at + interval '\(minutes) minutes' where id = '\(Self.id(event: event))'"
            )
        case .delete(let event, let isHard):
            guard calendars.events.removeValue(forKey: event) != nil else { return }
            try await database.run(
                isHard
                    ? "delete from cuecard.event where id = '\(Self.id(event: event))'"
                    : "update cuecard.event set deleted_at = clock_timestamp() where id = '\(Self.id(event: event))'")
        case .override(let event, let nth, let change): try await override(event, nth, change)
        case .join(let user, let calendar):
            calendars.members[calendar, default: []].insert(user)
            try await database.run(
                "insert into cuecard.calendar_member values ('\(Self.id(calendar: calendar))', 'user\(user)') on conflict do nothing"
            )
        case .leave(let user, let calendar):
            calendars.members[calendar]?.remove(user)
            try await database.run(
                "delete from cuecard.calendar_member where calendar_id = '\(Self.id(calendar: calendar))' and user_id = 'user\(user)'"
            )
        case .spoil(let event, let calendar):
            try await database.run(
                """
                insert into cuecard.event (id, calendar_id, title, starts_at, duration, time_zone, rrule)
                values ('\(Self.id(event: event))', '\(Self.id(calendar: calendar))', 'Bad', \(local(Story.begin)), '1 day',
                    \(event % 2 == 0 ? "'Mars/Olympus', null" : "'UTC', 'FREQ=SOMETIMES'"))
                """)
        default: break
        }
    }

    private func override(_ event: Int, _ nth: Int, _ change: Deed.Change) async throws {
        guard let original = calendars.occurrence(event, nth: nth) else { return }
        calendars.events[event]?.overrides[original] = change
        let columns: String
        switch change {
        case .none:
            calendars.events[event]?.overrides[original] = nil
            try await database.run(
                "delete from cuecard.event_override where event_id = '\(Self.id(event: event))' and occurrence = \(local(original))"
            )
            return
        case .cancelled: columns = "true, null, null"
        case .moved(let minutes): columns = "false, \(local(original + minutes * 60)), null"
        case .retitled(let title): columns = "false, null, '\(title)'"
        }
        try await database.run(
            """
            insert into cuecard.event_override (event_id, occurrence, cancelled, starts_at, title)
            values ('\(Self.id(event: event))', \(local(original)), \(columns))
            on conflict (event_id, occurrence) do update
            set cancelled = excluded.cancelled, starts_at = excluded.starts_at, title = excluded.title
            """)
    }

    private func local(_ seconds: Int) -> String {
        "timestamp '\(Date(timeIntervalSince1970: TimeInterval(seconds)).rfc3339.dropLast())'"
    }

    // MARK: People and phones

    private func live(_ what: Deed.What) async throws {
        switch what {
        case .travel(let number, let zone):
            handsets[number].zone = zone
            try await register(number)
        case .wishes(let number, let personal, let shared):
            (handsets[number].personal, handsets[number].shared) = (personal, shared)
            try await register(number)
        case .switchLiveActivities(let number, let isOn):
            try simulator.change(phone: handsets[number].phone) { $0.allowsLiveActivities = isOn }
            try await register(number)
        case .rotateStartToken(let number):
            try simulator.rotateStartToken(phone: handsets[number].phone, attributesType: Self.attributesType)
            try await register(number)
        case .rotateUpdateToken(let number):
            if let card = cards(number).last(where: \.isRunning) { try simulator.rotateUpdateToken(card: card.id) }
        case .logOut(let number): try await logOut(number)
        case .logIn(let number, let user): try await logIn(number, as: user)
        case .reinstall(let number): try await reinstall(number)
        case .forgetID(let number):
            handsets[number].installs += 1
            handsets[number].device = Self.id(device: number + 1000 * handsets[number].installs)
            try await register(number)
        case .goOffline(let number): try simulator.setOnline(false, phone: handsets[number].phone)
        case .comeOnline(let number):
            try simulator.setOnline(true, phone: handsets[number].phone)
            if handsets[number].owesRegistration { try await register(number) }
        case .open(let number):
            try simulator.open(phone: handsets[number].phone)
            await simulator.settle(at: now)
            try await register(number)
        case .forceQuit(let number): try simulator.change(phone: handsets[number].phone) { $0.isForceQuit = true }
        case .dismiss(let number):
            if let card = cards(number).last(where: \.isOnScreen) { try simulator.dismiss(card: card.id) }
        case .allow(let number):
            if let card = cards(number).last(where: \.isRunning) { try simulator.allow(card: card.id) }
        case .startByApp(let number): try await startByApp(number)
        default: break
        }
        await simulator.settle(at: now)
    }

    func cards(_ number: Int) -> [Simulator.Card] { simulator.cards(on: handsets[number].phone) }

    private func logOut(_ number: Int) async throws {
        guard let user = handsets[number].user, isOnline(number), !handsets[number].owesRegistration else { return }
        _ = try await call(user, "unregister_device('\(handsets[number].device)')")
        handsets[number].user = nil
    }

    private func logIn(_ number: Int, as user: Int) async throws {
        guard handsets[number].user != user, isOnline(number) else { return }
        handsets[number].user = user
        (handsets[number].personal, handsets[number].shared) = (true, true)
        try await register(number)
    }

    private func reinstall(_ number: Int) async throws {
        guard isOnline(number) else { return }
        try simulator.uninstall(phone: handsets[number].phone)
        handsets[number].installs += 1
        handsets[number].phone = "phone-\(number)-\(handsets[number].installs)"
        handsets[number].device = Self.id(device: number + 1000 * handsets[number].installs)
        simulator.add(phone(number, named: handsets[number].phone))
        try await register(number)
    }

    /// Where the server starts nothing, the app does so itself when it is opened, and has one card at a time.
    private func startByApp(_ number: Int) async throws {
        let handset = handsets[number]
        guard isOnline(number), handset.user != nil, !handset.takesStarts, !cards(number).contains(where: \.isRunning),
            let window = calendars.open(on: handset, at: now).min(by: { $0.event < $1.event }),
            let plan = calendars.events[window.event]?.plan, plan.every == nil
        else { return }
        let original = Date(timeIntervalSince1970: TimeInterval(plan.start)).rfc3339.dropLast()
        let dates = ["startsAt": window.start, "endsAt": window.end].mapValues {
            JSON.double($0.timeIntervalSinceReferenceDate)
        }
        let state = dates.merging(["title": .string(window.title), "phase": "upcoming", "details": .object([:])]) { $1 }
        let card = LocalCard(
            eventID: Self.id(event: window.event), occurrence: String(original), attributesType: Self.attributesType,
            attributes: .object(["eventId": .string(Self.id(event: window.event)), "runId": ""]),
            contentState: .object(state))
        let id = try simulator.start(card, on: handset.phone)
        // The app in the foreground has the card's token at once.
        try simulator.allow(card: id)
    }

    // MARK: The app's calls

    func isOnline(_ number: Int) -> Bool { simulator.phone(handsets[number].phone)?.isOnline ?? false }

    /// Tells the server all the app knows, and of each run that the phone has no card of.
    func register(_ number: Int) async throws {
        handsets[number].owesRegistration = true
        guard let user = handsets[number].user, isOnline(number), let phone = simulator.phone(handsets[number].phone)
        else {
            return
        }
        let handset = handsets[number]
        let start =
            handset.takesStarts && phone.allowsLiveActivities ? phone.startTokens[Self.attributesType] ?? "" : ""
        let answer = try await call(
            user,
            """
            register_device(device_id => '\(handset.device)', bundle_id => '\(Self.bundleID)',
                apns_environment => '\(phone.environment.rawValue)', time_zone => '\(handset.zone)', locale => 'ko-KR',
                push_to_start_token => '\(start)', wake_token => '\(phone.wakeToken)',
                shows_personal => \(handset.personal), shows_shared => \(handset.shared),
                live_activities_enabled => \(phone.allowsLiveActivities), os_version => '\(phone.systemVersion)')
            """)
        guard let answer else {
            // The row is another account's: the app takes a new id, as the hint says.
            handsets[number].installs += 1
            handsets[number].device = Self.id(device: number + 1000 * handsets[number].installs)
            return try await register(number)
        }
        handsets[number].owesRegistration = false
        handsets[number].serverStarts = answer["server_starts"] == true
        let known = Set(cards(number).compactMap(\.runID))
        for run in answer["runs"]?.array ?? [] {
            guard let id = run["run_id"]?.string, !known.contains(id) else { continue }
            _ = try await call(user, "report_activity('\(id)', null, 'missing')")
        }
    }

    /// Nil: the call was refused with 42501.
    private func call(_ user: Int, _ call: String) async throws -> JSON? {
        do {
            let text = try await database.rpc("user\(user)", call)
            return text.isEmpty ? .null : try JSON(parsing: text)
        } catch PostgresError.refused(let refusal) where refusal.code == "42501" {
            count(refused: 1)
            return nil
        }
    }

    /// How the apps reach the server.
    var voice: PhoneVoice {
        PhoneVoice(
            registerActivity: { [self] in try await say($0) },
            reportActivity: { [self] report in
                try await say(
                    report.phoneID, "report_activity('\(report.runID)', '\(report.activityID)', '\(report.state)')")
            })
    }

    private func say(_ registration: PhoneVoice.Registration) async throws -> PhoneVoice.Answer {
        let token = registration.updateToken.map { "'\($0)'" } ?? "null"
        let card = "activity_id => '\(registration.activityID)', update_token => \(token)"
        switch registration.origin {
        case .push(let run):
            return try await say(registration.phoneID, "register_activity(run_id => '\(run ?? "")', \(card))")
        case .app(let event, let occurrence):
            let device = handsets.first { $0.phone == registration.phoneID }?.device ?? ""
            return try await say(
                registration.phoneID,
                "register_activity(device_id => '\(device)', event_id => '\(event)', occurrence => '\(occurrence)', \(card))"
            )
        }
    }

    private struct SignedOut: Error {}

    private func say(_ phone: String, _ words: String) async throws -> PhoneVoice.Answer {
        guard let user = handsets.first(where: { $0.phone == phone })?.user else { throw SignedOut() }
        // Refused: the run is nobody's here any more, and neither is the card.
        guard let answer = try await call(user, words) else { return PhoneVoice.Answer(state: "unknown", end: true) }
        return PhoneVoice.Answer(state: answer["state"]?.string ?? "", end: answer["end"] == true)
    }
}
