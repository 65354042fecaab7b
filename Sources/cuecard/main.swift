import Foundation

// A client that goes away must not take the process with it.
signal(SIGPIPE, SIG_IGN)

/// Ends the process beside its threads: `exit` would take OpenSSL down beneath those that still use it.
func leave(_ code: ExitCode) -> Never {
    fflush(nil)
    _exit(code.rawValue)
}

do {
    leave(try await Command.run(Array(CommandLine.arguments.dropFirst())))
} catch let failure as Failure {
    Output.error("cuecard: \(failure.message)")
    leave(failure.code)
} catch {
    Output.error("cuecard: \(error)")
    leave(ExitCode.failure(of: error))
}
