import Foundation

/// Reads variables and collects what is wrong with them; an empty one counts as absent.
struct EnvironmentReader {
    private let environment: [String: String]
    /// One line each: the variable, the fault, the mend; never a value that may be secret.
    var problems: [String] = []

    init(_ environment: [String: String]) { self.environment = environment }

    /// Adds a problem, once: both environments may meet it.
    mutating func add(_ problem: String) {
        if !problems.contains(problem) { problems.append(problem) }
    }

    func optional(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    mutating func text(_ name: String, mend: String) -> String? {
        guard let value = optional(name) else {
            add("\(name) is missing; \(mend)")
            return nil
        }
        return value
    }

    /// What a header must present: blanks at its edges never arrive there.
    mutating func secret(_ name: String) -> String? {
        guard let value = optional(name) else { return nil }
        guard value.first?.isWhitespace == false, value.last?.isWhitespace == false else {
            problems.append(
                "\(name) begins or ends with a blank or a line's end; set it without, as its callers send it")
            return nil
        }
        return value
    }

    mutating func url(_ name: String) -> URL? {
        guard let value = optional(name) else { return nil }
        guard let url = URL(string: value), url.scheme == "https" || url.scheme == "http", url.host != nil else {
            problems.append("\(name) is not a URL; write it like https://127.0.0.1:2197")
            return nil
        }
        return url
    }

    /// Where pushes go instead of Apple's host: nothing but scheme, host and port.
    mutating func apnsURL(_ name: String) -> URL? {
        guard let url = url(name) else { return nil }
        guard url.scheme == "https", ["", "/"].contains(url.path), url.query == nil, url.user == nil else {
            problems.append("\(name) must be https://HOST or https://HOST:PORT, such as https://127.0.0.1:2197")
            return nil
        }
        return url
    }

    mutating func seconds(_ name: String, in range: ClosedRange<Double>) -> Duration? {
        guard let value = optional(name) else { return nil }
        guard let seconds = Double(value), range.contains(seconds) else {
            problems.append(
                "\(name) is \"\(value)\", not a number of seconds from \(Int(range.lowerBound)) to \(Int(range.upperBound))"
            )
            return nil
        }
        return .milliseconds(Int64(seconds * 1000))
    }

    mutating func whole(_ name: String, _ unit: String, in range: ClosedRange<Int>) -> Int? {
        guard let value = optional(name) else { return nil }
        guard let number = Int(value), range.contains(number) else {
            problems.append(
                "\(name) is \"\(value)\", not a whole number of \(unit) from \(range.lowerBound) to \(range.upperBound)"
            )
            return nil
        }
        return number
    }

    mutating func readableFile(_ name: String) -> String? {
        guard let path = optional(name) else { return nil }
        guard FileManager.default.isReadableFile(atPath: path) else {
            problems.append("\(name) names a file that cannot be read, \(path); check the path and its permissions")
            return nil
        }
        return path
    }

    mutating func check(_ name: String, isOneOf words: [String]) {
        guard let value = optional(name), !words.contains(value) else { return }
        problems.append("\(name) is \"\(value)\"; set it to \(words.joined(separator: ", "))")
    }
}
