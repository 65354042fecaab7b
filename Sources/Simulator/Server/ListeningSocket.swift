internal import Glibc
internal import LiveActivity

/// A non-blocking socket that listens on 127.0.0.1 and plays one environment.
struct ListeningSocket: Sendable {
    let descriptor: Int32
    let port: Int
    let environment: APNsEnvironment

    /// Binds and listens; port 0 means any free one.
    init(port wanted: Int, environment: APNsEnvironment) throws(SimulatorError) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        do {
            try Self.bind(descriptor, to: wanted)
            port = try Self.boundPort(of: descriptor)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.environment = environment
    }

    func close() { Glibc.close(descriptor) }

    private static func bind(_ descriptor: Int32, to port: Int) throws(SimulatorError) {
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(clamping: port).bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard bound == 0 else {
            throw errno == EADDRINUSE ? .portInUse(port) : .system(call: "bind", code: errno)
        }
        guard listen(descriptor, SOMAXCONN) == 0 else { throw .system(call: "listen", code: errno) }
        guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw .system(call: "fcntl", code: errno) }
    }

    private static func boundPort(of descriptor: Int32) throws(SimulatorError) -> Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard named == 0 else { throw .system(call: "getsockname", code: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
