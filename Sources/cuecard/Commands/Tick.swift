import Foundation
import LiveActivity
import Planning
import Recurrence
import Tick

extension Command {
    /// One pass: `cuecard tick [--now T] [--dry-run] [--json]`.
    static func tick(_ words: [String]) async throws -> ExitCode {
        let arguments = try Arguments(words, command: "tick", flags: ["--dry-run", "--json"], options: ["--now"])
        let now = try arguments["--now"].map(moment) ?? Date()
        let settings = try Settings(environment: ProcessInfo.processInfo.environment)
        let worker = try Worker(settings)
        defer { worker.close() }

        let pass = Task { try await arguments[flag: "--dry-run"] ? worker.dryRun(at: now) : worker.tick(at: now) }
        // What is on its way gets its answer written down; the rest stays due.
        let stop = Task {
            await Signals.termination()
            pass.cancel()
        }
        defer { stop.cancel() }
        let report = try await pass.value
        if arguments[flag: "--json"] {
            Output.line(report.json(withActions: arguments[flag: "--dry-run"]).description)
        } else {
            if arguments[flag: "--dry-run"] {
                for action in report.actions { Output.line(action.text) }
            }
            Output.line(report.text)
        }
        return report.isWorkLeft ? .workLeft : .done
    }

    /// Reads an RFC 3339 time.
    static func moment(_ text: String) throws -> Date {
        guard let date = Date(rfc3339: text) else {
            throw Failure(.usage, "--now \"\(text)\" is not an RFC 3339 time; write it like 2026-03-01T09:00:00Z")
        }
        guard date.timeIntervalSince1970 >= 0 else {
            throw Failure(.usage, "--now \"\(text)\" lies before 1970, and there was no card then")
        }
        return date
    }
}

extension TickReport {
    /// For people: the time, then ``lines``.
    var text: String { "\(now.rfc3339)  " + lines.joined(separator: "\n") }

    /// For the log, which writes the time itself.
    var lines: [String] {
        var lines = [
            "claimed \(claimed), started \(started), updated \(updated), ended \(ended), woken \(woken), "
                + "held \(held), skipped \(skipped), failed \(failed), unknown \(unknown)"
        ]
        for lane in unserved.keyless {
            lines.append(
                "no key for \(lane.environment.rawValue) \(lane.bundleID): \(lane.devices) due devices get nothing")
        }
        for lane in unserved.paused {
            lines.append(
                "\(lane.environment.rawValue) \(lane.bundleID) is paused until "
                    + "\(Date(timeIntervalSince1970: lane.until).rfc3339), \(lane.reason): see `cuecard doctor`"
            )
        }
        if isWorkLeft { lines.append("ended with work left; the next tick goes on") }
        return lines
    }
}

extension TickReport.Action {
    /// One line for people.
    var text: String {
        let subject = event.map { "event \($0)" + (occurrence.map { " at \($0)" } ?? "") } ?? "the device"
        return "\(device)  \(action)  \(subject): \(reason.explanation)"
    }
}
