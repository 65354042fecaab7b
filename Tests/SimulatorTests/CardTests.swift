import Foundation
import LiveActivity
import Simulator
import Testing

/// Cards live on a phone as iOS lets them.
@Suite struct CardTests {
    @Test func aStartShowsACardAndTheAppReportsItsToken() async throws {
        let bench = try PhoneBench()
        #expect(try bench.start() == .delivered)
        let born = try bench.card()
        #expect(born.state == .active)
        #expect(born.runID == "run-1")
        #expect(born.contentState["title"] == .string("Walk"))
        #expect(born.updateToken == nil)
        #expect(bench.backend.registrations == [])
        await bench.pass(2)
        let card = try bench.card()
        let registration = try #require(bench.backend.registrations.first)
        #expect(bench.backend.registrations.count == 1)
        #expect(registration.activityID == card.id)
        #expect(registration.origin == .push(runID: "run-1"))
        #expect(registration.updateToken == card.updateToken)
        #expect(card.updateToken?.count == 160)
        #expect(bench.simulator.snapshot.scoreboard.started == 1)
    }

    @Test func anUpdateChangesTheCard() async throws {
        let bench = try PhoneBench()
        let (card, token) = try await bench.runningCard()
        let more = #","stale-date":\#(bench.time(600)),"relevance-score":7,"alert":{"title":"t","body":"b"}"#
        let body = Payload.update(timestamp: "\(bench.time(1))", state: bench.content("Run"), more: more)
        #expect(try bench.update(token, body) == .delivered)
        let changed = try bench.card()
        #expect(changed.id == card.id)
        #expect(changed.contentState["title"] == .string("Run"))
        #expect(changed.timestamp == Int64(bench.time(1)))
        #expect((changed.updates, changed.alerts, changed.relevance) == (1, 2, 7))
        await bench.pass(599)
        #expect(try bench.card().state == .active)
        await bench.pass(1)
        #expect(try bench.card().state == .stale)
        #expect(
            try bench.update(token, Payload.update(timestamp: "\(bench.time())", state: bench.content())) == .delivered)
        #expect(try bench.card().state == .active)
    }

    @Test func olderContentLoses() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        let newest = Payload.update(timestamp: "\(bench.time(10))", state: bench.content("New"))
        #expect(try bench.update(token, newest) == .delivered)
        for (event, offset) in [("update", 9), ("update", 10), ("end", 9)] {
            let body = Payload.update(event, timestamp: "\(bench.time(offset))", state: bench.content("Old"))
            #expect(try bench.update(token, body) == .dropped(.oldTimestamp))
        }
        // The very same push again changes nothing and is no fault.
        #expect(try bench.update(token, newest) == .delivered)
        #expect(try bench.card().contentState["title"] == .string("New"))
        #expect(try bench.card().isRunning)
        let far = Payload.update(timestamp: "\(bench.time(8 * 3600 + 60))", state: bench.content())
        #expect(try bench.update(token, far) == .dropped(.futureTimestamp))
    }

    @Test(
        arguments: [
            (nil, 4 * 3600), (0, 0), (-60, 0), (600, 600), (5 * 3600, 4 * 3600), (1_780_000_000_000, 4 * 3600),
        ] as [(Int?, Int)]) func anEndedCardStaysUntilItsDismissalDate(dismissal: Int?, stays: Int) async throws
    {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        let more = dismissal.map { #","dismissal-date":\#(bench.time($0))"# } ?? ""
        let body = Payload.update("end", timestamp: "\(bench.time())", state: bench.content("Over"), more: more)
        #expect(try bench.update(token, body) == .delivered)
        let ended = try bench.card()
        #expect(ended.contentState["title"] == .string("Over"))
        #expect(ended.state == (stays == 0 ? .gone : .ended))
        #expect(ended.removal == bench.clock.now + TimeInterval(stays))
        let late = Payload.update(timestamp: "\(bench.time(5))", state: bench.content())
        #expect(try bench.update(token, late) == .dropped(.activityOver))
        await bench.pass(TimeInterval(stays))
        #expect(try bench.card().state == .gone)
        #expect(bench.simulator.snapshot.scoreboard.ended == 1)
    }

    @Test func theSystemEndsACardAfterEightHours() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        await bench.pass(8 * 3600 - 3)
        #expect(try bench.card().isRunning)
        await bench.pass(1)
        #expect(try bench.card().state == .ended)
        let update = Payload.update(timestamp: "\(bench.time())", state: bench.content())
        #expect(try bench.update(token, update) == .dropped(.activityOver))
        await bench.pass(4 * 3600 - 1)
        #expect(try bench.card().isOnScreen)
        await bench.pass(1)
        #expect(try bench.card().state == .gone)
    }

    @Test func whatDoesNotDecodeIsDropped() async throws {
        let bench = try PhoneBench()
        let time = "\(bench.time())"
        let missing = Payload.start(timestamp: time, attributes: #"{"runId":"r"}"#, state: bench.content())
        #expect(try bench.start(body: missing) == .dropped(.undecodableAttributes))
        let renamed = Payload.start(timestamp: time, state: #"{"Title":"Walk","startsAt":1,"endsAt":2}"#)
        #expect(try bench.start(body: renamed) == .dropped(.undecodableContentState))
        let text = Payload.start(timestamp: time, state: #"{"title":"Walk","startsAt":"2026-01-01","endsAt":2}"#)
        #expect(try bench.start(body: text) == .dropped(.undecodableContentState))
        let (_, token) = try await bench.runningCard()
        let update = Payload.update(timestamp: "\(bench.time(1))", state: #"{"title":"Walk"}"#)
        #expect(try bench.update(token, update) == .dropped(.undecodableContentState))
        #expect(bench.simulator.snapshot.scoreboard.dropped == 4)
        #expect(bench.simulator.requests.allSatisfy { $0.answer == .status(200) })
    }

    @Test(arguments: [("1780003600", true), ("1780003600000", true), ("801696400", false)])
    func datesInAWrongUnitAreAFailure(endsAt: String, isWrong: Bool) throws {
        let bench = try PhoneBench()
        let state = #"{"title":"Walk","startsAt":801694600,"endsAt":\#(endsAt)}"#
        #expect(try bench.start(body: Payload.start(timestamp: "\(bench.time())", state: state)) == .delivered)
        let failures = bench.simulator.snapshot.scoreboard.failures
        #expect(failures.count == (isWrong ? 1 : 0))
        #expect(failures.allSatisfy { $0.contains("endsAt") })
    }

    @Test func whatIosWouldNotStartIsDropped() throws {
        let bench = try PhoneBench()
        let (time, content) = ("\(bench.time())", bench.content())
        let other = Payload.start(timestamp: time, type: "\"OtherAttributes\"", state: content)
        #expect(try bench.start(body: other) == .dropped(.wrongAttributesType))
        let far = Payload.start(timestamp: "\(bench.time(8 * 3600 + 1))", state: content)
        #expect(try bench.start(body: far) == .dropped(.futureTimestamp))
        let stale = Payload.start(timestamp: time, state: content, more: #","stale-date":\#(bench.time())"#)
        #expect(try bench.start(body: stale) == .dropped(.staleAtBirth))
        try bench.simulator.change(phone: "alice") { $0.allowsLiveActivities = false }
        #expect(try bench.start() == .dropped(.notAllowed))
        #expect(bench.simulator.cards(on: "alice").isEmpty)
    }

    @Test(arguments: [(17.1, false, false), (17.2, false, true), (17.2, true, false), (18, true, true)])
    func oldSystemsStartLess(version: Double, onChannel: Bool, isStarted: Bool) throws {
        let bench = try PhoneBench(systemVersion: version)
        let more = onChannel ? #","input-push-channel":"dHN0""# : ""
        let body = Payload.start(timestamp: "\(bench.time())", state: bench.content(), more: more)
        #expect(try bench.start(body: body) == (isStarted ? .delivered : .dropped(.notAllowed)))
    }

    @Test func eventsMustFitTheirTokens() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        let start = Payload.start(timestamp: "\(bench.time())", state: bench.content())
        #expect(try bench.update(token, start) == .dropped(.wrongTokenKind))
        let update = Payload.update(timestamp: "\(bench.time(1))", state: bench.content())
        #expect(try bench.start(body: update) == .dropped(.wrongTokenKind))
    }

    @Test func theBudgetAllowsTenStartsAnHour() async throws {
        var limits = PhoneLimits()
        limits.runningCards = 100
        let bench = try PhoneBench(limits: limits)
        for number in 1...10 {
            #expect(try bench.start(run: "run-\(number)", event: "event-\(number)") == .delivered)
        }
        #expect(try bench.start(run: "run-11", event: "event-11") == .dropped(.startBudget))
        await bench.pass(3600)
        #expect(try bench.start(run: "run-12", event: "event-12") == .delivered)
    }

    @Test func anAppHasFiveCardsAtMost() throws {
        let bench = try PhoneBench()
        for number in 1...5 { #expect(try bench.start(run: "r\(number)", event: "e\(number)") == .delivered) }
        #expect(try bench.start(run: "r6", event: "e6") == .dropped(.tooManyCards))
    }

    @Test func twoCardsForOneOccurrenceAreAFailure() async throws {
        let bench = try PhoneBench()
        let body = { (run: String) in
            Payload.start(
                timestamp: "\(bench.time())", attributes: #"{"runId":"\#(run)","eventId":"event-1"}"#,
                state: #"{"title":"Walk","startsAt":801692800,"endsAt":801732800}"#)
        }
        try bench.start(body: body("run-1"))
        try bench.start(run: "run-2", event: "event-2")
        #expect(bench.simulator.snapshot.scoreboard.doubled == 0)
        try bench.start(body: body("run-3"))
        #expect(bench.simulator.snapshot.scoreboard.doubled == 1)
        #expect(bench.simulator.snapshot.scoreboard.failures.count == 1)
        // A renewal shortly before the system's limit is none.
        for card in bench.simulator.cards(on: "alice").dropFirst() { try bench.simulator.dismiss(card: card.id) }
        await bench.pass(7 * 3600 + 60)
        try bench.start(body: body("run-4"))
        #expect(bench.simulator.snapshot.scoreboard.doubled == 1)
    }

    @Test func aRenewalIsJudgedByWhenTheStartsWereSent() async throws {
        let bench = try PhoneBench()
        let body = { (run: String) in
            Payload.start(
                timestamp: "\(bench.time())", attributes: #"{"runId":"\#(run)","eventId":"event-1"}"#,
                state: #"{"title":"Walk","startsAt":801692800,"endsAt":801732800}"#)
        }
        let first = body("run-1")
        await bench.pass(1800)
        try bench.start(body: first)
        await bench.pass(6 * 3600 + 1800 - 1)
        try bench.start(body: body("run-2"))
        #expect(bench.simulator.snapshot.scoreboard.doubled == 1)
        for card in bench.simulator.cards(on: "alice").dropFirst() { try bench.simulator.dismiss(card: card.id) }
        await bench.pass(1)
        try bench.start(body: body("run-3"))
        #expect(bench.simulator.snapshot.scoreboard.doubled == 1)
    }

    @Test func aSecondStartForARunIsAFailureEvenIfDropped() throws {
        let bench = try PhoneBench()
        try bench.start()
        try bench.simulator.change(phone: "alice") { $0.allowsLiveActivities = false }
        #expect(try bench.start() == .dropped(.notAllowed))
        #expect(bench.simulator.snapshot.scoreboard.doubled == 1)
        #expect(bench.simulator.snapshot.scoreboard.failures.first?.contains("run-1") == true)
    }

    @Test func aStartThatWasNotProcessedCountsForNothing() throws {
        let bench = try PhoneBench()
        bench.simulator.add(Fault(.reset(code: 7, processed: false)))
        #expect(try bench.start() == nil)
        #expect(try bench.start() == .delivered)
        #expect(bench.simulator.snapshot.scoreboard.doubled == 0)
        #expect(bench.simulator.cards(on: "alice").count == 1)
    }

    @Test func aStartThatWasProcessedAndNotAnsweredShowsACard() throws {
        let bench = try PhoneBench()
        bench.simulator.add(Fault(.close(processed: true)))
        #expect(try bench.start() == .delivered)
        #expect(bench.simulator.cards(on: "alice").count == 1)
        #expect(bench.simulator.requests.last?.answer == .closed)
    }

    @Test func aCardThatRunsPastItsCloseIsLeftOver() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        let close = 5400 - 2
        await bench.pass(TimeInterval(close - 60))
        // The close moves by an hour.
        let later = Payload.update(timestamp: "\(bench.time())", state: bench.content(closes: 3600))
        #expect(try bench.update(token, later) == .delivered)
        await bench.pass(3600 + 179)
        #expect(bench.simulator.snapshot.scoreboard.leftOver == 0)
        await bench.pass(1)
        #expect(bench.simulator.snapshot.scoreboard.leftOver == 1)
        #expect(try bench.card().isLeftOver)
        #expect(bench.simulator.snapshot.scoreboard.notes.count == 1)
        #expect(bench.simulator.snapshot.scoreboard.failures == [])
        await bench.pass(3600)
        #expect(bench.simulator.snapshot.scoreboard.leftOver == 1)
    }

    @Test func aCardEndedInTimeIsNotLeftOver() async throws {
        let bench = try PhoneBench()
        let (_, token) = try await bench.runningCard()
        await bench.pass(5400)
        try bench.update(token, Payload.update("end", timestamp: "\(bench.time())", state: bench.content()))
        await bench.pass(3600)
        #expect(bench.simulator.snapshot.scoreboard.leftOver == 0)
        #expect(bench.simulator.snapshot.scoreboard.notes == [])
    }
}
