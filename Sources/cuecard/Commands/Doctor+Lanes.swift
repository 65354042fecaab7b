import Foundation
import LiveActivity
import PostgresStore

extension Doctor {
    /// Where devices are, and whether anything reaches them.
    mutating func examineLanes(_ found: Examination, worker: Worker) {
        let before = report.findings.count
        for lane in found.lanes where lane.devices > 0 {
            let name = "\(lane.environment) \(lane.bundleId)"
            let devices = Self.count(lane.devices, "device")
            let itsRow = "where (apns_environment, bundle_id) = ('\(lane.environment)', '\(lane.bundleId)')"
            if let environment = APNsEnvironment(rawValue: lane.environment),
                !worker.hasKey(for: lane.bundleId, in: environment)
            {
                report.found(
                    "lane", "\(name) has \(devices) and no key here, so they get nothing",
                    mend:
                        "set APNS_\(lane.environment.uppercased())_KEY_ID and its private key, or add it to APNS_KEYS_FILE"
                )
            }
            if !found.apps.contains(lane.bundleId) {
                report.found(
                    "app", "\(name) has \(devices) and no row in cuecard.app, so they get nothing",
                    mend: "insert into cuecard.app (bundle_id, attributes_type) values ('\(lane.bundleId)', '…')")
            }
            if lane.sparesTokens {
                report.found(
                    "lane", "APNs called so many tokens of \(name) bad at once that all are kept",
                    mend:
                        "see that apns_environment, bundle id and key belong to these builds, then as the owner: update cuecard.lane set spares_tokens_until = null \(itsRow)"
                )
            }
            if let until = lane.pausedUntil {
                report.found(
                    "lane",
                    "\(name) is paused for \(Self.text(until - found.clock)): \(lane.pauseReason ?? "its key was refused")",
                    mend:
                        "look at the key and team, then as the owner: update cuecard.lane set paused_until = null, probe_at = null \(itsRow)"
                )
            } else if lane.isProbed {
                report.found(
                    "lane", "the last pushes of \(name) all failed, so that five devices a tick try it out",
                    mend: "see cuecard.attempt for what APNs said; it ends with the first push that gets through")
            } else if lane.overdue > 0 {
                report.found(
                    "overdue", "\(name) has \(Self.count(lane.overdue, "device")) due for over three minutes",
                    mend: "see last_tick; where ticks come, one worker is too slow: run more of them")
            }
        }
        if report.findings.count == before {
            report.passed("lanes", "every registered device can be reached, none waits")
        }
        if found.suspects > 0 {
            report.found(
                "start_tokens", "\(Self.count(found.suspects, "device")) with a start token that seems to reach nobody",
                mend: "see select * from cuecard.failing_devices(); their apps must register a new token")
        } else {
            report.passed("start_tokens", "none is suspect")
        }
    }

    /// pg_cron and its job, where it is.
    mutating func examineCron(_ found: Examination) {
        guard let cron = found.cron else { return report.cannot("cron", "there is no pg_cron in this database") }
        guard let jobs = cron.jobs else {
            return report.cannot("cron", "cron.job may not be read by the schema's owner: \(cron.unreadable ?? "")")
        }
        guard let job = jobs.first else {
            if let tick = found.lastTick, found.clock - tick < 300 {
                return report.passed("cron", "no job cuecard-tick is to be seen, but ticks come from elsewhere")
            }
            return report.found(
                "cron", "pg_cron has no job cuecard-tick that the schema's owner can see",
                mend: "run sql/cron/schedule.sql")
        }
        let before = report.findings.count
        if jobs.count > 1 {
            report.found(
                "cron", "there are \(jobs.count) jobs cuecard-tick", mend: "run unschedule.sql, then schedule.sql")
        }
        if !job.active {
            report.found("cron", "the job cuecard-tick is switched off", mend: "run sql/cron/schedule.sql")
        } else if let start = job.lastStart, found.clock - start > 300 {
            report.found(
                "cron", "the job cuecard-tick last ran \(Self.text(found.clock - start)) ago",
                mend: "see that the server has shared_preload_libraries = pg_cron and cron.database_name right")
        }
        if job.status == "failed" {
            report.found(
                "cron", "the last run of cuecard-tick failed: \(job.message ?? "")",
                mend: "what it says is missing goes into Vault or cuecard.cron_setting; see schedule.sql")
        }
        if report.findings.count == before {
            let last = job.lastStart.map { "last ran \(Self.text(found.clock - $0)) ago" } ?? "has not run yet"
            report.passed("cron", "cuecard-tick \(last)")
        }
    }

    /// What pg_net got back, and whether it waits long enough.
    mutating func examineCalls(_ found: Examination, settings: Settings) {
        if let http = found.http, let failed = http.failed {
            if failed > 0 {
                let last = http.error ?? http.status.map { "HTTP \($0)" } ?? "a time-out"
                report.found(
                    "pg_net", "\(failed) calls failed in the last ten minutes, the last answer was \(last)",
                    mend:
                        "401 is another secret than the worker's CRON_SECRET; anything else is the address, or a worker that is down"
                )
            } else {
                report.passed("pg_net", "no failed call in the last ten minutes")
            }
        } else if let http = found.http {
            report.cannot("pg_net", "net._http_response may not be read: \(http.unreadable ?? "")")
        }
        guard let milliseconds = found.callTimeoutMs else { return }
        let answer = settings.tickResponse ?? settings.tickBudget
        if Double(milliseconds) / 1000 <= Double(answer.components.seconds) + 1 {
            report.found(
                "timeout",
                "pg_net gives up after \(milliseconds) ms, /tick answers after up to \(answer.components.seconds) s",
                mend: "run this version's sql/cron/schedule.sql, or lower TICK_RESPONSE_SECONDS or TICK_BUDGET_SECONDS")
        } else {
            report.passed("timeout", "pg_net waits longer than /tick takes to answer")
        }
    }
}
