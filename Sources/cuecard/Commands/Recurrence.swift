import Foundation

extension Command {
    /// The parity protocol: `cuecard expand`.
    static func expand(_ words: [String]) throws -> ExitCode {
        _ = try Arguments(words, command: "expand")
        return ExitCode(rawValue: cuecard.expand(input: .standardInput, output: .standardOutput)) ?? .internalFault
    }

    /// Holds a client against this: `cuecard parity --client 'CMD' [--rules 400] [--windows 4] [--seed N]`.
    static func parity(_ words: [String]) throws -> ExitCode {
        guard let parity = Parity(arguments: words[...]) else {
            throw Failure(.usage, "usage: cuecard parity --client 'CMD' [--rules 400] [--windows 4] [--seed N]")
        }
        return ExitCode(rawValue: parity.run(output: .standardOutput)) ?? .internalFault
    }
}
