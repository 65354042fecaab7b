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
        // A database may remember the activity ids of an earlier simulator.
        options.firstAdopted = Int(Date().timeIntervalSince1970)
        if arguments[flag: "--test-clock"] { options.phoneClock = .followsPushes }
        if let url = arguments["--database"] { options.voice = .database(try await phonesDatabase(url)) }

        let simulator = try APNsSimulator(options)
        Output.line("production  APNS_PRODUCTION_URL=\(simulator.url(.production))")
        Output.line("sandbox     APNS_SANDBOX_URL=\(simulator.url(.sandbox))")
        Output.line("CA file     APNS_CA_FILE=\(options.caFile.map { URL(fileURLWithPath: $0).path } ?? "")")
        if options.keys.isEmpty { Output.line("no --public-key was given: every provider token is refused") }

        let life = Task { await simulator.live() }
        let report = Task { try await show(simulator) }
        await Signals.termination()
        life.cancel()
        report.cancel()
        simulator.stop()
        Output.line(simulator.snapshot.scoreboard.text)
        return simulator.snapshot.scoreboard.doubled == 0 ? .done : .findings
    }

    /// A connection that may speak for the phones' users.
    private static func phonesDatabase(_ url: String) async throws -> Connection {
        let connection = Connection(url: url)
        do {
            _ = try await connection.run(Statement("role", "select 1"), as: "nobody")
            return connection
        } catch PostgresError.refused {
            throw Failure(
                .configuration,
                "--database: this role may not become \"authenticated\"; use the owner, after `grant authenticated to` it"
            )
        }
    }

    /// A line for each push and for each call of an app that failed, as they come.
    private static func show(_ simulator: APNsSimulator) async throws {
        var (pushes, notes) = (0, 0)
        while true {
            let snapshot = simulator.snapshot
            for request in snapshot.requests where request.id > pushes {
                pushes = request.id
                Output.line("\(request)")
            }
            for note in snapshot.scoreboard.notes.dropFirst(notes) { Output.line(note) }
            notes = snapshot.scoreboard.notes.count
            try await Task.sleep(for: .milliseconds(200))
        }
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
