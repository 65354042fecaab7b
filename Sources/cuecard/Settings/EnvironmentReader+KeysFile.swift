import APNs
import Foundation
import LiveActivity

extension EnvironmentReader {
    /// The keys of `APNS_KEYS_FILE`; every fault names the file, the entry and the mend.
    mutating func keysFile() -> [PushSender.Credential] {
        guard let path = readableFile("APNS_KEYS_FILE") else { return [] }
        let file = "APNS_KEYS_FILE \(path)"
        guard let text = contents(of: path, named: file) else { return [] }
        let list: JSON
        do {
            list = try JSON(parsing: text)
        } catch {
            problems.append("\(file) is not JSON: \(error); write \(Self.keysFileShape)")
            return []
        }
        guard case .array(let entries) = list else {
            problems.append("\(file) holds no list; write \(Self.keysFileShape)")
            return []
        }
        var credentials: [PushSender.Credential] = []
        var entryOfLane: [String: String] = [:]
        for (index, entry) in entries.enumerated() {
            let name = "\(file), entry \(index + 1)"
            guard let credential = credential(of: entry, named: name) else { continue }
            for app in credential.bundleIDs.map({ $0.sorted() }) ?? ["every app"] {
                let lane = "\(app) in \(credential.environment.rawValue)"
                if let other = entryOfLane.updateValue("\(index + 1)", forKey: lane) {
                    problems.append("\(name) is for \(lane), and so is entry \(other); leave one of them")
                }
            }
            credentials.append(credential)
        }
        return credentials
    }

    private static let keysFileShape =
        #"[{"bundle_ids": ["com.example.app"], "environment": "production", "team_id": "…", "key_id": "…", "private_key_path": "AuthKey.p8"}]"#
    private static let fields: Set = ["bundle_ids", "environment", "team_id", "key_id", "private_key_path"]

    private mutating func credential(of entry: JSON, named name: String) -> PushSender.Credential? {
        guard case .object(let members) = entry else {
            problems.append("\(name) is no object; write \(Self.keysFileShape)")
            return nil
        }
        let before = problems.count
        for field in Set(members.keys).subtracting(Self.fields).sorted() {
            problems.append(
                "\(name): unknown field \"\(field)\"; there are \(Self.fields.sorted().joined(separator: ", "))")
        }
        var bundleIDs: Set<String>?
        switch members["bundle_ids"] ?? .null {
        case .null: break
        case .array(let ids) where !ids.isEmpty && ids.allSatisfy { $0.string != nil }:
            bundleIDs = Set(ids.compactMap(\.string))
        default:
            problems.append("\(name): bundle_ids must be a list of bundle ids; leave it out for every app")
        }
        let word = text("environment", of: members, named: name, mend: "write sandbox or production")
        let environment = word.flatMap(APNsEnvironment.init(rawValue:))
        if let word, environment == nil {
            problems.append("\(name): environment is \"\(word)\"; write sandbox or production")
        }
        let team = text(
            "team_id", of: members, named: name, mend: "write the 10-character team id of the Apple account")
        if let team, team.utf8.count != 10 {
            problems.append("\(name): team_id has \(team.utf8.count) characters, a team id has 10")
        }
        let id = text(
            "key_id", of: members, named: name, mend: "write the 10-character id that Apple shows beside the key")
        let path = text("private_key_path", of: members, named: name, mend: "write where the .p8 file is")
        if let path, !FileManager.default.isReadableFile(atPath: path) {
            problems.append(
                "\(name): private_key_path names a file that cannot be read, \(path); check the path and its permissions"
            )
        }
        guard problems.count == before, let environment, let team, let id, let path,
            let pem = contents(of: path, named: name)
        else { return nil }
        return credential(
            environment, bundleIDs: bundleIDs, team: team, id: id, pem: pem,
            names: (team: "\(name), team_id", id: "\(name), key_id", key: name))
    }

    private mutating func text(
        _ field: String, of members: [String: JSON], named name: String, mend: String
    ) -> String? {
        guard let text = members[field]?.string, !text.isEmpty else {
            problems.append("\(name): \(field) is missing or no text; \(mend)")
            return nil
        }
        return text
    }
}
