import Foundation
import Simulator
import Testing

/// The page that shows the phones.
@Suite struct LockScreenPageTests {
    @Test func showsWhatAPersonSees() async throws {
        let bench = try PhoneBench()
        #expect(LockScreenPage.html(bench.simulator.snapshot, at: bench.clock.now).contains("No card."))
        let content = bench.content("Tea & <b>cake</b>")
        try bench.start(body: Payload.start(timestamp: "\(bench.time())", state: content))
        await bench.pass(2)
        let token = try #require(try bench.card().updateToken)
        let page = LockScreenPage.html(bench.simulator.snapshot, at: bench.clock.now)
        #expect(page.contains("<h3>Tea &amp; &lt;b&gt;cake&lt;/b&gt;</h3>"))
        #expect(page.contains("<dt>startsAt</dt><dd>2026-05-28T20:56:40Z</dd>"))
        #expect(page.contains("1 started, 0 updated"))
        for secret in [token, bench.bearer, bench.phone.wakeToken] + bench.phone.startTokens.values {
            #expect(!page.contains(secret))
        }
        try bench.simulator.dismiss(card: bench.card().id)
        #expect(!LockScreenPage.html(bench.simulator.snapshot, at: bench.clock.now).contains("cake"))
    }
}
