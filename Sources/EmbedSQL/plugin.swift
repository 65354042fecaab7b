import Foundation
import PackagePlugin

/// Carries `sql/` inside the binary: `sqlgen` writes it as Swift source before each build.
///
/// The target holds a link to `sql/`, so that a new file is noticed.
@main
struct EmbedSQL: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let root = target.directoryURL.appending(path: "sql").resolvingSymlinksInPath()
        let files = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".sql") && !$0.hasPrefix("examples/") && $0 != "schema.sql" }
            .sorted()
            .map { root.appending(path: $0) }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedSQL.swift")
        return [
            .buildCommand(
                displayName: "Embedding sql/",
                executable: try context.tool(named: "sqlgen").url,
                arguments: [output.path, root.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output])
        ]
    }
}
