import Foundation

/// The commands by name; one file each.
enum Command {
    /// Runs what the words ask for.
    static func run(_ words: [String]) async throws -> ExitCode {
        let rest = Array(words.dropFirst())
        if rest.contains("--help") || rest.contains("-h") {
            Output.line(help)
            return .done
        }
        switch words.first {
        case "tick": return try await tick(rest)
        case "serve": return try await serve(rest)
        case "lambda": return try await lambda(rest)
        case "migrate": return try await migrate(rest)
        case "doctor": return try await doctor(rest)
        case "expand": return try expand(rest)
        case "parity": return try parity(rest)
        case "simulator": return try await simulator(rest)
        case "demo": return try await demo(rest)
        case "help", "--help", "-h":
            Output.line(help)
            return .done
        case "version", "--version":
            Output.line("cuecard \(version)")
            return .done
        case let name?:
            throw Failure(.usage, "\"\(name)\" is no command; see `cuecard help`")
        case nil:
            throw Failure(.usage, "no command was given; see `cuecard help`")
        }
    }

    static let version = "0.1.0"

    private static let help = """
        cuecard puts Live Activity cards on the Lock Screen at the right minute, keeps them true, and takes them down.

        cuecard tick [--now T] [--dry-run] [--json]   one pass over everything due
        cuecard serve [--listen HOST:PORT] [--every 1m] [--listen-changes] [--test-clock]
                                                      the HTTP handler: POST /tick, GET /healthz; ticks by itself
                                                      at steady times, or as soon as it hears of a change
        cuecard lambda                                a tick for each invocation, inside AWS Lambda
        cuecard migrate                               brings the database's schema up to date
        cuecard doctor [--json]                       checks the whole set-up; each finding with its mend
        cuecard expand                                JSON Lines cases on stdin, their occurrences on stdout
        cuecard parity --client 'CMD' [--rules 400] [--windows 4] [--seed N]
                                                      random rules through this and a client that speaks the same
        cuecard simulator [--port P] [--ca-file F] [--public-key KEYID=FILE[:TEAM[:ENVIRONMENT]]]
                          [--database URL] [--test-clock]
                                                      a local APNs with phones that show cards
        cuecard demo                                  a day of cards in about a minute; needs no Apple account
        cuecard version

        T is RFC 3339, such as 2026-03-01T09:00:00Z. Settings come from the environment; the README lists them.
        """
}
