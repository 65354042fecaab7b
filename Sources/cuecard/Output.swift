import Foundation
import Glibc

/// Standard output for answers, standard error for what goes wrong.
enum Output {
    static func line(_ text: String) { write(text, to: STDOUT_FILENO) }
    static func error(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Where nobody reads any more, what it says is lost, and what it does is not.
    private static func write(_ text: String, to descriptor: Int32) {
        var bytes = Array((text + "\n").utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}
