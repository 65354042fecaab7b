import Foundation
import LiveActivity
import Planning
import Recurrence
import Testing
import Tick

@Suite("A tick's report") struct ReportTests {
    @Test("Its JSON has the keys of the contract, and no others")
    func keys() async throws {
        let rig = Rig([try .due()])
        let report = try await tick(at: now, with: rig.clients)
        #expect(
            report.json().description
                == #"{"claimed":1,"duration_ms":0,"ended":0,"failed":0,"held":0,"now":"2026-03-02T09:30:00Z","skipped":0,"started":1,"unknown":0,"updated":0,"woken":0}"#
        )
    }

    @Test("A dry run lists its actions")
    func actions() async throws {
        let rig = Rig([try .due()])
        let json = try await dryRun(at: now, with: rig.clients).json(withActions: true)
        let action =
            #"{"action":"start","device":"00000000-0000-4000-8000-000000000001","event":"00000000-0000-4000-8000-000000000070","#
            + #""occurrence":"2026-03-02T10:00:00","reason":"window_open"}"#
        #expect(json["actions"]?.description == "[\(action)]")
        #expect(json["started"] == 1)
    }

    @Test func whatConcernsTheWholeDeviceHasNoEvent() async throws {
        var snapshot = try DeviceSnapshot.due()
        snapshot.app = nil
        let json = try await dryRun(at: now, with: Rig([snapshot]).clients).json(withActions: true)
        #expect(
            json["actions"]?.description
                == #"[{"action":"skip","device":"00000000-0000-4000-8000-000000000001","event":null,"occurrence":null,"reason":"no_app"}]"#
        )
        #expect(json["skipped"] == 1)
    }

    @Test("I6: lanes without a key are said")
    func keyless() async throws {
        var rig = Rig([])
        rig.batches = 0
        rig.unserved.keyless = [KeylessLane(environment: .sandbox, bundleID: "app.example", devices: 12)]
        for report in [try await tick(at: now, with: rig.clients), try await dryRun(at: now, with: rig.clients)] {
            #expect(
                report.json()["no_key"]?.description
                    == #"[{"bundle_id":"app.example","devices":12,"environment":"sandbox"}]"#)
        }
    }

    @Test("FR-46: a lane that a refused key paused is said with each tick, not once")
    func paused() async throws {
        var rig = Rig([])
        rig.batches = 0
        rig.unserved.paused = [
            PausedLane(
                environment: .production, bundleID: "app.example", reason: "InvalidProviderToken",
                until: 1_772_443_200)
        ]
        let json = try await tick(at: now, with: rig.clients).json()
        #expect(
            json["paused"]?.description
                == #"[{"bundle_id":"app.example","environment":"production","reason":"InvalidProviderToken","until":"2026-03-02T09:20:00Z"}]"#
        )
    }

    @Test func aReportOfAWholeFleetIsNoLargerThanOneOfAThousandFaults() async throws {
        var rig = Rig(try (1...1200).map { try .due(device: $0) })
        rig.answer = { _ in .failed(.unknown("no answer")) }
        let report = try await tick(at: now, with: rig.clients)
        #expect(report.unknown == 1200)
        #expect(report.faults.count == 1001)
        #expect(report.faults.last == "and 200 faults more: the first 1000 are told")
        #expect(report.actions.isEmpty)
    }

    @Test func everyOutcomeHasItsCount() async throws {
        func count(_ outcome: PushOutcome) async throws -> [Int] {
            var rig = Rig([try .due(runs: [.orphan(31, token: "cc31")])])
            rig.answer = { _ in outcome }
            let report = try await tick(at: now, with: rig.clients)
            return [report.started, report.ended, report.failed, report.unknown]
        }
        #expect(try await count(.accepted) == [1, 1, 0, 0])
        #expect(try await count(.rejected(.init(status: 503, reason: "ServiceUnavailable"))) == [0, 0, 2, 0])
        #expect(try await count(.failed(.notProcessed("GOAWAY"))) == [0, 0, 2, 0])
        #expect(try await count(.failed(.unknown("reset"))) == [0, 0, 0, 2])
    }

    @Test func heldAndLostStartsAreCounted() async throws {
        var waiting = Run.orphan(31, token: nil)
        (waiting.eventID, waiting.occurrence) = (EventID(uuid(70)), LocalDateTime("2026-03-02T10:00:00")!)
        (waiting.state, waiting.isConfirmed) = (.claimed, false)
        let report = try await tick(at: now, with: Rig([try .due(runs: [waiting])]).clients)
        #expect(report.held == 1)
        #expect(report.unknown == 1)
    }

    @Test("I8: faults name no token")
    func faults() async throws {
        var rig = Rig([try .due(rrule: "FREQ=DAILY;BYDAY=XX"), try .due(device: 2)])
        rig.answer = { _ in .rejected(.init(status: 400, reason: "BadDeviceToken")) }
        let report = try await tick(at: now, with: rig.clients)
        #expect(report.faults.count == 2)
        #expect(report.faults[0].hasPrefix("event 00000000-0000-4000-8000-000000000070: "))
        #expect(report.faults[1] == "device 00000000-0000-4000-8000-000000000002: start refused: 400 BadDeviceToken")
        #expect(!report.faults.joined().contains("aa01"))
    }

    @Test func aCardThatCannotBeMadeFails() async throws {
        var snapshot = try DeviceSnapshot.due()
        snapshot.events[0].details = .object(
            Dictionary(uniqueKeysWithValues: (0..<600).map { ("key\($0)", JSON.int(Int64($0))) }))
        let rig = Rig([snapshot])
        let report = try await tick(at: now, with: rig.clients)
        #expect(report.failed == 1)
        #expect(rig.calls.now.pushes.isEmpty)
        #expect(rig.calls.now.plans.count == 1)
    }

    // MARK: Mass invalidation

    private func bad(_ count: Int, of all: Int, since: Date? = nil) async throws -> (Rig, TickReport) {
        var rig = Rig(try (1...all).map { try .due(device: $0) })
        let answered = Calls()
        rig.answer = { _ in
            answered.note("push")
            guard answered.now.names.count <= count else { return .accepted }
            return .rejected(
                .init(
                    status: since == nil ? 400 : 410, reason: since == nil ? "BadDeviceToken" : "Unregistered",
                    since: since))
        }
        return (rig, try await tick(at: now, with: rig.clients))
    }

    @Test("Twenty bad tokens that are half of what was sent are kept")
    func massInvalidation() async throws {
        let (rig, report) = try await bad(20, of: 40)
        #expect(!rig.calls.now.outcomes.contains { $0.consequence.isTokenSpent })
        #expect(report.sparedTokens == 20)
        #expect(report.json()["spared_tokens"] == 20)
        #expect(report.faults.contains { $0.hasPrefix("APNs called 20 tokens bad at once") })
    }

    @Test("What the batches of a tick were answered adds up")
    func massInvalidationOverBatches() async throws {
        var rig = Rig(try (1...15).map { try .due(device: $0) })
        rig.batches = 2
        rig.answer = { _ in .rejected(.init(status: 400, reason: "BadDeviceToken")) }
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.outcomes.map(\.consequence.isTokenSpent) == (0..<30).map { $0 < 15 })
        #expect(report.sparedTokens == 15)
    }

    @Test(
        "Fewer are cleared, and those that APNs dates",
        arguments: [(19, 19, nil), (20, 41, nil), (30, 30, now - 60)] as [(Int, Int, Date?)])
    func cleared(count: Int, all: Int, since: Date?) async throws {
        let (rig, report) = try await bad(count, of: all, since: since)
        #expect(rig.calls.now.outcomes.count { $0.consequence.isTokenSpent } == count)
        #expect(report.sparedTokens == 0)
    }

    @Test("FR-20: a start token that becomes suspect is said by device, in the log and in the summary")
    func suspects() async throws {
        var rig = Rig([try .due()])
        rig.suspects = [DeviceID(uuid(1))]
        let report = try await tick(at: now, with: rig.clients)
        #expect(report.started == 1)
        #expect(
            report.faults.filter { $0.contains("stale start token") && $0.contains("\(DeviceID(uuid(1)))") }.count == 1)
        #expect(report.json()["suspects"] == [.string("\(DeviceID(uuid(1)))")])
        rig.suspects = []
        #expect(try await tick(at: now, with: rig.clients).json()["suspects"] == nil)
    }
}
