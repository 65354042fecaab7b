/// Where the handler listens, written `HOST:PORT`.
///
/// `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; `:8080` and `*:8080` mean every address of the machine, and
/// port 0 lets the system choose.
public struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// A name or a numeric address without brackets; empty means every address.
    public var host: String
    /// 0 to 65535; 0 means a free one.
    public var port: UInt16

    /// An address from its two parts.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`.
    ///
    /// - Throws: ``HTTPEndpointError/malformedAddress(_:)``, which says the wanted form.
    public init(_ text: String) throws(HTTPEndpointError) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]),
            text[text.index(after: colon)...].allSatisfy(\.isNumber)
        else { throw .malformedAddress(text) }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" }) {
            throw .malformedAddress(text)
        }
        guard !host.contains(where: \.isWhitespace) else { throw .malformedAddress(text) }
        self.host = host == "*" ? "" : String(host)
        self.port = port
    }

    /// As it is written in `LISTEN`.
    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
