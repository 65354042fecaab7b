import APNs
import Foundation
import LiveActivity

extension EnvironmentReader {
    /// The keys of both environments, and those of `APNS_KEYS_FILE`.
    mutating func credentials() -> [PushSender.Credential] {
        // Plain APNS_KEY_ID and APNS_PRIVATE_KEY mean production.
        let production = credential(.production, prefixes: ["APNS_PRODUCTION_", "APNS_"])
        let sandbox = credential(.sandbox, prefixes: ["APNS_SANDBOX_"])
        return keysFile() + [production, sandbox].compactMap(\.self)
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
        guard let id = optional(idName), let pem = privateKey(keyName) else { return nil }
        return credential(environment, bundleIDs: nil, team: team, id: id, pem: pem, named: keyName)
    }

    private mutating func privateKey(_ name: String) -> String? {
        guard name.hasSuffix("_PATH") else { return optional(name) }
        guard let path = readableFile(name) else { return nil }
        return contents(of: path, named: name)
    }

    private mutating func contents(of path: String, named name: String) -> String? {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            problems.append("\(name) names a file that is not text; it must hold the .p8 file's PEM")
            return nil
        }
    }

    private mutating func credential(
        _ environment: APNsEnvironment, bundleIDs: Set<String>?, team: String, id: String, pem: String,
        named name: String
    ) -> PushSender.Credential? {
        do throws(APNsError) {
            let key = try ProviderKey(teamID: team, keyID: id, privateKey: pem)
            return PushSender.Credential(environment: environment, bundleIDs: bundleIDs, key: key)
        } catch {
            problems.append("\(name): \(error)")
            return nil
        }
    }

    private struct KeyEntry: Decodable {
        var bundleIds: [String]?
        var environment: APNsEnvironment
        var teamId: String
        var keyId: String
        var privateKeyPath: String
    }

    private mutating func keysFile() -> [PushSender.Credential] {
        guard let path = readableFile("APNS_KEYS_FILE") else { return [] }
        let entries: [KeyEntry]
        do {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            entries = try decoder.decode([KeyEntry].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            problems.append(
                "APNS_KEYS_FILE cannot be read; it must be a JSON list of {bundle_ids, environment, team_id, key_id, private_key_path}"
            )
            return []
        }
        return entries.compactMap { entry in
            let name = "APNS_KEYS_FILE, key \(entry.keyId)"
            guard FileManager.default.isReadableFile(atPath: entry.privateKeyPath) else {
                problems.append(
                    "\(name): private_key_path names a file that cannot be read; check the path and its permissions")
                return nil
            }
            guard let pem = contents(of: entry.privateKeyPath, named: name) else { return nil }
            return credential(
                entry.environment, bundleIDs: entry.bundleIds.map(Set.init), team: entry.teamId, id: entry.keyId,
                pem: pem, named: name)
        }
    }
}
