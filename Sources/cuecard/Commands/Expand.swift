import Foundation

extension Command {
    /// `cuecard expand`
    static func expand(_ words: [String]) throws -> ExitCode { throw Failure(.usage, "expand comes with the recurrence work") }
}
