import Foundation
import HTTPEndpoint
import LiveActivity
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import cuecard

/// `cuecard lambda`, before a Runtime API as AWS describes it.
@Suite struct LambdaTests {
    @Test func anInvocationIsATickAndTheNextOneFollows() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        world.clock.now = try #require(Date(rfc3339: "2026-03-02T05:00:00Z"))
        let api = try RuntimeService([
            .invocation("aa-1", #"{"now": "2026-03-02T05:00:00Z"}"#),
            .invocation("aa-2", #"{"now": "2026-03-02T05:00:00Z"}"#),
        ])
        let process = try lambda(world, api, ["--test-clock"])
        try await eventually("both are answered") { api.posts.count == 2 }

        #expect(api.posts.map(\.path) == ["aa-1", "aa-2"].map { "/2018-06-01/runtime/invocation/\($0)/response" })
        let summaries = try api.posts.map { try JSON(parsing: $0.body) }
        #expect(summaries[0]["started"] == 1)
        #expect(summaries[0]["now"] == "2026-03-02T05:00:00Z")
        #expect(summaries[1]["claimed"] == 0)
        #expect(world.simulator.requests.map(\.kind) == [.start])
        // Each line says which invocation it is about.
        #expect(process.errors.contains("invocation aa-1: 2026-03-02T05:00:00Z  claimed 1, started 1"))
    }

    /// EventBridge's own event has a time, which is no wish; and whatever else comes asks for a tick all the same.
    @Test(arguments: [
        #"{"version": "0", "source": "aws.events", "time": "2020-01-01T00:00:00Z"}"#, "[]", "no JSON", "",
    ])
    func theEventMeansNothing(event: String) async throws {
        let world = try await World.make()
        let began = Date()
        let api = try RuntimeService([.invocation("bb-1", event)])
        let process = try lambda(world, api)
        try await eventually("it is answered") { api.posts.count == 1 }
        #expect(api.posts[0].path.hasSuffix("/bb-1/response"), "\(process.errors)")
        guard case .string(let now)? = try JSON(parsing: api.posts[0].body)["now"] else {
            Issue.record("no now in \(api.posts[0].body)")
            return
        }
        #expect(
            try #require(Date(rfc3339: now)) >= Date(timeIntervalSince1970: began.timeIntervalSince1970.rounded(.down)))
    }

    @Test func withoutTheTestClockNobodySetsTheTime() async throws {
        let world = try await World.make()
        let api = try RuntimeService([
            .invocation("cc-1", #"{"now": "2026-03-02T05:00:00Z"}"#), .invocation("cc-2", "{}"),
        ])
        let process = try lambda(world, api)
        try await eventually("both are answered") { api.posts.count == 2 }
        #expect(api.posts[0].path == "/2018-06-01/runtime/invocation/cc-1/error", "\(process.errors)")
        #expect(api.posts[0].errorType == "Cuecard.EventRefused")
        #expect(try JSON(parsing: api.posts[0].body)["errorType"] == "EventRefused")
        #expect(api.posts[1].path.hasSuffix("/cc-2/response"))
    }

    @Test func aTickThatFailsIsReportedAndTheNextOneIsPlayed() async throws {
        let world = try await World.make()
        try await world.backend("select 1")
        let api = try RuntimeService([.invocation("dd-1", "{}")])
        // The worker may not call a function any more: every tick fails until it may again.
        _ = try await world.value("revoke execute on function cuecard.begin_tick from cuecard_worker")
        let process = try lambda(world, api)
        try await eventually("the failure is reported") { api.posts.count == 1 }
        #expect(api.posts[0].path == "/2018-06-01/runtime/invocation/dd-1/error")
        #expect(api.posts[0].errorType == "Cuecard.TickFailed")
        let failure = try JSON(parsing: api.posts[0].body)
        #expect(failure["errorType"] == "TickFailed")
        guard case .string(let message)? = failure["errorMessage"] else {
            Issue.record("no message in \(api.posts[0].body)")
            return
        }
        #expect(message.contains("begin_tick"))
        #expect(process.errors.contains("error invocation dd-1: "))

        _ = try await world.value("grant execute on function cuecard.begin_tick to cuecard_worker")
        api.add(.invocation("dd-2", "{}"))
        try await eventually("the next one is answered") { api.posts.count == 2 }
        #expect(api.posts[1].path.hasSuffix("/dd-2/response"))
        #expect(process.isRunning)
    }

    @Test func anAnswerThatLambdaDoesNotTakeIsSaidAndTheLoopGoesOn() async throws {
        let world = try await World.make()
        let api = try RuntimeService(
            [.invocation("ee-1", "{}"), .invocation("ee-2", "{}")], taking: { $0.contains("ee-2") })
        let process = try lambda(world, api)
        try await eventually("both are answered") { api.posts.count == 2 }
        #expect(process.errors.contains("invocation ee-1: Lambda did not take the answer"))
        #expect(api.posts[1].path.hasSuffix("/ee-2/response"))
    }

    @Test func aTimeoutWithoutRoomIsSaid() async throws {
        let world = try await World.make()
        let api = try RuntimeService([.invocation("ff-1", "{}", left: 20), .invocation("ff-2", "{}", left: 120)])
        let process = try lambda(world, api)
        try await eventually("both are answered") { api.posts.count == 2 }
        #expect(api.posts.allSatisfy { $0.path.hasSuffix("/response") })
        #expect(process.errors.components(separatedBy: "set it to 120 seconds").count == 2, "\(process.errors)")
    }

    @Test(arguments: [
        (["lambda-runtime-deadline-ms": "1"], "Lambda-Runtime-Aws-Request-Id"),
        (["lambda-runtime-aws-request-id": "../init"], "Lambda-Runtime-Aws-Request-Id"),
        (["lambda-runtime-aws-request-id": "gg-1"], "Lambda-Runtime-Deadline-Ms"),
        (
            ["lambda-runtime-aws-request-id": "gg-1", "lambda-runtime-deadline-ms": "soon"],
            "Lambda-Runtime-Deadline-Ms"
        ),
    ])
    func anAnswerThatCannotBeReadEndsTheProcess(headers: [String: String], missing: String) async throws {
        let world = try await World.make()
        let api = try RuntimeService([Response(status: 200, headers: headers, body: Array("{}".utf8))])
        let result = try await lambda(world, api).result()
        #expect(result.code == ExitCode.unavailable.rawValue)
        #expect(result.errors.contains("without a readable \(missing) at http://127.0.0.1:"))
        #expect(api.posts.isEmpty)
    }

    @Test func aRefusalOfTheRuntimeAPIEndsTheProcess() async throws {
        let world = try await World.make()
        let api = try RuntimeService([Response(status: 500)])
        let result = try await lambda(world, api).result()
        #expect(result.code == ExitCode.unavailable.rawValue)
        #expect(result.errors.contains("Lambda's Runtime API answered 500"))
    }

    @Test func aRuntimeAPIThatDiesEndsTheProcess() async throws {
        let world = try await World.make()
        let api = try RuntimeService([.invocation("hh-1", "{}")])
        let process = try lambda(world, api)
        try await eventually("one is answered, the next is asked for") { api.posts.count == 1 && api.waiting == 1 }
        await api.die()
        let result = try await process.result()
        #expect(result.code == ExitCode.unavailable.rawValue)
        #expect(result.errors.contains("Lambda's Runtime API"))
        #expect(result.errors.contains("/invocation/next"))
    }

    @Test func wrongSettingsAreReportedAsAFailedStart() async throws {
        let world = try await World.make()
        let api = try RuntimeService([])
        var environment = try world.environment()
        environment["AWS_LAMBDA_RUNTIME_API"] = api.host
        environment["APNS_PRODUCTION_PRIVATE_KEY"] = "no key"
        environment["TICK_BUDGET_SECONDS"] = "long"
        let result = try await Binary.run(["lambda"], environment: environment)
        #expect(result.code == ExitCode.configuration.rawValue)
        #expect(api.posts.map(\.path) == ["/2018-06-01/runtime/init/error"])
        #expect(api.posts[0].errorType == "Cuecard.WrongConfiguration")
        #expect(api.posts[0].body.contains("APNS_PRODUCTION_PRIVATE_KEY"))
        #expect(api.posts[0].body.contains("TICK_BUDGET_SECONDS"))
        #expect(!api.posts[0].body.contains("no key"))
    }

    @Test func outsideLambdaItSaysSo() async throws {
        let result = try await Binary.run(["lambda"])
        #expect(result.code == ExitCode.configuration.rawValue)
        #expect(result.errors.contains("AWS_LAMBDA_RUNTIME_API is missing"))
    }

    @Test(arguments: [
        (50, 120, 50, false), (50, 60, 30, false), (50, 31, 1, false), (50, 20, 1, true), (5, 900, 5, false),
    ])
    func theBudgetEndsBeforeTheDeadline(settings: Int, left: Int, budget: Int, isShort: Bool) {
        let cut = LambdaBudget(settings: .seconds(settings), left: .seconds(left))
        #expect(cut.duration == .seconds(budget))
        #expect(cut.isShort == isShort)
    }

    private func lambda(_ world: World, _ api: RuntimeService, _ words: [String] = []) throws -> Child {
        var environment = try world.environment()
        environment["AWS_LAMBDA_RUNTIME_API"] = api.host
        return try Binary.start(["lambda"] + words, environment: environment)
    }
}
