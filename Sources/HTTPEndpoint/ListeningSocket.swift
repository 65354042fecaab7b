import Foundation

/// A TCP socket that listens; made here rather than by the library, so that an error keeps its cause.
struct ListeningSocket {
    let descriptor: Int32
    /// The port it got, also where 0 was asked for.
    let port: UInt16

    init(_ address: ListenAddress) throws(HTTPEndpointError) {
        var cause: Int32 = EADDRNOTAVAIL
        for candidate in try Self.resolve(address) {
            do {
                self = try Self.open(candidate)
                return
            } catch {
                cause = error.code
                if cause == EADDRINUSE { break }
            }
        }
        throw cause == EADDRINUSE
            ? .portInUse(address) : .cannotListen(address, detail: String(cString: strerror(cause)))
    }

    private init(descriptor: Int32, port: UInt16) {
        self.descriptor = descriptor
        self.port = port
    }

    private struct SystemError: Error { var code: Int32 }

    /// A socket address of either family.
    private struct Candidate {
        var family: Int32
        var bytes: [UInt8]
    }

    /// For every address of the machine, IPv6 with IPv4 in it comes first; for a name, IPv4.
    private static func resolve(_ address: ListenAddress) throws(HTTPEndpointError) -> [Candidate] {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = getaddrinfo(address.host.isEmpty ? nil : address.host, String(address.port), &hints, &list)
        guard failure == 0 else { throw .cannotListen(address, detail: String(cString: gai_strerror(failure))) }
        defer { freeaddrinfo(list) }
        let entries = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
        let found = entries.map { entry in
            Candidate(
                family: entry.ai_family,
                bytes: Array(UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))))
        }
        let first = address.host.isEmpty ? AF_INET6 : AF_INET
        return found.filter { $0.family == first } + found.filter { $0.family != first }
    }

    private static func open(_ candidate: Candidate) throws(SystemError) -> ListeningSocket {
        let descriptor = socket(candidate.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError(code: errno) }
        var (yes, no): (Int32, Int32) = (1, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        if candidate.family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, size) }
        let bound = candidate.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map {
                bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
        guard bound == 0, listen(descriptor, 128) == 0 else {
            let code = errno
            close(descriptor)
            throw SystemError(code: code)
        }
        return ListeningSocket(descriptor: descriptor, port: port(of: descriptor))
    }

    private static func port(of descriptor: Int32) -> UInt16 {
        // Both families have the port, in network order, in bytes 2 and 3.
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
        var length = socklen_t(bytes.count)
        bytes.withUnsafeMutableBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            _ = getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length)
        }
        return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
    }
}
