import Foundation

/// A pipe whose ends no other child inherits (Foundation's `Pipe` leaves them open across `exec`).
struct ClosingPipe {
    let reading: FileHandle
    let writing: FileHandle

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else {
            throw PostgresError.notStarted(detail: "no pipe can be made: \(String(cString: strerror(errno)))")
        }
        reading = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    }
}
