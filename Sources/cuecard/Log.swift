import Foundation
import LiveActivity
import Planning

/// Log lines on standard error: `LOG_FORMAT` text or json, from `LOG_LEVEL` up.
enum Log {
    private enum Level: Int {
        case debug, info, warning, error

        var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let isJSON = environment["LOG_FORMAT"] == "json"
    private static let lowest: Level =
        switch environment["LOG_LEVEL"] {
        case "debug": .debug
        case "warning": .warning
        case "error": .error
        default: .info
        }

    static func debug(_ text: String) { write(.debug, text) }
    static func info(_ text: String) { write(.info, text) }
    static func warning(_ text: String) { write(.warning, text) }
    static func error(_ text: String) { write(.error, text) }

    private static func write(_ level: Level, _ text: String) {
        guard level.rawValue >= lowest.rawValue else { return }
        // Whole seconds: a line's place in the log says the rest.
        let time = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)).rfc3339
        if isJSON {
            let line: JSON = ["time": .string(time), "level": .string(level.name), "message": .string(text)]
            Output.error(line.description)
        } else {
            Output.error("\(time) \(level.name) \(text)")
        }
    }
}
