import Foundation

/// The files of `sql/`, as they lie beside the tests.
enum SQLFiles {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("sql")

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// In the order in which `migrate` takes them.
    static func paths(below folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(".sql") }.sorted().map { folder + "/" + $0 }
    }
}
