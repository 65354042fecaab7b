import Foundation
import LiveActivity
import Simulator
import Synchronization
import Testing

/// A wall clock that a test turns.
final class TurnedClock: Sendable {
    private let time: Mutex<Date>
    init(_ start: Date) { time = Mutex(start) }
    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// A server that writes down what the apps say and answers as a test tells it.
final class Backend: Sendable {
    struct Down: Error {}

    private struct State {
        var registrations: [PhoneVoice.Registration] = []
        var reports: [PhoneVoice.Report] = []
        var ends: Set<String> = []
        var isDown = false
    }

    private let state = Mutex(State())

    var registrations: [PhoneVoice.Registration] { state.withLock { $0.registrations } }
    var reports: [PhoneVoice.Report] { state.withLock { $0.reports } }
    func end(_ activityID: String) { state.withLock { _ = $0.ends.insert(activityID) } }
    func goDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

    var voice: PhoneVoice {
        PhoneVoice(
            registerActivity: { registration in
                try self.state.withLock { state in
                    state.registrations.append(registration)
                    if state.isDown { throw Down() }
                    let isUnwanted = state.ends.contains(registration.activityID)
                    return .init(state: isUnwanted ? "ended" : "confirmed", end: isUnwanted, runID: "run-of-server")
                }
            },
            reportActivity: { report in
                try self.state.withLock { state in
                    state.reports.append(report)
                    if state.isDown { throw Down() }
                    return .init(state: report.state)
                }
            })
    }
}

/// One phone, its server, a clock that the test turns, and a client that pushes.
struct PhoneBench {
    static var shape: Phone.AttributesType {
        Phone.AttributesType(
            attributes: .object(["runId": .string, "eventId": .string]),
            contentState: .object(["title": .string, "startsAt": .date, "endsAt": .date]))
    }

    let clock = TurnedClock(Date(timeIntervalSince1970: 1_780_000_000))
    let backend = Backend()
    let simulator: APNsSimulator
    let client: HTTP2Client
    let bearer: String
    var phone: Phone { simulator.phone("alice")! }

    init(
        app: AppBehaviour = AppBehaviour(), environment: APNsEnvironment = .production, systemVersion: Double = 18.2,
        limits: PhoneLimits = PhoneLimits(), unknownTokens: SimulatorOptions.UnknownTokens = .reject
    ) throws {
        let mint = try ProviderTokenMint()
        bearer = mint.token(issuedAt: clock.now)
        var options = SimulatorOptions { Date() }
        options.keys = [mint.trusted]
        options.unknownTokens = unknownTokens
        options.voice = backend.voice
        options.limits = limits
        // Provider tokens live by a clock that stands, so that a test may play a day.
        options.wallClock = { [start = clock.now] in start }
        options.phoneClock = .reads { [clock] in clock.now }
        simulator = try APNsSimulator(options)
        client = try HTTP2Client(
            port: environment == .production ? simulator.productionPort : simulator.sandboxPort,
            authorityPEM: simulator.authorityPEM)
        simulator.add(
            Phone(
                id: "alice", environment: environment, bundleID: "app.example",
                attributesTypes: ["EventAttributes": Self.shape, "OtherAttributes": .init()],
                systemVersion: systemVersion, app: app))
    }

    /// Now, in Unix seconds, and so many seconds later.
    func time(_ offset: Int = 0) -> Int { Int(clock.now.timeIntervalSince1970) + offset }

    /// A content state whose event starts and closes so many seconds from now.
    func content(_ title: String = "Walk", starts: Int = 1800, closes: Int = 5400) -> String {
        let swift = { (offset: Int) in time(offset) - 978_307_200 }
        return #"{"title":"\#(title)","startsAt":\#(swift(starts)),"endsAt":\#(swift(closes))}"#
    }

    /// Pushes, and says what the phone did with it; nil where APNs refused it.
    @discardableResult
    func push(_ draft: Draft) throws -> PushFate? {
        _ = try client.send(draft.request)
        return simulator.requests.last?.fate
    }

    func startDraft(run: String = "run-1", event: String = "event-1", body: String? = nil) -> Draft {
        let attributes = #"{"runId":"\#(run)","eventId":"\#(event)"}"#
        let payload = Payload.start(timestamp: "\(time())", attributes: attributes, state: content())
        return Draft(
            token: phone.startTokens["EventAttributes"]!, authorization: bearer, body: body ?? payload)
    }

    @discardableResult
    func start(run: String = "run-1", event: String = "event-1", body: String? = nil) throws -> PushFate? {
        try push(startDraft(run: run, event: event, body: body))
    }

    func updateDraft(_ token: String, _ body: String) -> Draft {
        Draft(token: token, authorization: bearer, body: body)
    }

    @discardableResult
    func update(_ token: String, _ body: String) throws -> PushFate? { try push(updateDraft(token, body)) }

    @discardableResult
    func wake() throws -> PushFate? {
        try push(
            Draft(
                token: phone.wakeToken, authorization: bearer, type: "background", topic: "app.example",
                priority: "5", body: Payload.wake))
    }

    /// Turns the clock forward and lets the phone live until then.
    func pass(_ seconds: TimeInterval) async {
        clock.advance(seconds)
        await simulator.settle()
    }

    /// The newest card, with its token.
    func card() throws -> Card { try #require(simulator.cards(on: "alice").last) }

    /// A card that runs and has its token.
    func runningCard() async throws -> (card: Card, token: String) {
        try start()
        await pass(2)
        let card = try card()
        return (card, try #require(card.updateToken))
    }
}
