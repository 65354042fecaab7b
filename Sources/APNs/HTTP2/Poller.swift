import CNghttp2
import Glibc

/// epoll, with a number for each descriptor that is never used twice, so that a late event finds nobody.
final class Poller {
    private let descriptor: Int32
    private var lastNumber: UInt64 = 0
    private var events = [epoll_event](repeating: epoll_event(), count: 64)

    /// Takes an epoll descriptor over.
    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// A fresh number, above zero.
    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    func add(_ file: Int32, number: UInt64, writing: Bool = false) {
        control(EPOLL_CTL_ADD, file, number, writing)
    }

    /// Waits for room to write as well, or no longer.
    ///
    /// Reading is always waited for.
    func change(_ file: Int32, number: UInt64, writing: Bool) {
        control(EPOLL_CTL_MOD, file, number, writing)
    }

    func remove(_ file: Int32) { control(EPOLL_CTL_DEL, file, 0, false) }

    private func control(_ operation: Int32, _ file: Int32, _ number: UInt64, _ writing: Bool) {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | (writing ? EPOLLOUT.rawValue : 0)
        event.data.u64 = number
        epoll_ctl(descriptor, operation, file, &event)
    }

    /// The numbers of what is ready; empty after the time limit.
    ///
    /// A negative limit waits for ever.
    func wait(milliseconds: Int32) -> [UInt64] {
        let count = epoll_wait(descriptor, &events, Int32(events.count), milliseconds)
        return events.prefix(Int(max(0, count))).map(\.data.u64)
    }
}
