import Foundation
import Glibc

/// One address of a host, as the socket calls take it.
struct SocketAddress: Sendable {
    let family: Int32
    let bytes: [UInt8]

    /// Looks the name up afresh, as Apple asks before each new connection.
    ///
    /// Blocks: never on the loop's thread.
    ///
    /// - Returns: the addresses in the system's order of preference; a text where there are none.
    static func resolve(host: String, port: Int) -> Result<[SocketAddress], ResolutionFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(ResolutionFailure(text: String(cString: gai_strerror(code)))) }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let info = next?.pointee {
            let raw = UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen))
            addresses.append(SocketAddress(family: info.ai_family, bytes: Array(raw)))
            next = info.ai_next
        }
        return .success(addresses)
    }

    struct ResolutionFailure: Error {
        let text: String
    }
}

/// A TCP connection in the making: its addresses are tried one after another.
///
/// Loop thread only.
final class Dial {
    enum Progress {
        case waiting
        case connected(Int32)
        case failed(String)
    }

    let number: UInt64
    /// When the whole connection, TLS and SETTINGS included, must stand.
    let deadline: ContinuousClock.Instant
    private let poller: Poller
    private var addresses: ArraySlice<SocketAddress> = []
    private var descriptor: Int32 = -1
    private var attemptDeadline: ContinuousClock.Instant
    private var problem = "the host has no address"

    init(number: UInt64, deadline: ContinuousClock.Instant, poller: Poller) {
        self.number = number
        self.deadline = deadline
        self.poller = poller
        attemptDeadline = deadline
    }

    deinit { giveUp() }

    /// The look-up has ended.
    func resolved(_ result: Result<[SocketAddress], SocketAddress.ResolutionFailure>, now: ContinuousClock.Instant)
        -> Progress
    {
        switch result {
        case .success(let found):
            addresses = found[...]
            return tryNext(now)
        case .failure(let failure):
            return .failed("its name cannot be resolved: \(failure.text)")
        }
    }

    /// The socket is ready, or time has passed.
    func check(ready: Bool, now: ContinuousClock.Instant) -> Progress {
        if ready, descriptor >= 0 {
            var code: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
            return code == 0 ? established() : fail(code, now)
        }
        if now >= deadline { return .failed(descriptor < 0 ? "its name was not resolved in time" : "no answer to TCP") }
        return descriptor >= 0 && now >= attemptDeadline ? fail(ETIMEDOUT, now) : .waiting
    }

    private func tryNext(_ now: ContinuousClock.Instant) -> Progress {
        guard let address = addresses.popFirst() else { return .failed(problem) }
        // A dead address must leave time for the next ones.
        attemptDeadline = now + (deadline - now) / (addresses.isEmpty ? 1 : 3)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return fail(errno, now) }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        let result = address.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                connect(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        if result == 0 { return established() }
        guard errno == EINPROGRESS else { return fail(errno, now) }
        poller.add(descriptor, number: number, writing: true)
        return .waiting
    }

    private func established() -> Progress {
        poller.remove(descriptor)
        defer { descriptor = -1 }
        return .connected(descriptor)
    }

    private func fail(_ code: Int32, _ now: ContinuousClock.Instant) -> Progress {
        problem = String(cString: strerror(code))
        giveUp()
        return tryNext(now)
    }

    private func giveUp() {
        guard descriptor >= 0 else { return }
        poller.remove(descriptor)
        close(descriptor)
        descriptor = -1
    }
}
