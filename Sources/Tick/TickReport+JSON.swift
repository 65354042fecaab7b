internal import Foundation
public import LiveActivity
internal import Planning

extension TickReport {
    /// The summary as programs read it; with `actions` where a dry run is reported.
    public func json(withActions: Bool = false) -> JSON {
        var summary: [String: JSON] = [
            "now": .string(now.rfc3339), "claimed": .count(claimed), "started": .count(started),
            "updated": .count(updated),
            "ended": .count(ended), "woken": .count(woken), "held": .count(held), "skipped": .count(skipped),
            "failed": .count(failed), "unknown": .count(unknown),
            "duration_ms": .int(Int64(duration / .milliseconds(1))),
        ]
        if !unserved.keyless.isEmpty {
            summary["no_key"] = .array(
                unserved.keyless.map {
                    [
                        "environment": .string($0.environment.rawValue), "bundle_id": .string($0.bundleID),
                        "devices": .count($0.devices),
                    ]
                })
        }
        if !unserved.paused.isEmpty {
            summary["paused"] = .array(
                unserved.paused.map {
                    [
                        "environment": .string($0.environment.rawValue), "bundle_id": .string($0.bundleID),
                        "reason": .string($0.reason), "until": .string(Date(timeIntervalSince1970: $0.until).rfc3339),
                    ]
                })
        }
        if sparedTokens > 0 { summary["spared_tokens"] = .count(sparedTokens) }
        if !suspects.isEmpty { summary["suspects"] = .array(suspects.map { .string("\($0)") }) }
        if isWorkLeft { summary["work_left"] = true }
        if withActions { summary["actions"] = .array(actions.map(\.json)) }
        return .object(summary)
    }
}

extension TickReport.Action {
    var json: JSON {
        var action: [String: JSON] = [
            "device": .string("\(device)"), "action": .string(action), "reason": .string(reason.rawValue),
        ]
        action["event"] = event.map { .string("\($0)") } ?? .null
        action["occurrence"] = occurrence.map { .string("\($0)") } ?? .null
        return .object(action)
    }
}

extension JSON {
    fileprivate static func count(_ number: Int) -> JSON { .int(Int64(number)) }
}
