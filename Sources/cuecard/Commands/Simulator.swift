import Foundation
import LiveActivity
import PostgresStore
import Simulator

extension Command {
    /// A local APNs until a signal ends it.
    ///
    /// `cuecard simulator [--port P] [--ca-file F] [--public-key KEYID=FILE[:TEAM[:ENVIRONMENT]]]… [--database URL]
    /// [--test-clock]`; production listens on the port, the sandbox on the one after it.
    static func simulator(_ words: [String]) async throws -> ExitCode {
        let arguments = try Arguments(
            words, command: "simulator", flags: ["--test-clock"],
            options: ["--port", "--ca-file", "--public-key", "--database"])
        var options = SimulatorOptions { Date() }
        let port = try arguments["--port"].map(portNumber) ?? 2197
        options.productionPort = port
        options.sandboxPort = port == 0 ? 0 : port + 1
        options.caFile = arguments["--ca-file"] ?? "apns-simulator-ca.pem"
        options.keys = try arguments.all("--public-key").map(TrustedKey.init(option:))
        // Nobody has told it of phones: the first start to a token makes one.
        options.unknownTokens = .adopt
        if arguments[flag: "--test-clock"] { options.phoneClock = .followsPushes }
        options.voice = arguments["--database"].map { .database(Connection(url: $0)) }

        let simulator = try APNsSimulator(options)
        Output.line("production  APNS_PRODUCTION_URL=\(simulator.url(.production))")
        Output.line("sandbox     APNS_SANDBOX_URL=\(simulator.url(.sandbox))")
        Output.line("CA file     APNS_CA_FILE=\(options.caFile ?? "")")
        if options.keys.isEmpty { Output.line("no --public-key was given: every provider token is refused") }

        let life = Task { await simulator.live() }
        await Signals.termination()
        life.cancel()
        simulator.stop()
        Output.line(simulator.snapshot.scoreboard.text)
        return simulator.snapshot.scoreboard.doubled == 0 ? .done : .findings
    }

    private static func portNumber(_ text: String) throws -> Int {
        guard let port = Int(text), (0...65_534).contains(port) else {
            throw Failure(.usage, "--port \"\(text)\" is not a port; give a number from 0 (any) to 65534")
        }
        return port
    }
}

extension Scoreboard {
    /// One line for people.
    var text: String {
        "started \(started), updated \(updated), ended \(ended), woken \(woken); doubled \(doubled), left over \(leftOver), "
            + "refused \(rejected), dropped on the phone \(dropped)"
    }
}
