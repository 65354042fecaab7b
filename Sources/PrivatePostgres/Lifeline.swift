import Foundation

/// Two connected ends that no other child inherits: whoever holds one learns when the other is gone.
///
/// A socket pair, because it alone can be made close-on-exec in one step; Foundation's `Pipe` stays open in children.
struct Lifeline {
    let ours: FileHandle
    let theirs: FileHandle

    init() throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw PrivatePostgresError.notStarted(detail: "no socket pair: \(String(cString: strerror(errno)))")
        }
        ours = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
