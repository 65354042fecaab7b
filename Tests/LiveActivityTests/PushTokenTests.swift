import LiveActivity
import Testing

@Suite struct PushTokenTests {
    @Test(arguments: ["00", "ABCDEF", String(repeating: "a1", count: 32), String(repeating: "F0", count: 256)])
    func anyEvenNumberOfDigits(_ text: String) throws {
        #expect(try #require(PushToken(text)).hex == text.lowercased())
    }

    @Test(arguments: ["", "a", "abc", "0g", "ab cd", "é1", "１２", String(repeating: "00", count: 257)])
    func refuses(_ text: String) {
        #expect(PushToken(text) == nil)
    }

    @Test func descriptionHidesTheToken() throws {
        #expect("\(try #require(PushToken("0123456789ABCDEF")))" == "012345…")
    }
}
