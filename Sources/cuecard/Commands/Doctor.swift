import Foundation
import LiveActivity
import PostgresStore

extension Command {
    /// Checks the whole set-up: `cuecard doctor [--json]`.
    static func doctor(_ words: [String]) async throws -> ExitCode {
        let arguments = try Arguments(words, command: "doctor", flags: ["--json"])
        var doctor = Doctor(environment: ProcessInfo.processInfo.environment)
        await doctor.examine()
        let report = doctor.report
        if arguments[flag: "--json"] {
            Output.line(report.json.description)
        } else {
            for line in report.lines { Output.line(line) }
        }
        return report.findings.isEmpty ? .done : .findings
    }
}

/// Looks at settings, host, database and APNs in turn; what one of them hides is said, not passed over.
struct Doctor {
    let environment: [String: String]
    var report = DoctorReport()

    init(environment: [String: String]) { self.environment = environment }

    mutating func examine() async {
        var reader = EnvironmentReader(environment)
        let settings = Settings(from: &reader)
        examine(settings, problems: reader.problems)
        examineHost(settings)
        guard !settings.databaseURL.isEmpty else { return report.cannot("database", "DATABASE_URL is not set") }
        let worker: Worker
        do { worker = try Worker(settings) } catch {
            report.found("settings", "\(error)", mend: "mend the setting that it names")
            return report.cannot("database", "the settings have to be mended first")
        }
        defer { worker.close() }
        let examination = await examineDatabase(by: worker, settings: settings)
        await probeAPNs(by: worker, settings: settings, apps: examination)
    }
}

/// What the checks say, in their order.
struct DoctorReport {
    struct Line {
        enum Verdict: String {
            case passed, finding
            case notChecked = "not_checked"
        }

        var verdict: Verdict
        /// A stable name, for programs.
        var check: String
        var message: String
        var mend: String?
    }

    private(set) var all: [Line] = []
    var findings: [Line] { all.filter { $0.verdict == .finding } }

    mutating func passed(_ check: String, _ message: String) {
        all.append(Line(verdict: .passed, check: check, message: message))
    }

    mutating func found(_ check: String, _ message: String, mend: String) {
        all.append(Line(verdict: .finding, check: check, message: message, mend: mend))
    }

    /// A check that could not run, and why.
    mutating func cannot(_ check: String, _ message: String) {
        all.append(Line(verdict: .notChecked, check: check, message: message))
    }

    var lines: [String] {
        let count = findings.count
        return all.map { line in
            switch line.verdict {
            case .passed: "ok           \(line.check): \(line.message)"
            case .finding: "FINDING      \(line.check): \(line.message); \(line.mend ?? "")"
            case .notChecked: "not checked: \(line.check): \(line.message)"
            }
        } + [count == 0 ? "healthy" : "\(count) finding\(count == 1 ? "" : "s")"]
    }

    var json: JSON {
        func list(_ verdict: Line.Verdict) -> JSON {
            .array(
                all.filter { $0.verdict == verdict }.map { line in
                    var members: [String: JSON] = ["check": .string(line.check), "message": .string(line.message)]
                    if let mend = line.mend { members["mend"] = .string(mend) }
                    return .object(members)
                })
        }
        return [
            "healthy": .bool(findings.isEmpty), "findings": list(.finding), "not_checked": list(.notChecked),
            "passed": list(.passed),
        ]
    }
}
