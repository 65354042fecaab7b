import Foundation
import LambdaRuntime
import LiveActivity
import Tick

extension Command {
    /// A tick for each invocation, inside AWS Lambda: `cuecard lambda [--test-clock]`.
    ///
    /// It ends only when Lambda's Runtime API does, or where the settings are of no use.
    static func lambda(_ words: [String]) async throws -> ExitCode {
        let arguments = try Arguments(words, command: "lambda", flags: ["--test-clock"])
        let environment = ProcessInfo.processInfo.environment
        guard let host = environment["AWS_LAMBDA_RUNTIME_API"], !host.isEmpty else {
            throw Failure(
                .configuration,
                "AWS_LAMBDA_RUNTIME_API is missing; AWS Lambda sets it, and elsewhere `cuecard tick` is what you want")
        }
        let api = RuntimeAPI(host: host)
        let settings: Settings
        do {
            settings = try Settings(environment: environment)
            // Keys and roots that cannot be used are said now, and not at each tick.
            try Worker(settings).close()
        } catch {
            let message = (error as? Failure)?.message ?? "\(error)"
            _ = try await api.reportInit(InvocationFailure(type: "WrongConfiguration", message: message))
            throw error
        }
        while true {
            let invocation = try await api.next()
            try await answer(invocation, from: api, settings, takesTestClock: arguments[flag: "--test-clock"])
        }
    }

    private static func answer(
        _ invocation: Invocation, from api: RuntimeAPI, _ settings: Settings, takesTestClock: Bool
    ) async throws {
        let wasTaken: Bool
        do {
            let now = try LambdaEvent.moment(in: invocation.event, takesTestClock: takesTestClock) ?? Date()
            let report = try await tick(at: now, before: invocation.deadline, settings)
            Log.info("invocation \(invocation.id): \(report.text)")
            wasTaken = try await api.respond(to: invocation, with: report.json().bytes)
        } catch let error as RuntimeAPIError {
            throw error
        } catch {
            let refusal = error as? LambdaEvent.Refusal
            let failure = InvocationFailure(
                type: refusal == nil ? "TickFailed" : "EventRefused", message: refusal?.description ?? "\(error)")
            Log.error("invocation \(invocation.id): \(failure.message)")
            wasTaken = try await api.report(failure, of: invocation)
        }
        if !wasTaken {
            Log.warning("invocation \(invocation.id): Lambda did not take the answer; what was done stands")
        }
    }

    /// A pass with connections of its own: those that Lambda froze with the process may be dead without a sign, and a
    /// start sent into one would stay unknown.
    private static func tick(at now: Date, before deadline: Date, _ settings: Settings) async throws -> TickReport {
        var settings = settings
        let left = Duration.milliseconds(Int64(deadline.timeIntervalSinceNow * 1000))
        let budget = LambdaBudget(settings: settings.tickBudget, left: left)
        if budget.isShort {
            Log.warning("the function's timeout leaves no room for a whole batch; set it to 120 seconds")
        }
        settings.tickBudget = budget.duration
        let worker = try Worker(settings)
        defer { worker.close() }
        return try await worker.tick(at: now)
    }
}
