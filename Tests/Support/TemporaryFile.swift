internal import Foundation

/// A name for a file that a test makes; the file goes with the last reference to it.
public final class TemporaryFile: Sendable {
    /// Where it may be made.
    public let path: String

    /// A name that nobody has, with this ending.
    public init(ending: String) {
        path = NSTemporaryDirectory() + "/cuecard-test-\(UUID().uuidString)\(ending)"
    }

    deinit { unlink(path) }
}
