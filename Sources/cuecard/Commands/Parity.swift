import Foundation

extension Command {
    /// Holds a client against this: `cuecard parity --client 'CMD' [--rules 400] [--windows 4] [--seed N]`.
    static func parity(_ words: [String]) throws -> ExitCode {
        let arguments = try Arguments(
            words, command: "parity", options: ["--client", "--rules", "--windows", "--seed"])
        guard let client = arguments["--client"], !client.isEmpty else {
            throw Failure(
                .usage, "parity: --client is missing; name the command that answers, such as 'node client.mjs'")
        }
        var parity = Parity(client: client)
        parity.rules = try number("--rules", in: arguments, least: 1) ?? parity.rules
        parity.windows = try number("--windows", in: arguments, least: 1) ?? parity.windows
        parity.seed = try number("--seed", in: arguments, least: 0) ?? parity.seed
        return parity.run(output: .standardOutput)
    }

    private static func number<Number: FixedWidthInteger>(
        _ option: String, in arguments: Arguments, least: Number
    ) throws -> Number? {
        guard let text = arguments[option] else { return nil }
        guard let number = Number(text), number >= least else {
            throw Failure(.usage, "parity: \(option) \"\(text)\" is not a whole number from \(least) up")
        }
        return number
    }
}

/// `cuecard parity`: random rules through this program and through a client that speaks the same protocol.
struct Parity {
    /// The client's command, for `sh -c`.
    var client: String
    var rules = 400
    /// Windows a rule; each is a case of its own.
    var windows = 4
    var seed: UInt64 = 1
    /// How long the client may be silent.
    var patience: Duration = .seconds(60)

    /// Prints that nothing differs, or what is wrong; the client runs once for all
    /// cases, and again for each step that makes a differing case smaller.
    func run(output: FileHandle) -> ExitCode {
        var generator = CaseGenerator(seed: seed)
        let cases = (0..<rules).flatMap { generator.cases(rule: $0, windows: windows) }
        do {
            guard let difference = try firstDifference(of: cases) else {
                let count = cases.reduce(0) { $0 + $1.answer().count }
                print(
                    "\(rules) rules × \(windows) windows, \(count) occurrences, seed \(seed): no difference", to: output
                )
                return .done
            }
            let smallest = try smallest(difference)
            print(
                """
                \(smallest.request.id) differs; the smallest case that does:
                \(smallest.request.line)
                cuecard: \(smallest.ours)
                client:  \(smallest.theirs)
                seed \(seed)
                """, to: output)
        } catch {
            print("\(error)\nseed \(seed)", to: output)
        }
        return .findings
    }

    /// A case to which the client has another answer.
    struct Difference {
        let request: ExpandCase
        let ours: ClientAnswer
        let theirs: ClientAnswer
    }

    private func firstDifference(of cases: [ExpandCase]) throws(ClientFailure) -> Difference? {
        let answers = try Client(command: client, patience: patience).answers(to: cases)
        for (request, theirs) in zip(cases, answers) {
            let ours = ClientAnswer(request.answer())
            if ours != theirs { return Difference(request: request, ours: ours, theirs: theirs) }
        }
        return nil
    }

    /// Makes the case simpler for as long as a simpler one still differs.
    private func smallest(_ difference: Difference) throws(ClientFailure) -> Difference {
        var smallest = difference
        for _ in 0..<100 {
            // What this program refuses is not a smaller case but another one.
            let simpler = smallest.request.simpler().filter { $0.answer().isAnswered }
            guard !simpler.isEmpty, let next = try firstDifference(of: simpler) else { break }
            smallest = next
        }
        return smallest
    }

    private func print(_ text: String, to output: FileHandle) {
        output.write(Data("\(text)\n".utf8))
    }
}
