import Foundation
import LiveActivity
import Simulator
import Testing

/// Apple's rules for payloads: APNs lets all of these pass, the log says what is wrong, and the phone drops what
/// iOS would drop.
@Suite struct PayloadRulesTests {
    /// Fields in which a start may be wrong, as JSON text.
    struct Case: Sendable, CustomTestStringConvertible {
        var body: String
        var violation: String
        var isDropped = true
        var testDescription: String { violation }
    }

    static let starts: [Case] = [
        Case(body: "text", violation: "no JSON object with an aps object"),
        Case(body: #"{"alert":1}"#, violation: "no JSON object with an aps object"),
        Case(body: Payload.start(timestamp: "\"1780000000\""), violation: "timestamp: not a whole number"),
        Case(body: Payload.start(timestamp: "1780000000.5"), violation: "timestamp: not a whole number"),
        Case(body: Payload.start(timestamp: "1780000000000"), violation: "timestamp: milliseconds instead of seconds"),
        Case(body: Payload.start(alert: nil), violation: "alert: missing"),
        Case(body: Payload.start(alert: #""Soon""#), violation: "alert: not an object"),
        Case(body: Payload.start(alert: #"{"title":"","body":"b"}"#), violation: "alert.title: empty or not a text"),
        Case(body: Payload.start(alert: #"{"title":"t"}"#), violation: "alert.body: missing"),
        Case(
            body: Payload.start(alert: #"{"title":{"loc-args":[]},"body":"b"}"#),
            violation: "alert.title: empty or not a text"),
        Case(
            body: Payload.start(alert: #"{"title":"t","body":"b","sound":"nil"}"#),
            violation: "alert.sound: not the name of a sound", isDropped: false),
        Case(
            body: Payload.start(more: #","sound":"default""#), violation: "sound: belongs inside alert",
            isDropped: false),
        Case(body: Payload.start(type: nil), violation: "attributes-type: missing"),
        Case(body: Payload.start(type: "\"\""), violation: "attributes-type: missing"),
        Case(body: Payload.start(attributes: nil), violation: "attributes: missing"),
        Case(body: Payload.start(state: nil), violation: "content-state: missing"),
        Case(body: Payload.start(state: "[]"), violation: "content-state: not an object"),
        Case(
            body: Payload.start(more: #","stale-date":1780000000000"#),
            violation: "stale-date: milliseconds instead of seconds", isDropped: false),
        Case(body: Payload.start(more: #","stale-date":"soon""#), violation: "stale-date: not a whole number"),
        Case(
            body: Payload.start(more: #","dismissal-date":1780000100"#), violation: "dismissal-date: only on end",
            isDropped: false),
        Case(body: Payload.start(more: #","relevance-score":"high""#), violation: "relevance-score: not a number"),
        Case(body: Payload.start(more: #","input-push-token":2"#), violation: "input-push-token: not the number 1"),
        Case(
            body: Payload.start(more: #","input-push-token":1,"input-push-channel":"abc""#),
            violation: "input-push-channel: together with input-push-token"),
    ]

    @Test(arguments: starts) func judgesAStart(spoilt: Case) throws {
        let bench = try PhoneBench()
        let stamp = "\(Payload.now)"
        let body = spoilt.body.replacing("\"timestamp\":\(stamp)", with: "\"timestamp\":\(bench.time())")
        let fate = try bench.start(body: body)
        let request = try #require(bench.simulator.requests.last)
        #expect(request.answer == .status(200))
        #expect(request.violations.map(\.description) == [spoilt.violation])
        let isTimestamp = spoilt.violation.hasPrefix("timestamp: milli")
        #expect(fate == (spoilt.isDropped ? .dropped(isTimestamp ? .futureTimestamp : expected(spoilt)) : .delivered))
        #expect(bench.simulator.snapshot.scoreboard.violating == 1)
    }

    /// What names no event is no start and so does not fit a start token's only use; either way it is broken.
    private func expected(_ spoilt: Case) -> DropReason { .invalidPayload }

    @Test(arguments: [
        ",\"unknown-key\":{\"a\":[1]}", ",\"relevance-score\":0.5", ",\"relevance-score\":100",
        ",\"stale-date\":1780003600", ",\"stale-date\":1780003600.0", ",\"input-push-token\":1",
        ",\"input-push-channel\":\"dHN0\"",
    ]) func allowsWhatAppleAllows(more: String) throws {
        let bench = try PhoneBench()
        let body = Payload.start(timestamp: "\(bench.time())", state: bench.content(), more: more)
        #expect(try bench.start(body: body) == .delivered)
        #expect(bench.simulator.requests.last?.violations == [])
    }

    @Test func allowsLocalisedAlertsAndKeysBesideAps() throws {
        let bench = try PhoneBench()
        let alert = #"{"title":{"loc-key":"SOON"},"body":{"loc-key":"AT","loc-args":["nine"]}}"#
        var body = Payload.start(timestamp: "\(bench.time())", alert: alert, state: bench.content())
        body = body.dropLast() + #","own":{"key":1}}"#
        #expect(try bench.start(body: body) == .delivered)
        #expect(bench.simulator.requests.last?.violations == [])
    }

    @Test func judgesUpdatesAndEnds() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        let (time, content) = ("\(bench.time())", bench.content())
        for (body, violation) in [
            (Payload.update("change", timestamp: time, state: content), "event: none of start, update and end"),
            (Payload.update(timestamp: time, state: nil), "content-state: missing"),
            (Payload.update("end", timestamp: "true", state: content), "timestamp: not a whole number"),
        ] {
            let fate = try bench.update(token, body)
            #expect(fate == .dropped(.invalidPayload))
            #expect(bench.simulator.requests.last?.violations.map(\.description) == [violation])
        }
        let loud = Payload.update(timestamp: time, state: content, more: #","alert":{"title":"t"}"#)
        #expect(try bench.update(token, loud) == .delivered)
        #expect(bench.simulator.requests.last?.violations.map(\.description) == ["alert.body: missing"])
        let end = Payload.update(
            "end", timestamp: "\(bench.time(1))", state: nil, more: #","dismissal-date":1780000000"#)
        #expect(try bench.update(token, end) == .delivered)
        #expect(bench.simulator.requests.last?.violations == [])
    }

    @Test(arguments: [
        (#"{"aps":{"content-available":1},"own":1}"#, [], true),
        (#"{"aps":{"content_available":1}}"#, ["content-available: not the number 1"], false),
        (#"{"aps":{"content-available":true}}"#, ["content-available: not the number 1"], false),
        (#"{"aps":{"content-available":1,"badge":1}}"#, ["badge: not in a background push"], true),
    ]) func judgesWakes(body: String, violations: [String], isDelivered: Bool) throws {
        let bench = try PhoneBench()
        let draft = Draft(
            token: bench.phone.wakeToken, authorization: bench.bearer, type: "background", topic: "app.example",
            priority: "5", body: body)
        #expect(try bench.push(draft) == (isDelivered ? .delivered : .dropped(.invalidPayload)))
        #expect(bench.simulator.requests.last?.violations.map(\.description) == violations)
    }
}
