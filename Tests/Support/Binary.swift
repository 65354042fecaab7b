public import Foundation

/// The built `cuecard`, which stands beside the test bundle.
public enum Binary {
    /// Its path.
    public static let url: URL =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appendingPathComponent("cuecard")

    /// Runs it to its end.
    public static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String = ""
    ) async throws -> Child.Result {
        try await Child.run(url, arguments, environment: environment, input: input)
    }

    /// Starts it and returns while it runs.
    public static func start(
        _ arguments: [String], environment: [String: String] = [:], directory: URL? = nil
    ) throws -> Child {
        try Child(url, arguments, environment: environment, directory: directory)
    }
}
