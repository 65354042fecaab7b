import APNs
import Foundation
import LiveActivity

extension EnvironmentReader {
    /// The keys of both environments, and those of `APNS_KEYS_FILE`.
    mutating func credentials() -> [PushSender.Credential] {
        // Plain APNS_KEY_ID and APNS_PRIVATE_KEY mean production.
        let production = credential(.production, prefixes: ["APNS_PRODUCTION_", "APNS_"])
        let sandbox = credential(.sandbox, prefixes: ["APNS_SANDBOX_"])
        let listed = keysFile()
        for single in [production, sandbox].compactMap(\.self) {
            guard listed.contains(where: { $0.environment == single.environment && $0.bundleIDs == nil }) else {
                continue
            }
            problems.append(
                "APNS_KEYS_FILE and \(single.environment == .sandbox ? "APNS_SANDBOX_KEY_ID" : "APNS_PRODUCTION_KEY_ID") both hold a key for every app in \(single.environment.rawValue); leave one of them, or name bundle_ids"
            )
        }
        return listed + [production, sandbox].compactMap(\.self)
    }

    private mutating func credential(_ environment: APNsEnvironment, prefixes: [String]) -> PushSender.Credential? {
        func first(_ names: [String]) -> String? { names.first { optional($0) != nil } }
        let idName = first(prefixes.map { $0 + "KEY_ID" })
        let keyName = first(prefixes.flatMap { [$0 + "PRIVATE_KEY", $0 + "PRIVATE_KEY_PATH"] })
        guard idName != nil || keyName != nil else { return nil }
        guard let idName, let keyName else {
            let (there, missing) =
                idName.map { ($0, prefixes[0] + "PRIVATE_KEY") } ?? (keyName ?? "", prefixes[0] + "KEY_ID")
            problems.append("\(missing) is missing while \(there) is set; set both, or neither")
            return nil
        }
        guard let team = text("APNS_TEAM_ID", mend: "set it to the 10-character team id of the Apple account") else {
            return nil
        }
        guard team.utf8.count == 10 else {
            add(
                "APNS_TEAM_ID has \(team.utf8.count) characters, a team id has 10; copy it from the Apple account's membership page"
            )
            return nil
        }
        if let path = first(prefixes.map { $0 + "PRIVATE_KEY_PATH" }), path != keyName {
            problems.append("\(keyName) and \(path) are both set; leave one of them")
            return nil
        }
        guard let id = optional(idName), let pem = privateKey(keyName) else { return nil }
        return credential(
            environment, bundleIDs: nil, team: team, id: id, pem: pem,
            names: (team: "APNS_TEAM_ID", id: idName, key: keyName))
    }

    private mutating func privateKey(_ name: String) -> String? {
        guard name.hasSuffix("_PATH") else { return optional(name) }
        guard let path = readableFile(name) else { return nil }
        return contents(of: path, named: name)
    }

    mutating func contents(of path: String, named name: String) -> String? {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            problems.append("\(name) names a file that is not text; it must hold the .p8 file's PEM")
            return nil
        }
    }

    mutating func credential(
        _ environment: APNsEnvironment, bundleIDs: Set<String>?, team: String, id: String, pem: String,
        names: (team: String, id: String, key: String)
    ) -> PushSender.Credential? {
        do throws(APNsError) {
            let key = try ProviderKey(teamID: team, keyID: id, privateKey: pem)
            return PushSender.Credential(environment: environment, bundleIDs: bundleIDs, key: key)
        } catch {
            let name =
                switch error {
                case .malformedTeamID: names.team
                case .malformedKeyID: names.id
                default: names.key
                }
            add("\(name): \(error)")
            return nil
        }
    }
}
