import Foundation
import LiveActivity
import Simulator
import Testing

/// The apps on the phones, the people in front of them, and the tokens.
@Suite struct AppTests {
    @Test func theAppEndsACardThatTheServerDoesNotWant() async throws {
        let bench = try PhoneBench()
        try bench.start()
        bench.backend.end(try bench.card().id)
        await bench.pass(2)
        #expect(try bench.card().state == .gone)
        #expect(bench.backend.reports.map(\.state) == ["ended"])
        #expect(bench.backend.reports.first?.runID == "run-1")
    }

    @Test func theTokenMayComeLateOrNever() async throws {
        var app = AppBehaviour()
        app.updateToken = .afterAllow
        let bench = try PhoneBench(app: app)
        try bench.start()
        await bench.pass(7200)
        #expect(bench.backend.registrations == [])
        try bench.simulator.allow(card: bench.card().id)
        await bench.simulator.settle()
        #expect(bench.backend.registrations.map(\.updateToken) == [try bench.card().updateToken])
        #expect(try bench.card().updateToken != nil)

        app.updateToken = .never
        let other = try PhoneBench(app: app)
        try other.start()
        await other.pass(3600)
        try other.simulator.open(phone: "alice")
        await other.pass(1)
        #expect(other.backend.registrations.map(\.updateToken) == [nil])
    }

    @Test func theTokenMayWaitForTheAppToRun() async throws {
        var app = AppBehaviour()
        app.updateToken = .whenRun
        let bench = try PhoneBench(app: app)
        try bench.start()
        await bench.pass(600)
        #expect(bench.backend.registrations == [])
        try bench.wake()
        await bench.pass(1)
        #expect(bench.backend.registrations.count == 1)
        #expect(bench.backend.registrations.first?.updateToken == (try bench.card().updateToken))
    }

    @Test func aForcedQuitKeepsTheTokenBackUntilTheAppIsOpened() async throws {
        let bench = try PhoneBench()
        try bench.simulator.change(phone: "alice") { $0.isForceQuit = true }
        #expect(try bench.start() == .delivered)
        await bench.pass(600)
        #expect(try bench.card().updateToken == nil)
        try bench.simulator.open(phone: "alice")
        await bench.simulator.settle()
        #expect(bench.backend.registrations.map(\.updateToken) == [try bench.card().updateToken])
        #expect(try bench.card().updateToken != nil)
    }

    @Test func anOfflineAppSpeaksWhenItIsBack() async throws {
        let bench = try PhoneBench()
        try bench.start()
        try bench.simulator.setOnline(false, phone: "alice")
        await bench.pass(600)
        #expect(try bench.card().updateToken != nil)
        #expect(bench.backend.registrations == [])
        bench.backend.end(try bench.card().id)
        try bench.simulator.setOnline(true, phone: "alice")
        await bench.simulator.settle()
        #expect(bench.backend.registrations.count == 1)
        #expect(try bench.card().endedAt == bench.clock.now)
    }

