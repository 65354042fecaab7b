import Foundation
import PostgresStore

extension Doctor {
    /// The database and what it knows; nil where it could not be asked.
    mutating func examineDatabase(by worker: Worker, settings: Settings) async -> Examination? {
        do {
            let version = try await worker.serverVersion() ?? 0
            guard version >= 140_000 else {
                report.found(
                    "server_version", "Postgres \(version / 10_000) is too old", mend: "upgrade to 14 or newer")
                return nil
            }
            report.passed("database", "reachable, Postgres \(version / 10_000)")
        } catch {
            report.found("database", "\(error)", mend: "nothing else of the database was looked at")
            return nil
        }
        do {
            let asked = Date().timeIntervalSince1970
            let found = try await worker.examine()
            examineClock(found.clock, between: asked, and: Date().timeIntervalSince1970)
            examineSchema(found)
            examineTicks(found)
            examineLanes(found, worker: worker)
            examineCron(found)
            examineCalls(found, settings: settings)
            return found
        } catch PostgresError.refused(let refusal) where ["3F000", "42883", "42P01"].contains(refusal.code) {
            report.found(
                "migrations", "the schema cuecard is missing or older than this program", mend: Self.migrateMend)
        } catch PostgresError.refused(let refusal) where refusal.code == "42501" {
            report.cannot(
                "schema", "this role may not call cuecard.examine(); let DATABASE_URL name cuecard_worker or the owner")
            report.found(
                "worker_rights", "the role of DATABASE_URL may not do a worker's work: \(refusal.message)",
                mend:
                    "connect as cuecard_worker (`alter role cuecard_worker login password '…'`), or run `cuecard migrate` again"
            )
        } catch {
            report.found("database", "\(error)", mend: "mend that first; the rest of the database was not looked at")
        }
        return nil
    }

    private static let migrateMend = "run `cuecard migrate` as the owner of the database"

    private mutating func examineClock(_ theirs: TimeInterval, between asked: TimeInterval, and answered: TimeInterval)
    {
        let off = max(asked - theirs, theirs - answered, 0)
        if off > 5 {
            report.found(
                "clock", "this machine's clock and the database's are \(Int(off)) s apart",
                mend: "set both by NTP; the provider token and what is due depend on them")
        } else {
            report.passed("clock", "this machine and the database agree")
        }
    }

    private mutating func examineSchema(_ found: Examination) {
        let files = EmbeddedSQL.files.map(\.name)
        let ours = files.filter { $0.hasPrefix("migrations/") }
        let missing = ours.filter { !found.migrations.contains($0) }
        let newer = found.migrations.filter { !ours.contains($0) }
        if !missing.isEmpty {
            report.found("migrations", "not applied: \(missing.joined(separator: ", "))", mend: Self.migrateMend)
        } else if !newer.isEmpty {
            report.found(
                "migrations", "the database is of a newer version: \(newer.joined(separator: ", "))",
                mend: "run the newer cuecard here too")
        } else {
            report.passed("migrations", "up to date")
        }
        if found.missingRoles.isEmpty {
            report.passed("roles", "all four are there")
        } else {
            report.found("roles", "missing: \(found.missingRoles.joined(separator: ", "))", mend: Self.migrateMend)
        }
        if found.openTables.isEmpty {
            report.passed("row_security", "on for every table")
        } else {
            report.found(
                "row_security", "off for \(found.openTables.joined(separator: ", "))",
                mend: "alter table cuecard.… enable row level security")
        }
        examineRights(
            found, functions: files.filter { $0.hasPrefix("rpc/worker/") }.map { String($0.dropFirst(11).dropLast(4)) })
    }

    private mutating func examineRights(_ found: Examination, functions: [String]) {
        let lacking = functions.filter { !found.workerFunctions.contains($0) }
        let beyond = found.workerFunctions.filter { !functions.contains($0) } + found.workerTables
        if !lacking.isEmpty {
            report.found(
                "worker_rights", "cuecard_worker may not call \(lacking.joined(separator: ", "))",
                mend: Self.migrateMend)
        }
        if !beyond.isEmpty {
            report.found(
                "worker_rights", "cuecard_worker may use \(beyond.joined(separator: ", ")), which it never needs",
                mend: "revoke all on those from cuecard_worker and from public")
        }
        if !found.workerPowers.isEmpty {
            report.found(
                "worker_rights", "cuecard_worker has \(found.workerPowers.joined(separator: ", "))",
                mend:
                    "take that away: alter role cuecard_worker nosuperuser nocreaterole nobypassrls, or revoke the membership"
            )
        }
        if lacking.isEmpty && beyond.isEmpty && found.workerPowers.isEmpty {
            report.passed("worker_rights", "cuecard_worker may call its functions and nothing else")
        }
    }

    private mutating func examineTicks(_ found: Examination) {
        let overdue = found.lanes.filter { $0.pausedUntil == nil && !$0.isProbed }.map(\.overdue).reduce(0, +)
        let change = found.oldestChange.map { found.clock - $0 } ?? 0
        let age = found.lastTick.map { found.clock - $0 }
        let last = age.map { "the last tick was \(Self.text($0)) ago" } ?? "there was no tick yet"
        let isIdle = overdue == 0 && change < 180
        if !isIdle, age.map({ $0 > 180 }) ?? true {
            report.found(
                "last_tick", "\(last), and work waits",
                mend: "see that pg_cron, a timer or `cuecard serve --every 1m` calls the worker each minute")
        } else {
            report.passed("last_tick", isIdle ? "\(last); nothing waits" : last)
        }
        if let age, age < 600, let tick = found.lastTick, found.lastFinishedTick.map({ $0 < tick - 300 }) ?? (age > 120)
        {
            report.found(
                "last_tick", "ticks begin but have not come to their end lately",
                mend:
                    "read the worker's log; a platform that freezes it after the answer needs TICK_RESPONSE_SECONDS=wait"
            )
        }
    }

    static func count(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number) \(noun)s" }

    static func text(_ seconds: TimeInterval) -> String {
        switch seconds {
        case ..<120: "\(Int(max(0, seconds))) s"
        case ..<7200: "\(Int(seconds / 60)) min"
        default: "\(Int(seconds / 3600)) h"
        }
    }
}
