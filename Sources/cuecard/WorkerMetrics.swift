import Foundation
import LiveActivity
import Planning
import PostgresStore
import Synchronization
import Tick

/// What this process did since it started, and how its lanes stand, in Prometheus's text form.
///
/// Labels are environments, apps, kinds and outcomes: no device, token or user.
final class WorkerMetrics: Sendable {
    private struct Counts {
        var ticks = ["completed": 0, "work_left": 0, "failed": 0]
        var seconds = 0.0
        var reports = 0
        var pushes: [String: [String: Int]] = [:]
        var claimed = 0
        var held = 0
        var skipped = 0
        var unknown = 0
        var suspects = 0
        var spared = 0
        var keyless: [String: Int] = [:]
    }

    private let counts = Mutex(Counts())

    func count(_ report: TickReport) {
        counts.withLock { counts in
            counts.ticks[report.isWorkLeft ? "work_left" : "completed", default: 0] += 1
            counts.seconds += report.duration / .seconds(1)
            counts.reports += 1
            for (kind, outcomes) in report.pushes {
                counts.pushes[kind.rawValue, default: [:]].merge(outcomes) { $0 + $1 }
            }
            counts.claimed += report.claimed
            counts.held += report.held
            counts.skipped += report.skipped
            counts.unknown += report.unknown
            counts.suspects += report.suspects.count
            counts.spared += report.sparedTokens
            counts.keyless = Dictionary(
                report.unserved.keyless.map { (Self.lane($0.environment.rawValue, $0.bundleID), $0.devices) }
            ) { $0 + $1 }
        }
    }

    func countFailedTick() { counts.withLock { $0.ticks["failed", default: 0] += 1 } }

    /// The process's own counts come also where the database does not answer; then its gauges are left out.
    func prometheus(_ worker: Worker) async -> String {
        let own = text(counts.withLock { $0 })
        do {
            return own + Self.text(try await worker.status())
        } catch {
            return own + Self.series("cuecard_database_up", "gauge", "Whether the database answers.", [("", 0)])
        }
    }

    private func text(_ counts: Counts) -> String {
        let pushes = counts.pushes.flatMap { kind, outcomes in
            outcomes.map { ("{kind=\"\(kind)\",outcome=\"\($0)\"}", Double($1)) }
        }
        return [
            Self.series(
                "cuecard_ticks_total", "counter", "Ticks of this process, by how they ended.",
                counts.ticks.map { ("{result=\"\($0)\"}", Double($1)) }),
            "# HELP cuecard_tick_duration_seconds How long ticks took.\n# TYPE cuecard_tick_duration_seconds summary\n",
            "cuecard_tick_duration_seconds_sum \(counts.seconds)\ncuecard_tick_duration_seconds_count \(counts.reports)\n",
            Self.series(
                "cuecard_pushes_total", "counter", "Pushes, by kind and what became of them.", pushes),
            Self.series("cuecard_devices_claimed_total", "counter", "Devices that were due.", counts.claimed),
            Self.series(
                "cuecard_updates_held_total", "counter", "Times an update waited for its card's token.", counts.held),
            Self.series("cuecard_cards_skipped_total", "counter", "Cards or events passed over.", counts.skipped),
            Self.series(
                "cuecard_outcomes_unknown_total", "counter", "Pushes and cards whose fate is unknown.", counts.unknown),
            Self.series(
                "cuecard_suspect_start_tokens_total", "counter",
                "Devices that became suspect: starts are accepted and the app is silent.", counts.suspects),
            Self.series(
                "cuecard_spared_tokens_total", "counter", "Tokens that APNs called bad, too many at once.",
                counts.spared),
            Self.series(
                "cuecard_keyless_devices", "gauge", "Due devices that this worker has no key for, at the last tick.",
                counts.keyless.map { ($0, Double($1)) }),
        ].joined()
    }

    private static func text(_ status: Store.WorkerStatus) -> String {
        let lanes = { (lanes: [Store.WorkerStatus.Lane]) in lanes.map { (lane($0.environment, $0.bundleID), 1.0) } }
        return [
            series("cuecard_database_up", "gauge", "Whether the database answers.", 1),
            series(
                "cuecard_last_tick_timestamp_seconds", "gauge",
                "When a tick, of whichever worker, last came by one of this worker's lanes; its age is time() minus this.",
                status.lastTick.map { [("", $0)] } ?? []),
            series("cuecard_lanes", "gauge", "Environments and apps that this worker has a key for.", status.lanes),
            series("cuecard_lane_paused", "gauge", "Lanes stopped for a fault of their key.", lanes(status.paused)),
            series(
                "cuecard_lane_overdue", "gauge", "Lanes with due devices and no tick for three minutes.",
                lanes(status.overdue)),
        ].joined()
    }

    // MARK: The text form

    private static func lane(_ environment: String, _ bundleID: String) -> String {
        let bundle = bundleID.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "{environment=\"\(environment)\",bundle_id=\"\(bundle)\"}"
    }

    private static func series(_ name: String, _ type: String, _ help: String, _ value: Int) -> String {
        series(name, type, help, [("", Double(value))])
    }

    private static func series(
        _ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: Double)]
    ) -> String {
        let lines = values.sorted { $0.labels < $1.labels }.map { labels, value in
            "\(name)\(labels) \(value == value.rounded() ? String(Int64(value)) : String(value))\n"
        }
        return "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(lines.joined())"
    }
}
