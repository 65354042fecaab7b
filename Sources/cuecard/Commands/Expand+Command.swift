import Foundation

extension Command {
    /// The parity protocol: `cuecard expand`.
    static func expand(_ words: [String]) throws -> ExitCode {
        _ = try Arguments(words, command: "expand")
        return cuecard.expand(input: .standardInput, output: .standardOutput) ? .done : .unreadableInput
    }
}
