import Foundation

/// What `scripts/hunt` asks for, by the environment.
enum Hunt {
    /// A number that the script set; nil: the short run.
    static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    /// The seed that was asked for, or a new one.
    static let seed = number("HUNT_SEED").map { UInt64(max(0, $0)) } ?? UInt64.random(in: 1...999_999)

    /// Says a line at once, also where nobody sees standard output before the end.
    static func say(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
