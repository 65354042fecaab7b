import Foundation
import Recurrence

/// What a client says to a case: the occurrences, or that it refuses the case.
struct ClientAnswer: Decodable, Equatable, CustomStringConvertible {
    private let id: String?
    private let occurrences: [String]?
    private let utc: [Int64]?
    private let error: Refusal?

    private struct Refusal: Decodable {
        let code: String?
        let message: String?
    }

    init(_ answer: ExpandAnswer) {
        switch answer {
        case .occurrences(let id, let found, let isAllDay, let isZoned):
            self.id = id
            occurrences = found.map { isAllDay ? $0.local.dateDescription : $0.local.description }
            utc = isZoned && !isAllDay ? found.compactMap(\.instant) : nil
            error = nil
        case .refused(let id, let code, let message):
            self.id = id
            (occurrences, utc) = (nil, nil)
            error = Refusal(code: code, message: message)
        }
    }

    /// Equal occurrences, or two refusals, for whatever reason.
    static func == (left: ClientAnswer, right: ClientAnswer) -> Bool {
        left.id == right.id && left.occurrences == right.occurrences && left.utc == right.utc
            && (left.error == nil) == (right.error == nil)
    }

    func answers(_ request: ExpandCase) -> Bool { id == request.id && (occurrences == nil) != (error == nil) }

    var description: String {
        if let error { return "refused: \(error.message ?? error.code ?? "without a reason")" }
        guard let occurrences, !occurrences.isEmpty else { return "no occurrence" }
        let shown = occurrences.prefix(12).enumerated().map { index, text in
            utc.flatMap { $0.indices.contains(index) ? "\(text) (\($0[index]))" : nil } ?? text
        }
        let more = occurrences.count - shown.count
        return shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    }
}

/// A client that gave no usable answers.
struct ClientFailure: Error, CustomStringConvertible {
    let description: String
}

/// A client program, run once for a list of cases.
struct Client {
    let command: String
    let patience: Duration

    /// Every case's answer, in order.
    ///
    /// Throws when the client dies, is silent for longer than the patience allows, or says something else.
    func answers(to cases: [ExpandCase]) throws(ClientFailure) -> [ClientAnswer] {
        let (lines, end) = try output(for: cases.map(\.line).joined(separator: "\n") + "\n", lines: cases.count)
        var answers: [ClientAnswer] = []
        for (line, request) in zip(lines, cases) {
            guard let answer = decoded(line), answer.answers(request) else {
                throw ClientFailure(
                    description: """
                        the client answers case \(request.id) with nonsense: \(String(decoding: line.prefix(200), as: UTF8.self))
                        \(request.line)
                        """)
            }
            answers.append(answer)
        }
        guard lines.count <= cases.count else {
            let extra = String(decoding: lines[cases.count].prefix(200), as: UTF8.self)
            throw ClientFailure(description: "the client says more than it was asked: \(extra)")
        }
        guard answers.count == cases.count else {
            let request = cases[answers.count]
            throw ClientFailure(description: "the client \(end) before it answered case \(request.id)\n\(request.line)")
        }
        return answers
    }

    private func decoded(_ line: Data) -> ClientAnswer? {
        do { return try JSONDecoder().decode(ClientAnswer.self, from: line) } catch { return nil }
    }

    /// The lines that the client says, and how it came to its end.
    private func output(for input: String, lines wanted: Int) throws(ClientFailure) -> (lines: [Data], end: String) {
        let process = Process()
        let (toClient, fromClient) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardInput = toClient
        process.standardOutput = fromClient
        do {
            try process.run()
        } catch {
            throw ClientFailure(description: "the client cannot be started: \(error)")
        }
        // A client that dies early must not take this program with it.
        signal(SIGPIPE, SIG_IGN)
        let descriptor = toClient.fileHandleForWriting.fileDescriptor
        let writer = Thread {
            Self.write(Array(input.utf8), to: descriptor)
            toClient.fileHandleForWriting.closeFile()
        }
        writer.start()
        let reader = fromClient.fileHandleForReading
        var output = Answers()
        var state = read(into: &output, reader.fileDescriptor, until: { $0.lines >= wanted }, within: patience)
        // Whoever has said all may say no more, and need not come to an end by himself.
        if state == .complete {
            state = read(into: &output, reader.fileDescriptor, until: { $0.lines > wanted }, within: .seconds(1))
            if state == .silent { state = .complete }
        }
        reader.closeFile()
        let hasEnded = state == .closed && ends(process)
        // The shell and what it started are a group of their own.
        if !hasEnded { kill(-process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        let status = process.terminationStatus
        let signal = process.terminationReason == .uncaughtSignal ? status : status - 128
        let end =
            switch state {
            case .silent: "hangs: it said nothing for \(patience)"
            case .endless: "says a line of more than \(Answers.longestLine / 1_048_576) MB"
            case .closed where !hasEnded: "closed its output and hangs"
            // A shell says 128 and the number where its program died of a signal.
            case .closed, .complete: signal > 0 ? "died of signal \(signal)" : "ended with status \(status)"
            }
        return (output.bytes.split(separator: UInt8(ascii: "\n")), end)
    }

    /// What a client has said so far.
    private struct Answers {
        static let longestLine = 64 * 1_048_576
        var bytes = Data()
        /// Lines that are whole and not blank.
        var lines = 0
        private var lineLength = 0

        var isEndless: Bool { lineLength > Self.longestLine }

        mutating func append(_ chunk: ArraySlice<UInt8>) {
            bytes.append(contentsOf: chunk)
            for byte in chunk {
                guard byte == UInt8(ascii: "\n") else {
                    lineLength += 1
                    continue
                }
                if lineLength > 0 { lines += 1 }
                lineLength = 0
            }
        }
    }

    private enum ReadingEnd { case complete, closed, silent, endless }

    private func read(
        into answers: inout Answers, _ descriptor: Int32, until isComplete: (Answers) -> Bool, within patience: Duration
    ) -> ReadingEnd {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while !isComplete(answers) {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let milliseconds = Int32(clamping: Int(patience / .milliseconds(1)))
            guard poll(&waiting, 1, milliseconds) > 0 else { return .silent }
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { return .closed }
            answers.append(chunk[..<count])
            if answers.isEndless { return .endless }
        }
        return .complete
    }

    /// Whether a client that closed its output comes to its end too.
    private func ends(_ process: Process) -> Bool {
        let deadline = ContinuousClock.now + patience
        while process.isRunning {
            guard ContinuousClock.now < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            sent += count
        }
    }
}
