import LiveActivity
import Simulator
import TestSupport
import Testing

/// A card whose update token never comes: no push goes to its start token, the app is woken instead.
@Suite struct MissingUpdateTokenTests {
    /// FR-19, FR-62, FR-63: at most two silent pushes an hour, and never an end to the start token.
    @Test func anEndThatIsHeldWakesTheApp() async throws {
        let world = try await World.make()
        var app = AppBehaviour()
        app.updateToken = .never
        app.wake = .ignores
        try await world.register(Device.mina, of: "mina", app: app)
        try await world.addEvent()
        let start = try await world.tick("2026-03-02T05:00:00Z")
        #expect(start.kinds == [.start])
        #expect(try #require(start.first?.integer("stale-date")) <= 1_772_434_800)

        try await world.backend("delete from cuecard.event")
        // The card is two minutes old: its token may be on its way.
        #expect(try await world.tick("2026-03-02T05:02:00Z").isEmpty)
        let sent = try await world.tick("2026-03-02T05:03:00Z")
        #expect(sent.count == 1)
        let wake = try #require(sent.first)
        let phone = try #require(world.simulator.phone(Device.mina))
        #expect(wake.header(":path") == "/3/device/\(phone.wakeToken)")
        #expect(wake.header("apns-push-type") == "background")
        #expect(wake.header("apns-topic") == "com.example.family")
        #expect(wake.header("apns-priority") == "5")
        #expect(wake.header("apns-expiration") == "0")
        #expect(wake.header("apns-collapse-id") == nil)
        #expect(wake.aps?.object?.count == 1)
        #expect(wake.integer("content-available") == 1)
        #expect(wake.violations.isEmpty)
        #expect(try await world.value("select state || ' ' || reason from cuecard.run") == "ending deleted")

        // At most two in any hour, and none once the card cannot be there any more.
        var wakes = 1
        for minute in 4..<63 {
            wakes += try await world.tick(
                minute < 60 ? "2026-03-02T05:\(minute.padded):00Z" : "2026-03-02T06:\((minute - 60).padded):00Z"
            ).count
        }
        #expect(wakes == 2)
        #expect(world.simulator.requests.allSatisfy { $0.kind != .end })
        try await world.tick("2026-03-02T17:00:00Z")
        #expect(try await world.value("select state || ' ' || reason from cuecard.run") == "ended ended_unconfirmed")
        let before = world.simulator.requests.count
        try await world.tick("2026-03-02T17:30:00Z")
        #expect(world.simulator.requests.count == before)
    }

    /// FR-15: of several states that nobody could be told, the newest is sent when the token comes, and no start again.
    @Test func theNewestStateIsSentWhenTheTokenComes() async throws {
        let world = try await World.make()
        var app = AppBehaviour()
        app.updateToken = .afterAllow
        try await world.register(Device.mina, of: "mina", app: app)
        try await world.addEvent()
        try await world.tick("2026-03-02T05:00:00Z")
        for minute in 1...3 {
            try await world.backend("update cuecard.event set title = 'State \(minute)'")
            #expect(try await world.tick("2026-03-02T05:0\(minute):00Z").filter { $0.kind != .wake }.isEmpty)
        }
        let card = try #require(world.simulator.cards(on: Device.mina).first)
        try world.simulator.allow(card: card.id)
        await world.simulator.settle()
        let sent = try await world.tick("2026-03-02T05:10:00Z")
        #expect(sent.kinds == [.update])
        #expect(sent.first?.content("title") == "State 3")
    }
}

extension Int {
    fileprivate var padded: String { self < 10 ? "0\(self)" : "\(self)" }
}
