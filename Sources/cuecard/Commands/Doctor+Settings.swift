import APNs
import Foundation
import LiveActivity

extension Doctor {
    /// The environment's variables, and the files that they name.
    mutating func examine(_ settings: Settings, problems: [String]) {
        for problem in problems {
            // Each is "what is wrong; the mend".
            let parts = problem.split(separator: ";", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            report.found("settings", parts.first ?? problem, mend: parts.count > 1 ? parts[1] : "mend its value")
        }
        if problems.isEmpty { report.passed("settings", "every variable can be read") }
        for credential in settings.credentials {
            let apps = credential.bundleIDs?.sorted().joined(separator: ", ") ?? "every app"
            report.passed(
                "key",
                "\(credential.key.id.key) of team \(credential.key.id.team), P-256, for \(apps) in \(credential.environment.rawValue)"
            )
        }
        examineKeyFiles()
        if settings.cronSecret == nil {
            report.cannot(
                "cron_secret", "CRON_SECRET is not set, which `cuecard serve` needs and `cuecard tick` does not")
        } else if let name = settings.guessableSecrets.first {
            report.found(
                "cron_secret", "\(name) has fewer than \(Settings.shortestSecret) characters and can be guessed",
                mend: "set it to what `openssl rand -hex 32` prints, and give pg_cron the same")
        } else {
            report.passed("cron_secret", "long enough")
        }
    }

    private mutating func examineKeyFiles() {
        var paths = environment.filter { $0.key.hasPrefix("APNS_") && $0.key.hasSuffix("PRIVATE_KEY_PATH") }
            .map(\.value)
        if let list = environment["APNS_KEYS_FILE"], !list.isEmpty { paths += Self.keyPaths(in: list) }
        for path in Set(paths.filter { !$0.isEmpty }).sorted() {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }  // the settings have said so
            if status.st_mode & 0o007 != 0 {
                report.found(
                    "key_file", "everybody on this machine may read or write \(path)", mend: "run chmod 600 \(path)")
            } else {
                report.passed("key_file", "\(path) is not open to everybody")
            }
        }
    }

    /// The paths in `APNS_KEYS_FILE`; none where it cannot be read, which the settings have said.
    private static func keyPaths(in file: String) -> [String] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        let list: JSON
        do { list = try JSON(parsing: String(decoding: data, as: UTF8.self)) } catch { return [] }
        return (list.array ?? []).compactMap { $0["private_key_path"]?.string }
    }

    /// What the worker needs of the machine: time zones, and the roots of the APNs hosts' certificates.
    mutating func examineHost(_ settings: Settings) {
        // Neither has ever had daylight saving time on this date, and one is not on the hour.
        let winter = Date(timeIntervalSince1970: 1_767_225_600)
        let zones = ["Asia/Seoul": 32_400, "America/New_York": -18_000, "Asia/Kolkata": 19_800]
        let wrong = zones.filter { TimeZone(identifier: $0)?.secondsFromGMT(for: winter) != $1 }.keys.sorted()
        if wrong.isEmpty {
            report.passed("time_zones", "the zone database is there")
        } else {
            report.found(
                "time_zones", "this machine does not know \(wrong.joined(separator: ", "))",
                mend: "install the zone database (Debian: tzdata)")
        }
        do {
            if try PushSender.trustsApple(caFile: settings.caFile) {
                report.passed("ca_roots", "the root of APNs' certificates is trusted")
            } else {
                report.found(
                    "ca_roots", "the root of APNs' certificates, USERTrust RSA, is not trusted on this machine",
                    mend: "install the system's roots (Debian: ca-certificates)")
            }
        } catch {
            report.found("ca_roots", "\(error)", mend: "let APNS_CA_FILE name a PEM file, or leave it unset")
        }
    }
}
