import HTTPEndpoint
import Testing

@Suite("LISTEN")
struct ListenAddressTests {
    @Test(
        "is HOST:PORT",
        arguments: [
            ("127.0.0.1:8080", "127.0.0.1", 8080), ("[::1]:9", "::1", 9), ("localhost:65535", "localhost", 65_535),
            (":8080", "", 8080), ("*:0", "", 0),
        ] as [(String, String, UInt16)])
    func wellFormed(text: String, host: String, port: UInt16) throws {
        let address = try ListenAddress(text)
        #expect(address.host == host)
        #expect(address.port == port)
    }

    @Test(
        "anything else is refused with the wanted form",
        arguments: [
            "", "8080", "localhost", "localhost:", "a:65536", "a:-1", "a:+1", "a:8o", "::1:80", "[::1]", "a b:80",
        ])
    func malformed(text: String) {
        let error = #expect(throws: HTTPEndpointError.malformedAddress(text)) { try ListenAddress(text) }
        #expect(error?.description.contains("HOST:PORT") == true)
    }
}
