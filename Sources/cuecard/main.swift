import Foundation

// A client that goes away must not take the process with it.
signal(SIGPIPE, SIG_IGN)

do {
    exit(try await Command.run(Array(CommandLine.arguments.dropFirst())).rawValue)
} catch let failure as Failure {
    Output.error("cuecard: \(failure.message)")
    exit(failure.code.rawValue)
} catch {
    Output.error("cuecard: \(error)")
    exit(ExitCode.failure(of: error).rawValue)
}
