import Foundation

/// `cuecard expand`: a case a line on the input, its occurrences a line on the output, in the same order.
///
/// A case that is refused gets a line with the error, and the rest goes on. False where a line was no JSON case at all
/// or the input could not be read. This file and `ExpandCase.swift` stand alone, so that the fuzzer can build them.
func expand(input: FileHandle, output: FileHandle) -> Bool {
    var isReadable = true
    var lines = InputLines(input)
    do {
        while let batch = try lines.nextBatch() {
            var answers = ""
            for line in batch where !line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) {
                let (answer, isCase) = expand(line: line)
                isReadable = isReadable && isCase
                answer.write(to: &answers)
                // A batch of long answers is not held until its end.
                if answers.utf8.count >= 65_536 {
                    try output.write(contentsOf: Data(answers.utf8))
                    answers = ""
                }
            }
            try output.write(contentsOf: Data(answers.utf8))
        }
    } catch {
        FileHandle.standardError.write(Data("expand: the input or the output broke off: \(error)\n".utf8))
        return false
    }
    return isReadable
}

/// The answer to one line, and whether the line could be read as a case.
func expand(line: Data) -> (answer: ExpandAnswer, isReadable: Bool) {
    guard line.count <= ExpandCase.maximumLength else {
        return (.refused(id: nil, code: "limit", "the line is longer than \(ExpandCase.maximumLength) bytes"), false)
    }
    do {
        return (try JSONDecoder().decode(ExpandCase.self, from: line).answer(), true)
    } catch {
        return (.refused(id: id(of: line), code: "json", "the line is not a case: \(reason(error))"), false)
    }
}

/// The id of a line that lacks something else; nil where that cannot be read either.
private func id(of line: Data) -> String? {
    struct Named: Decodable { var id: String }
    do { return try JSONDecoder().decode(Named.self, from: line).id } catch { return nil }
}

private func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "\"\(key.stringValue)\" is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
        "\"\(context.codingPath.map(\.stringValue).joined(separator: "."))\" has another type"
    default: "it is no JSON object"
    }
}

/// Whole lines as they arrive: an answer never waits for input that comes after its question.
private struct InputLines {
    private let descriptor: Int32
    private var rest = Data()
    private var isAtEnd = false

    init(_ input: FileHandle) { descriptor = input.fileDescriptor }

    mutating func nextBatch() throws -> [Data]? {
        while !isAtEnd {
            let chunk = try read()
            isAtEnd = chunk.isEmpty
            let seen = rest.endIndex
            rest.append(chunk)
            if isAtEnd { return rest.isEmpty ? nil : [rest] }
            guard let end = rest[seen...].lastIndex(of: UInt8(ascii: "\n")) else {
                // A line that never ends is cut where it is too long anyway.
                if rest.count > 2 * ExpandCase.maximumLength { rest = rest.prefix(ExpandCase.maximumLength + 1) }
                continue
            }
            let batch = rest[..<end].split(separator: UInt8(ascii: "\n"))
            rest = Data(rest[rest.index(after: end)...])
            return batch
        }
        return nil
    }

    private func read() throws -> Data {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count >= 0 { return Data(chunk.prefix(count)) }
            guard errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        }
    }
}