    @Test func switchingLiveActivitiesOffTakesTheCardsAway() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        try bench.simulator.change(phone: "alice") { $0.allowsLiveActivities = false }
        #expect(try bench.card().state == .gone)
        let body = Payload.update(timestamp: "\(bench.time(1))", state: bench.content())
        #expect(try bench.update(token, body) == .dropped(.activityOver))
        #expect(bench.backend.reports == [])
    }

    @Test func theAppMayConfirmBeforeItsToken() async throws {
        var app = AppBehaviour()
        app.confirmsStarts = true
        app.updateToken = .after(30)
        let bench = try PhoneBench(app: app)
        try bench.start()
        await bench.pass(60)
        #expect(bench.backend.registrations.map { $0.updateToken == nil } == [true, false])
    }

    @Test func aWakeLetsTheAppReconcile() async throws {
        var app = AppBehaviour()
        app.updateToken = .never
        let bench = try PhoneBench(app: app)
        try bench.start()
        let first = try bench.card().id
        try bench.start(run: "run-2", event: "event-2")
        bench.backend.end(first)
        #expect(try bench.wake() == .delivered)
        await bench.pass(1)
        #expect(Set(bench.backend.registrations.map(\.activityID)) == Set(bench.simulator.cards(on: "alice").map(\.id)))
        #expect(bench.simulator.cards(on: "alice").map(\.isRunning) == [false, true])
        #expect(bench.backend.reports.map(\.activityID) == [first])
        // Past its close, the app ends the other one without asking.
        await bench.pass(5400)
        try bench.wake()
        await bench.pass(1)
        #expect(bench.simulator.cards(on: "alice").map(\.state) == [.gone, .gone])
        #expect(bench.backend.reports.map(\.state) == ["ended", "ended"])
        #expect(bench.simulator.snapshot.scoreboard.woken == 2)
    }

    @Test func anAppMayIgnoreWakes() async throws {
        var app = AppBehaviour()
        app.wake = .ignores
        app.updateToken = .never
        let bench = try PhoneBench(app: app)
        try bench.start()
        #expect(try bench.wake() == .delivered)
        await bench.pass(60)
        #expect(bench.backend.registrations == [])
    }

    @Test func theSystemHoldsWakesBack() async throws {
        let bench = try PhoneBench()
        for _ in 0..<3 { #expect(try bench.wake() == .delivered) }
        #expect(try bench.wake() == .dropped(.wakeHeldBack))
        await bench.pass(3600)
        #expect(try bench.wake() == .delivered)
        try bench.simulator.change(phone: "alice") { $0.isForceQuit = true }
        #expect(try bench.wake() == .dropped(.wakeHeldBack))
        try bench.simulator.open(phone: "alice")
        #expect(try bench.wake() == .delivered)
    }

    @Test func aDismissalIsReported() async throws {
        let bench = try PhoneBench()
        let (card, token) = try await bench.runningCard()
        try bench.simulator.open(phone: "alice", card: card.id)
        try bench.simulator.dismiss(card: card.id)
        await bench.simulator.settle()
        #expect(bench.backend.reports.map(\.state) == ["opened", "dismissed"])
        #expect(try bench.card().state == .dismissed)
        let body = Payload.update(timestamp: "\(bench.time(1))", state: bench.content())
        #expect(try bench.update(token, body) == .dropped(.activityOver))

        try bench.simulator.change(phone: "alice") {
            $0.app.reportsDismissals = false
            $0.app.answerForDeadTokens = Rejection(410, "Unregistered")
        }
        let (silent, dead) = try await bench.runningCard()
        try bench.simulator.dismiss(card: silent.id)
        await bench.simulator.settle()
        #expect(bench.backend.reports.count == 2)
        let outcome = try bench.client.send(bench.updateDraft(dead, body).request)
        #expect(outcome.status == 410)
        #expect(outcome.reason == "Unregistered")
    }

    @Test func endingsAreReportedWhereTheAppDoesSo() async throws {
        var app = AppBehaviour()
        app.reportsEndings = true
        let bench = try PhoneBench(app: app)
        let (_, token) = try await bench.runningCard()
        try bench.update(token, Payload.update("end", timestamp: "\(bench.time(1))", state: bench.content()))
        await bench.simulator.settle()
        #expect(bench.backend.reports.map(\.state) == ["ended"])
    }

    @Test func aFailedCallIsTriedThreeTimes() async throws {
        let bench = try PhoneBench()
        bench.backend.goDown(true)
        try bench.start()
        await bench.pass(31)
        #expect(bench.backend.registrations.count == 1)
        await bench.pass(1)
        #expect(bench.backend.registrations.count == 2)
        bench.backend.goDown(false)
        await bench.pass(3600)
        #expect(bench.backend.registrations.count == 3)
        #expect(bench.simulator.snapshot.scoreboard.failedCalls == 2)
        bench.backend.goDown(true)
        try bench.start(run: "run-2", event: "event-2")
        await bench.pass(3600)
        #expect(bench.backend.registrations.count == 6)
    }

    @Test func theAppMayStartACardItself() async throws {
        let bench = try PhoneBench()
        let attributes = try JSON(parsing: #"{"eventId":"event-1"}"#)
        let content = try JSON(parsing: bench.content())
        let draft = LocalCard(
            eventID: "event-1", occurrence: "2026-05-28T21:00:00", attributesType: "EventAttributes",
            attributes: attributes, contentState: content)
        let id = try bench.simulator.start(draft, on: "alice")
        await bench.pass(2)
        let registration = try #require(bench.backend.registrations.first)
        #expect(registration.origin == .app(eventID: "event-1", occurrence: "2026-05-28T21:00:00"))
        #expect(registration.activityID == id)
        // The server's answer names the run, by which the app reports from now on.
        try bench.simulator.dismiss(card: id)
        await bench.simulator.settle()
        #expect(bench.backend.reports.map(\.runID) == ["run-of-server"])
    }

    @Test func anOfflinePhoneGetsTheNewestPushAlone() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        try bench.simulator.setOnline(false, phone: "alice")
        let update = { (title: String, offset: Int) in
            Payload.update(timestamp: "\(bench.time(offset))", state: bench.content(title))
        }
        let expiring = { (body: String, seconds: Int) in
            bench.updateDraft(token, body).with("apns-expiration", "\(bench.time(seconds))")
        }
        #expect(try bench.push(expiring(update("One", 1), 600)) == .stored)
        #expect(try bench.push(expiring(update("Two", 2), 600)) == .stored)
        // A push that cannot wait does not displace one that does.
        let impatient = bench.updateDraft(token, update("Three", 3)).with("apns-expiration", "0")
        #expect(try bench.push(impatient) == .dropped(.expired))
        await bench.pass(599)
        try bench.simulator.setOnline(true, phone: "alice")
        #expect(try bench.card().contentState["title"] == .string("Two"))
        let fates = bench.simulator.requests.map(\.fate)
        #expect(fates.suffix(3) == [.dropped(.displaced), .delivered, .dropped(.expired)])

        try bench.simulator.setOnline(false, phone: "alice")
        #expect(try bench.push(expiring(update("Four", 4), 60)) == .stored)
        await bench.pass(61)
        try bench.simulator.setOnline(true, phone: "alice")
        #expect(bench.simulator.requests.last?.fate == .dropped(.expired))
        #expect(try bench.card().contentState["title"] == .string("Two"))
    }

    @Test func aTokenBelongsToOneEnvironmentAndTopic() throws {
        let bench = try PhoneBench(environment: .sandbox)
        #expect(try bench.start() == .delivered)
        let production = try HTTP2Client(
            port: bench.simulator.productionPort, authorityPEM: bench.simulator.authorityPEM)
        #expect(try production.send(bench.startDraft().request).reason == "BadDeviceToken")
        let reasons = try [
            bench.startDraft().with("apns-topic", "app.other.push-type.liveactivity"),
            bench.startDraft().with("apns-topic", "app.example"),
            Draft(token: bench.phone.wakeToken, authorization: bench.bearer, body: Payload.start()),
        ].map { try bench.client.send($0.request).reason }
        #expect(reasons == Array(repeating: "DeviceTokenNotForTopic", count: 3))
        let mistyped = Draft(
            token: bench.phone.wakeToken, authorization: bench.bearer, topic: "app.example", body: Payload.start())
        #expect(try bench.client.send(mistyped.request).reason == "InvalidPushType")
    }

    @Test func tokensRotate() async throws {
        let bench = try PhoneBench()
        let (card, old) = try await bench.runningCard()
        try bench.simulator.rotateUpdateToken(card: card.id)
        await bench.simulator.settle()
        let new = try #require(try bench.card().updateToken)
        #expect(new != old)
        #expect(bench.backend.registrations.map(\.updateToken) == [old, new])
        let body = Payload.update(timestamp: "\(bench.time(1))", state: bench.content())
        #expect(try bench.client.send(bench.updateDraft(old, body).request).status == 410)
        #expect(try bench.update(new, body) == .delivered)

        let draft = bench.startDraft()
        let token = try bench.simulator.rotateStartToken(phone: "alice", attributesType: "EventAttributes")
        #expect(bench.phone.startTokens["EventAttributes"] == token)
        #expect(try bench.client.send(draft.request).reason == "ExpiredToken")
        #expect(try bench.start(run: "run-2", event: "event-2") == .delivered)
    }

    @Test func aStartTokenMayDieInSilence() throws {
        let bench = try PhoneBench()
        let draft = bench.startDraft()
        try bench.simulator.rotateStartToken(phone: "alice", attributesType: "EventAttributes", isOldSilent: true)
        #expect(try bench.push(draft) == .dropped(.noPhone))
        #expect(bench.simulator.requests.last?.answer == .status(200))
        #expect(try bench.start() == .delivered)
    }

    @Test func anUninstalledAppIsUnregistered() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        try bench.simulator.uninstall(phone: "alice")
        #expect(try bench.card().state == .gone)
        let body = Payload.update(timestamp: "\(bench.time(1))", state: bench.content())
        for draft in [bench.startDraft(), bench.updateDraft(token, body)] {
            #expect(try bench.client.send(draft.request).reason == "Unregistered")
        }
        #expect(throws: SimulatorError.unknown("phone bob")) { try bench.simulator.uninstall(phone: "bob") }
        #expect(throws: SimulatorError.unknown("card x")) { try bench.simulator.dismiss(card: "x") }
    }

    @Test func aStrangersStartTokenMakesAPhone() throws {
        let bench = try PhoneBench(unknownTokens: .adopt)
        var draft = bench.startDraft()
        draft.path = "/3/device/c0ffee"
        #expect(try bench.push(draft) == .delivered)
        let adopted = try #require(bench.simulator.snapshot.phones.values.first { $0.id != "alice" })
        #expect(adopted.startTokens == ["EventAttributes": "c0ffee"])
        #expect(bench.simulator.cards(on: adopted.id).count == 1)
        let update = bench.updateDraft("beef", Payload.update(timestamp: "\(bench.time())"))
        #expect(try bench.client.send(update.request).reason == "BadDeviceToken")
    }
}
