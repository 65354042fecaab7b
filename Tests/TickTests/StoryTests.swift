import Foundation
import LiveActivity
import Planning
import Testing
import Tick

@Suite("A tick's story") struct StoryTests {
    static let story = [
        "begin", "fanOut", "claim", "load", "recordIntent", "send", "recordOutcomes", "reschedule", "fanOut", "claim",
        "finish",
    ]

    @Test func isToldInOrder() async throws {
        let rig = Rig([try .due()])
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.names == Self.story)
        #expect(report.claimed == 1)
        #expect(report.started == 1)
    }

    @Test(
        "A line that fails is the last one called",
        arguments: ["begin", "fanOut", "claim", "load", "recordIntent", "recordOutcomes", "reschedule", "finish"])
    func failure(line: String) async throws {
        var rig = Rig([try .due()])
        rig.failing = line
        await #expect(throws: Failure(at: line)) { try await tick(at: now, with: rig.clients) }
        let until = try #require(Self.story.firstIndex(of: line))
        #expect(rig.calls.now.names == Array(Self.story[...until]))
    }

    @Test("Where sending fails the outcomes are recorded, and the device is rescheduled")
    func sendFails() async throws {
        var rig = Rig([try .due()])
        rig.answer = { _ in .failed(.unknown("no answer in 10 s")) }
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.names == Self.story)
        #expect(rig.calls.now.outcomes.map(\.consequence.toState) == [.unknown])
        #expect(report.unknown == 1)
        #expect(report.started == 0)
    }

    @Test("I1: what the store has not cleared is not sent")
    func uncleared() async throws {
        var rig = Rig([try .due(device: 1), try .due(device: 2)])
        rig.clears = { $0.device == DeviceID(uuid(2)) }
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.recorded.count == 2)
        #expect(rig.calls.now.pushes.count == 1)
        #expect(rig.calls.now.outcomes.map(\.intent.device) == [DeviceID(uuid(2))])
        #expect(rig.calls.now.plans.map(\.device) == [DeviceID(uuid(1)), DeviceID(uuid(2))])
        #expect(report.started == 1)
    }

    @Test func nothingClearedIsNothingSentAndNothingRecorded() async throws {
        var rig = Rig([try .due()])
        rig.clears = { _ in false }
        _ = try await tick(at: now, with: rig.clients)
        #expect(
            rig.calls.now.names == [
                "begin", "fanOut", "claim", "load", "recordIntent", "reschedule", "fanOut", "claim", "finish",
            ])
    }

    @Test func nothingDueIsAShortStory() async throws {
        var rig = Rig([])
        rig.batches = 0
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.names == ["begin", "fanOut", "claim", "finish"])
        #expect(!report.isWorkLeft)
    }

    @Test("I2: all queued changes are fanned out before the claim")
    func fanOutFirst() async throws {
        var rig = Rig([try .due()])
        rig.changes = 3
        _ = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.names.prefix(6) == ["begin", "fanOut", "fanOut", "fanOut", "fanOut", "claim"])
    }

    @Test("FR-61: receipts that are ripe are asked for once a tick, and what Expo says is reported")
    func receipts() async throws {
        var rig = Rig([])
        rig.batches = 0
        rig.receipts = [.init(attempt: uuid(8), receipt: "r8")]
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.names == ["begin", "checkReceipts", "fanOut", "claim", "finish"])
        #expect(report.faults == ["asked for r8"])
    }

    @Test func aWakeThroughExpoKeepsItsReceipt() async throws {
        let rig = Rig([
            try .due(device: 2, runs: [.orphan(33, token: nil)], wakeToken: nil, expoToken: "ExponentPushToken[x]")
        ])
        _ = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.outcomes.compactMap(\.receipt) == ["r-ExponentPushToken[x]"])
    }

    // MARK: The budget

    @Test func theBudgetEndsATickAfterABatchAndSaysWhatIsLeft() async throws {
        var rig = Rig([try .due()])
        (rig.batches, rig.batchTime) = (9, .seconds(20))
        let report = try await tick(at: now, with: rig.clients, settings: TickSettings(budget: .seconds(50)))
        #expect(rig.calls.now.names.count { $0 == "claim" } == 3)
        #expect(rig.calls.now.names.suffix(2) == ["peek", "finish"])
        #expect(report.isWorkLeft)
        #expect(report.duration == .seconds(60))
        #expect(rig.calls.now.finished.count == 1)
    }

    @Test func changesThatTheBudgetCutOffAreWorkLeft() async throws {
        var rig = Rig([])
        (rig.batches, rig.changes, rig.fanOutTime) = (0, 100, .seconds(1))
        let report = try await tick(at: now, with: rig.clients, settings: TickSettings(budget: .seconds(10)))
        #expect(rig.calls.now.names.count { $0 == "fanOut" } == 10)
        #expect(report.isWorkLeft)
    }

    @Test func aCancelledTickFinishesItsBatchAndItsRow() async throws {
        let rig = Rig([try .due()])
        let clients = rig.clients
        let report = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await tick(at: now, with: clients)
        }.value
        #expect(report.started == 1)
        #expect(rig.calls.now.names.suffix(3) == ["reschedule", "peek", "finish"])
    }

    @Test func aCancelledTickFansOutNoMore() async throws {
        var rig = Rig([])
        (rig.batches, rig.changes) = (0, 100)
        let clients = rig.clients
        let report = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await tick(at: now, with: clients)
        }.value
        #expect(!rig.calls.now.names.contains("fanOut"))
        #expect(report.isWorkLeft)
    }

    // MARK: Two ways out

    @Test func eachPushGetsItsOwnAnswer() async throws {
        let dead = Run.orphan(31, token: "cc31")
        var rig = Rig([
            try .due(device: 1, runs: [dead, .orphan(32, token: "cc32")]),
            try .due(device: 2, runs: [.orphan(33, token: nil)], wakeToken: nil, expoToken: "ExponentPushToken[x]"),
        ])
        rig.answer = { $0.token == dead.updateToken ? .rejected(.init(status: 503, reason: "Shutdown")) : .accepted }
        let report = try await tick(at: now, with: rig.clients)
        #expect(rig.calls.now.expoWakes.map(\.token) == ["ExponentPushToken[x]"])
        #expect(rig.calls.now.outcomes.count == 5)
        let refused = rig.calls.now.outcomes.filter { $0.outcome != .accepted }
        #expect(refused.map(\.intent.run) == [dead.id])
        // Two starts, two ends, and a wake that went through Expo.
        let counts: [Int] = [report.started, report.ended, report.failed, report.woken]
        #expect(counts == [2, 1, 1, 1])
    }

    @Test func fewerAnswersThanPushesShiftNothing() async throws {
        let rig = Rig([
            try .due(device: 1),
            try .due(device: 2, runs: [.orphan(33, token: nil)], wakeToken: nil, expoToken: "ExponentPushToken[x]"),
        ])
        var clients = rig.clients
        clients.send = { _ in [] }
        _ = try await tick(at: now, with: clients)
        #expect(rig.calls.now.outcomes.map { $0.intent.expoWake != nil } == [true])
    }

    // MARK: A dry run

    @Test func aDryRunOnlyReads() async throws {
        let rig = Rig([try .due(device: 1), try .due(device: 2, runs: [.orphan(33, token: nil)])])
        let report = try await dryRun(at: now, with: rig.clients)
        #expect(rig.calls.now.names == ["unserved", "peek", "load", "peek"])
        #expect(report.started == 2)
        #expect(report.woken == 1)
        #expect(report.claimed == 2)
    }
}
