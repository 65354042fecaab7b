import Foundation
import LiveActivity
import Planning
import Testing

@Suite("What follows from an outcome") struct ConsequenceTests {
    let now = at("2026-03-02 10:00")

    private func consequence(
        _ outcome: PushOutcome, of event: Push.Event, failures: Int = 0, usefulFor: TimeInterval = 2 * hour,
        seed: Int = 1
    ) -> Consequence {
        let seed: RunID = numbered(seed)
        return Consequence(
            of: outcome,
            for: .init(event: event, seed: seed.uuid, failures: failures, usefulUntil: now + usefulFor), at: now)
    }
    private func rejected(_ status: Int, _ reason: String, since: Date? = nil, retryAfter: Int? = nil) -> PushOutcome {
        .rejected(.init(status: status, reason: reason, since: since, retryAfter: retryAfter))
    }

    @Test func acceptedIsNotShown() {
        let start = consequence(.accepted, of: .start)
        #expect(start.toState == .accepted)
        // The app may have confirmed, or a late answer may follow "no answer".
        #expect(start.fromStates == [.claimed, .unknown])
        #expect(start.retryAt == nil)
        #expect(
            consequence(.accepted, of: .update)
                == Consequence(
                    of: .accepted, for: .init(event: .wake, seed: UUID(), failures: 3, usefulUntil: now), at: now))
    }

    @Test func anAcceptedEndSettlesTheRunAndSpendsItsToken() {
        let end = consequence(.accepted, of: .end)
        #expect(end.fromStates == [.ending])
        #expect(end.toState == .ended)
        #expect(end.isGone)
        #expect(end.isTokenSpent)
    }

    @Test("I1: a start without an answer is never repeated; an update or an end is, a minute later")
    func unknown() {
        let start = consequence(.failed(.unknown("reset")), of: .start)
        #expect(start.fromStates == [.claimed])
        #expect(start.toState == .unknown)
        #expect(start.retryAt == nil)
        for event in [Push.Event.update, .end] {
            let repeated = consequence(.failed(.unknown("reset")), of: event)
            #expect(repeated.toState == nil)
            #expect(repeated.retryAt == now + 60)
        }
    }

    @Test func whatWasNotProcessedIsTriedAgainAfterAMinuteThenTwoThenFour() {
        for (failures, wait) in [(0, 60.0), (1, 120), (2, 240), (3, 480)] {
            let start = consequence(.failed(.notProcessed("GOAWAY")), of: .start, failures: failures)
            #expect(start.toState == .failed)
            #expect(start.reason == .waitsToRetry)
            #expect(start.retryAt == now + wait)
        }
    }

    @Test("FR-68: a 503 waits a quarter of an hour, a fifth more or less, and is sent again")
    func server() throws {
        for status in [500, 503] {
            for seed in 1...300 {
                let wait = try #require(
                    consequence(rejected(status, "ServiceUnavailable"), of: .start, seed: seed).retryAt
                )
                .timeIntervalSince(now)
                #expect((720...1080).contains(wait))
            }
        }
        let waits = Set(
            (0...15).map { digit in
                let uuid = UUID(uuidString: "00000000-0000-4000-8000-0000000000\(String(digit, radix: 16))0")!
                return Consequence(
                    of: rejected(503, ""),
                    for: .init(event: .end, seed: uuid, failures: 0, usefulUntil: now + 2 * hour), at: now
                ).retryAt
            })
        #expect(waits.count == 16)
        let start = consequence(rejected(503, "ServiceUnavailable"), of: .start)
        #expect(start.toState == .failed)
        #expect(start.reason == .waitsToRetry)
    }

    @Test func aWaitIsAtMostHalfOfTheTimeThatIsLeft() throws {
        let wait = try #require(consequence(rejected(503, ""), of: .update, usefulFor: 10 * minute).retryAt)
            .timeIntervalSince(now)
        #expect((240...360).contains(wait))
        // Too late to be of use: never at once all the same, or one tick would not end.
        #expect(try #require(consequence(rejected(503, ""), of: .update, usefulFor: -60).retryAt) >= now + 1)
        #expect(try #require(consequence(.failed(.notProcessed("")), of: .update, usefulFor: -60).retryAt) >= now + 1)
    }

    @Test("What says nothing of this one push is the lane's fault; what APNs says of a push or its token is not")
    func laneFaults() {
        for outcome in [
            rejected(500, "InternalServerError"), rejected(503, ""), rejected(403, "InvalidProviderToken"),
            .failed(.notProcessed("no route")), .failed(.unknown("no answer")),
        ] {
            #expect(consequence(outcome, of: .start).isLaneFault)
        }
        for outcome in [
            .accepted, rejected(410, "Unregistered"), rejected(400, "BadDeviceToken"), rejected(429, "TooManyRequests"),
            rejected(413, "PayloadTooLarge"), rejected(400, "DeviceTokenNotForTopic"),
        ] {
            #expect(!consequence(outcome, of: .start).isLaneFault)
        }
    }

    @Test("FR-59: a token that Expo takes for another project's is kept and left alone for a day")
    func tokenOfAnotherProject() {
        let wake = consequence(rejected(400, "PUSH_TOO_MANY_EXPERIENCE_IDS"), of: .wake)
        #expect(wake.pauseTokenUntil == now + 24 * hour)
        #expect(!wake.isTokenSpent)
        #expect(!wake.isLaneFault)
    }

    @Test func retryAfterIsHonoured() {
        #expect(consequence(rejected(429, "TooManyRequests", retryAfter: 30), of: .update).retryAt == now + 30)
        // What asks for no wait at all is no answer to how long.
        for odd in [0, -5] {
            #expect(
                consequence(rejected(503, "", retryAfter: odd), of: .update).retryAt
                    == consequence(rejected(503, ""), of: .update).retryAt)
        }
        #expect(consequence(rejected(503, "", retryAfter: .max), of: .update).retryAt == now + 24 * hour)
    }

    @Test("FR-48: a 410 clears the token only where it was not registered since")
    func dead() throws {
        let since = at("2026-03-02 09:00")
        let start = consequence(rejected(410, "Unregistered", since: since), of: .start)
        #expect(start.isTokenSpent)
        #expect(start.deadSince == since)
        #expect(start.toState == .failed)
        #expect(start.reason == .noStartToken)
        // Where the token stays, the same tick must not send to it again.
        #expect(try #require(start.retryAt) > now)
    }

    @Test func aDeadUpdateTokenMayMeanASwipe() {
        for event in [Push.Event.update, .end] {
            let gone = consequence(rejected(410, "ExpiredToken"), of: event)
            #expect(gone.toState == .ended)
            #expect(gone.reason == .updateTokenGone)
            #expect(!gone.isGone)
            #expect(gone.isTokenSpent)
            #expect(!gone.fromStates.contains(.dismissed))
        }
    }

    @Test func aBadTokenIsClearedAndTheCardStays() throws {
        let bad = consequence(rejected(400, "BadDeviceToken"), of: .update)
        #expect(bad.isTokenSpent)
        #expect(bad.toState == nil)
        #expect(try #require(bad.retryAt) > now)
        #expect(consequence(rejected(400, "BadDeviceToken"), of: .start).toState == .failed)
        #expect(consequence(rejected(400, "BadDeviceToken"), of: .wake).isTokenSpent)
    }

    @Test(
        "FR-46: a fault of the credentials stops the lane, deletes nothing and waits",
        arguments: [
            (403, "BadEnvironmentKeyIdInToken"), (403, "BadEnvironmentKeyInToken"), (403, "InventedReason"),
            (403, "InvalidProviderToken"), (403, "ExpiredProviderToken"), (400, "TopicDisallowed"),
            (429, "TooManyProviderTokenUpdates"),
        ])
    func credentials(status: Int, reason: String) throws {
        for event in [Push.Event.start, .update, .end, .wake] {
            let stopped = consequence(rejected(status, reason), of: event)
            #expect(!stopped.isTokenSpent)
            #expect(try #require(stopped.pauseLaneUntil) >= now + 15 * minute)
            #expect(try #require(stopped.retryAt) >= now + 15 * minute)
        }
        #expect(consequence(rejected(status, reason), of: .start).reason == .waitsToRetry)
    }

    @Test(
        "FR-51: what is our own fault deletes nothing and a start is not tried again",
        arguments: [
            (400, "DeviceTokenNotForTopic"), (400, "BadTopic"), (413, "PayloadTooLarge"), (404, "BadPath"),
            (403, "Forbidden"),
        ])
    func ours(status: Int, reason: String) throws {
        let start = consequence(rejected(status, reason), of: .start)
        #expect(!start.isTokenSpent)
        #expect(start.toState == .failed)
        #expect(start.reason == .startRefused)
        #expect(start.pauseLaneUntil == nil)
        #expect(try #require(consequence(rejected(status, reason), of: .update).retryAt) >= now + 15 * minute)
    }

    @Test func whateverWasNotAcceptedWaits() {
        // Otherwise a tick would send it again and again, until its budget is spent.
        let outcomes: [PushOutcome] = [
            .failed(.notProcessed("")), .failed(.unknown("")), rejected(410, "Unregistered"),
            rejected(400, "BadDeviceToken"),
            rejected(400, "Surprise"), rejected(403, ""), rejected(413, ""), rejected(429, ""), rejected(500, ""),
            rejected(302, ""),
        ]
        for outcome in outcomes {
            for event in [Push.Event.start, .update, .end] {
                let follows = consequence(outcome, of: event)
                let isSettled = event == .start && outcome == .failed(.unknown(""))
                #expect(isSettled || follows.retryAt.map { $0 > now } ?? false, "\(event) \(outcome)")
            }
        }
    }
}
