import Foundation
import LiveActivity
import Planning
import Testing

@Suite("Steps become pushes") struct CompositionTests {
    let talk = Event.sample(1, "2026-03-02 10:00")

    /// Intents of one plan, with ids from 900 on.
    private func intents(_ snapshot: DeviceSnapshot, _ moment: String) -> [Intent] {
        composition(snapshot, moment).intents
    }
    private func composition(_ snapshot: DeviceSnapshot, _ moment: String) -> Composition {
        var next = 899
        return Composition([(decide(snapshot, at: at(moment)), snapshot)]) {
            next += 1
            let id: RunID = numbered(next)
            return id.uuid
        }
    }
    private func text(_ push: Push?) -> String { String(decoding: push?.payload ?? [], as: UTF8.self) }

    @Test func aStartNamesItsNewRunInItsAttributesAndItsCollapseID() throws {
        let intent = try #require(intents(.sample([talk]), "2026-03-02 09:00").first)
        let push = try #require(intent.push)
        #expect(intent.run == numbered(900))
        #expect(push.event == .start)
        #expect(push.token == PushToken("aa01"))
        #expect(push.priority == 10)
        #expect(push.expiration == 1_772_445_600)
        #expect(push.collapseID == "00000000-0000-4000-8000-000000000900")
        #expect(text(push).contains(#""runId":"00000000-0000-4000-8000-000000000900""#))
        #expect(intent.phase == .upcoming)
        #expect(intent.attempt == push.id)
    }

    @Test("FR-16: a repeated start has the same collapse id, another generation another one, updates and ends none")
    func collapseIDs() throws {
        let failed = Run.sample(7, "2026-03-02 10:00", state: .failed, token: false, started: "2026-03-02 09:00")
        let again = try #require(intents(.sample([talk], runs: [failed]), "2026-03-02 09:05").first)
        #expect(again.run == failed.id)
        #expect(again.push?.collapseID == failed.id.description)
        let gone = Run.sample(
            7, "2026-03-02 10:00", state: .ended, token: false, started: "2026-03-02 09:00", isGone: true)
        let next = try #require(intents(.sample([talk], runs: [gone]), "2026-03-02 09:15").first)
        #expect(next.push?.collapseID == "00000000-0000-4000-8000-000000000900")
        let card = Run.sample(7, "2026-03-02 10:00", started: "2026-03-02 09:00").told(
            .upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00")
        for moment in ["2026-03-02 10:00", "2026-03-02 11:00"] {
            let push = try #require(intents(.sample([talk], runs: [card]), moment).first?.push)
            #expect(push.collapseID == nil)
            #expect(push.token == card.updateToken)
        }
    }

    @Test func anEndRepeatsTheLastContentAndNeverLingersLongerThanFourHours() throws {
        let app = AppPolicy.sample(linger: 9 * hour)
        let card = Run.sample(7, "2026-03-02 10:00", started: "2026-03-02 09:00").told(
            .ending, "2026-03-02 10:00", to: "2026-03-02 11:00")
        let push = try #require(intents(.sample([talk], runs: [card], app: app), "2026-03-02 11:00").first?.push)
        #expect(text(push).contains(#""dismissal-date":1772463600"#))
        #expect(text(push).contains(#""timestamp":1772449200"#))
        #expect(text(push).contains(#""phase":"ending""#))
        #expect(push.priority == 10)
    }

    @Test func aWakeIsNotStoredAndSaysTheSameThroughExpo() throws {
        let card = Run.sample(7, "2026-03-02 10:00", state: .accepted, token: false, started: "2026-03-02 09:00")
        let wake = try #require(intents(.sample([talk], runs: [card]), "2026-03-02 11:00").last)
        #expect(wake.push?.expiration == 0)
        #expect(wake.push?.priority == 5)
        #expect(wake.push?.token == PushToken("bb01"))
        #expect(
            text(wake.push)
                == #"{"aps":{"content-available":1},"cuecard":{"reason":"end","runs":["00000000-0000-4000-8000-000000000007"]}}"#
        )
        let device = Device.sample(wakeToken: nil, expoToken: "ExponentPushToken[x]")
        let expo = try #require(
            intents(.sample([talk], runs: [card], device: device), "2026-03-02 11:00").last?.expoWake)
        #expect(expo.token == "ExponentPushToken[x]")
        #expect(expo.data == ["reason": "end", "runs": "00000000-0000-4000-8000-000000000007"])
    }

    @Test func aRetryIsJudgedByWhatWentBeforeAndByWhatIsLeft() throws {
        var failed = Run.sample(7, "2026-03-02 10:00", state: .failed, token: false, started: "2026-03-02 09:00")
        failed.failures = 3
        let again = try #require(intents(.sample([talk], runs: [failed]), "2026-03-02 09:05").first)
        #expect(again.failures == 3)
        #expect(again.usefulUntil == at("2026-03-02 11:00"))
    }

    @Test("I12: a card that cannot be made costs itself alone")
    func faults() throws {
        let details = JSON.object(Dictionary(uniqueKeysWithValues: (0..<600).map { ("key\($0)", .int(Int64($0))) }))
        var heavy = Event.sample(1, "2026-03-02 10:00")
        heavy.details = details
        let made = composition(
            .sample([heavy, .sample(2, "2026-03-02 10:10")], app: .sample(maxCards: 2)), "2026-03-02 09:30")
        #expect(made.intents.map(\.step.event) == [numbered(2)])
        let fault = try #require(made.faults.first)
        #expect(fault.step.event == numbered(1))
        #expect(fault.text.contains("4096"))
    }

    @Test func stepsWithoutAPushHaveNoAttempt() {
        let silent = Run.sample(7, "2026-03-02 10:00", state: .claimed, token: false, started: "2026-03-02 09:00")
            .told(.upcoming, "2026-03-02 10:00", to: "2026-03-02 11:00")
        let made = intents(.sample([talk], runs: [silent], device: .sample(wakeToken: nil)), "2026-03-02 10:05")
        #expect(made.map(\.step.line) == ["settle r7 unknown no_answer"])
        #expect(made.map(\.attempt) == [nil])
    }
}
