import Foundation
import HTTPEndpoint
import LiveActivity
import Tick
import UserRPC

extension Command {
    /// The HTTP handler until a signal ends it.
    ///
    /// `cuecard serve [--listen HOST:PORT] [--every 1m] [--listen-changes] [--test-clock]`
    static func serve(_ words: [String]) async throws -> ExitCode {
        let arguments = try Arguments(
            words, command: "serve", flags: ["--test-clock", "--listen-changes"],
            options: ["--listen", "--every"])
        let every = try arguments["--every"].map(OwnTicks.interval)
        let settings = try Settings(environment: ProcessInfo.processInfo.environment)
        guard let secret = settings.cronSecret else {
            throw Failure(
                .configuration, "CRON_SECRET is empty; set it to a long random text, and give pg_cron the same")
        }
        var configuration = HTTPEndpoint.Configuration(
            listen: try ListenAddress(arguments["--listen"] ?? settings.listen),
            secrets: [secret] + [settings.previousCronSecret].compactMap(\.self))
        configuration.responseLimit = settings.tickResponse
        configuration.takesTestClock = arguments[flag: "--test-clock"]

        let rpc = settings.rpc?.service()
        configuration.rpc = rpc?.routes

        let worker = try Worker(settings)
        defer { worker.close() }
        let metrics = WorkerMetrics()
        let endpoint = try HTTPEndpoint(
            configuration: configuration, tick: { await answer(to: $0, by: worker, counting: metrics) },
            ready: {
                async let callers = rpc?.obstacles()
                return await worker.obstacles() + (callers ?? [])
            },
            metrics: { await metrics.prometheus(worker) })
        Log.info("listening on \(configuration.listen.host), port \(endpoint.port)")
        for name in settings.guessableSecrets {
            Log.warning(
                "\(name) has fewer than \(Settings.shortestSecret) characters and can be guessed; take `openssl rand -hex 32`"
            )
        }
        let ownTicks = OwnTicks(every: every, changes: arguments[flag: "--listen-changes"] ? worker.changes() : nil) {
            await ownTick(by: worker, counting: metrics)
        }
        await Signals.termination()
        Log.info("stopping: a running tick ends after its batch, and requests get their answers")
        async let ownTicksStopped = ownTicks.stop(within: .seconds(20))
        let callsStopped = await endpoint.stop(within: .seconds(20))
        if await !(ownTicksStopped && callsStopped) { Log.warning("a tick was still at work; its leases pass it on") }
        return .done
    }

    /// Plays a tick that nobody called for; false where it did not come to its end.
    private static func ownTick(by worker: Worker, counting metrics: WorkerMetrics) async -> Bool {
        do {
            _ = try await pass(at: Date(), by: worker, counting: metrics)
            return true
        } catch {
            return false
        }
    }

    /// Plays a tick, counts it, and says in the log what came of it.
    private static func pass(
        at now: Date, by worker: Worker, counting metrics: WorkerMetrics
    ) async throws -> TickReport {
        do {
            let report = try await worker.tick(at: now)
            metrics.count(report)
            for line in report.lines { Log.info(line) }
            return report
        } catch {
            metrics.countFailedTick()
            Log.error("\(error)")
            throw error
        }
    }

    /// Plays a tick and puts its report, or what went wrong, into an answer.
    private static func answer(to request: TickRequest, by worker: Worker, counting metrics: WorkerMetrics) async
        -> TickResponse
    {
        var now = Date()
        if let wished = request.now {
            guard let date = Date(rfc3339: wished) else {
                return .error(
                    status: 400, code: "bad_now", message: "now is not an RFC 3339 time",
                    hint: "Write it like 2026-03-01T09:00:00Z.")
            }
            now = date
        }
        do {
            return TickResponse(body: try await pass(at: now, by: worker, counting: metrics).json().bytes)
        } catch {
            return .error(
                status: 503, code: "tick_failed", message: "\(error)",
                hint: "What was recorded stands; the next tick goes on from there.")
        }
    }
}
