import APNs
import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

@testable import cuecard

/// `APNS_KEYS_FILE`: several apps, teams and environments; each fault names the file, the entry and the mend.
@Suite struct KeysFileTests {
    private let folder = NSTemporaryDirectory() + "/cuecard-keys-\(UUID().uuidString)"

    /// Settings from a file with this text, beside `good.p8` and `rsa.p8`.
    private func settings(_ text: String, _ more: [String: String] = [:]) throws -> Settings {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { unlinkAll() }
        try SigningKeyPair().privateKeyPEM.write(toFile: folder + "/good.p8", atomically: true, encoding: .utf8)
        try KeyText.rsa.write(toFile: folder + "/rsa.p8", atomically: true, encoding: .utf8)
        try text.replacing("FOLDER", with: folder).write(
            toFile: folder + "/keys.json", atomically: true, encoding: .utf8)
        return try Settings(
            environment: ["DATABASE_URL": "postgresql:///x", "APNS_KEYS_FILE": folder + "/keys.json"].merging(more) {
                $1
            })
    }

    private func unlinkAll() {
        do { try FileManager.default.removeItem(atPath: folder) } catch { Issue.record("\(error)") }
    }

    private static func entry(
        apps: String? = #"["com.example.a"]"#, environment: String = "production", team: String = "TEAM000001",
        key: String = "KEY0000001", path: String = "FOLDER/good.p8", more: String = ""
    ) -> String {
        let apps = apps.map { #""bundle_ids": \#($0), "# } ?? ""
        return
            #"{\#(apps)"environment": "\#(environment)", "team_id": "\#(team)", "key_id": "\#(key)", "private_key_path": "\#(path)"\#(more)}"#
    }

    @Test func severalAppsTeamsAndEnvironmentsAreRead() throws {
        let list = [
            Self.entry(apps: #"["com.example.a", "com.example.b"]"#),
            Self.entry(environment: "sandbox", key: "KEY0000002"),
            Self.entry(apps: #"["com.other.c"]"#, team: "TEAM000002", key: "KEY0000003"),
            Self.entry(apps: nil, team: "TEAM000002", key: "KEY0000004"),
        ]
        let credentials = try settings("[\(list.joined(separator: ", "))]").credentials
        #expect(credentials.map(\.environment) == [.production, .sandbox, .production, .production])
        #expect(
            credentials.map(\.bundleIDs) == [
                ["com.example.a", "com.example.b"], ["com.example.a"], ["com.other.c"], nil,
            ])
        #expect(credentials.map(\.key.id.team) == ["TEAM000001", "TEAM000001", "TEAM000002", "TEAM000002"])
        #expect(credentials.map(\.key.id.key) == ["KEY0000001", "KEY0000002", "KEY0000003", "KEY0000004"])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var text: String
        var says: [String]
        var more: [String: String] = [:]
    }

    @Test(arguments: [
        Fault(testDescription: "no JSON", text: "[", says: ["is not JSON", "bundle_ids"]),
        Fault(testDescription: "an object", text: entry(), says: ["holds no list", "bundle_ids", "private_key_path"]),
        Fault(testDescription: "a list of texts", text: #"["a"]"#, says: ["entry 1", "no object"]),
        Fault(
            testDescription: "an unknown field", text: "[\(entry(more: #", "topic": "x""#))]",
            says: ["entry 1", "unknown field \"topic\"", "bundle_ids"]),
        Fault(
            testDescription: "a field is missing", text: #"[{"environment": "sandbox"}]"#,
            says: ["entry 1: team_id is missing", "key_id is missing", "private_key_path is missing"]),
        Fault(
            testDescription: "another environment", text: "[\(entry(environment: "staging"))]",
            says: ["entry 1", "staging", "sandbox or production"]),
        Fault(
            testDescription: "apps as a text", text: "[\(entry(apps: #""com.example.a""#))]",
            says: ["entry 1", "bundle_ids must be a list"]),
        Fault(testDescription: "no apps", text: "[\(entry(apps: "[]"))]", says: ["entry 1", "leave it out"]),
        Fault(testDescription: "a short team", text: "[\(entry(team: "TEAM"))]", says: ["entry 1", "team_id has 4"]),
        Fault(
            testDescription: "no key file",
            text: "[\(entry()), \(entry(environment: "sandbox", path: "/nowhere/x.p8"))]",
            says: ["entry 2", "/nowhere/x.p8", "permissions"]),
        Fault(
            testDescription: "an RSA key", text: "[\(entry(path: "FOLDER/rsa.p8"))]", says: ["entry 1", "KEY0000001"]),
        Fault(
            testDescription: "a lane twice", text: "[\(entry()), \(entry(key: "KEY0000002"))]",
            says: ["entry 2 is for com.example.a in production", "entry 1", "leave one"]),
        Fault(
            testDescription: "every app twice", text: "[\(entry(apps: nil)), \(entry(apps: nil, key: "KEY0000002"))]",
            says: ["entry 2 is for every app in production"]),
    ])
    func aFaultNamesTheFileTheEntryAndTheMend(_ fault: Fault) throws {
        let failure = try #require(throws: Failure.self) { _ = try settings(fault.text, fault.more) }
        #expect(failure.code == .configuration)
        for text in fault.says { #expect(failure.message.contains(text), "\(failure.message)") }
        for line in failure.message.split(separator: "\n") {
            #expect(line.contains("APNS_KEYS_FILE \(folder)/keys.json"))
        }
        #expect(!failure.message.contains("PRIVATE KEY-----"))
    }

    @Test func aKeyForEveryAppIsSetOnce() throws {
        let more = [
            "APNS_TEAM_ID": "TEAM000001", "APNS_KEY_ID": "KEY0000009",
            "APNS_PRIVATE_KEY": try SigningKeyPair().privateKeyPEM,
        ]
        let failure = try #require(throws: Failure.self) { _ = try settings("[\(Self.entry(apps: nil))]", more) }
        for text in ["APNS_KEYS_FILE", "APNS_PRODUCTION_KEY_ID", "every app"] {
            #expect(failure.message.contains(text))
        }
        // For one app it goes before the key for all.
        #expect(try settings("[\(Self.entry())]", more).credentials.count == 2)
    }

    @Test func aFileThatIsNotThereIsNamed() throws {
        let failure = try #require(throws: Failure.self) {
            _ = try Settings(environment: ["DATABASE_URL": "postgresql:///x", "APNS_KEYS_FILE": "/nowhere/keys.json"])
        }
        for text in ["APNS_KEYS_FILE", "/nowhere/keys.json", "permissions"] { #expect(failure.message.contains(text)) }
    }
}
