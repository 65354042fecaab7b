import Foundation
import LiveActivity
import Simulator
import Testing

/// The phones' time: turned by hand, led by the pushes, or running by itself.
@Suite struct TimeTests {
    @Test func everythingHappensAtItsOwnTime() async throws {
        let bench = try PhoneBench()
        try bench.start()
        let born = bench.clock.now
        await bench.simulator.settle(at: born + 13 * 3600)
        let card = try bench.card()
        #expect(card.endedAt == born + 8 * 3600)
        #expect(card.removal == born + 12 * 3600)
        #expect(card.state == .gone)
        #expect(bench.simulator.phoneTime == born + 13 * 3600)
        #expect(bench.simulator.nextDue == nil)
    }

    @Test func anAnswerComesBeforeWhatIsDueLater() async throws {
        let bench = try PhoneBench()
        try bench.start()
        let born = bench.clock.now
        bench.backend.end(try bench.card().id)
        await bench.simulator.settle(at: born + 3600)
        #expect(try bench.card().endedAt == born + 2)
    }

    @Test func thePhonesMayFollowThePushes() async throws {
        let mint = try ProviderTokenMint()
        let backend = Backend()
        var options = SimulatorOptions { Date() }
        options.keys = [mint.trusted]
        options.phoneClock = .followsPushes
        options.voice = backend.voice
        let simulator = try APNsSimulator(options)
        let phone = Phone(id: "bob", bundleID: "app.example", attributesTypes: ["EventAttributes": .init()])
        simulator.add(phone)
        let client = try HTTP2Client(port: simulator.productionPort, authorityPEM: simulator.authorityPEM)
        let bearer = mint.token()
        let push = { (token: String, body: String) in
            try client.send(Draft(token: token, authorization: bearer, body: body).request)
        }
        // A day long past by the wall clock.
        let day = 1_500_000_000
        let token = try #require(phone.startTokens["EventAttributes"])
        #expect(try push(token, Payload.start(timestamp: "\(day)")).status == 200)
        let born = try #require(simulator.cards(on: "bob").first)
        #expect(abs(born.startedAt.timeIntervalSince1970 - Double(day)) < 60)
        // Another start, an hour later by its timestamp: what was due in between has happened.
        let other = Payload.start(timestamp: "\(day + 3600)", attributes: #"{"runId":"run-2","eventId":"event-2"}"#)
        #expect(try push(token, other).status == 200)
        await simulator.settle()
        #expect(backend.registrations.first?.activityID == born.id)
        // An older timestamp does not turn the time back.
        _ = try push(token, Payload.start(timestamp: "\(day + 60)"))
        #expect(simulator.phoneTime.timeIntervalSince1970 >= Double(day + 3600))
    }

    @Test func thePhonesMayLiveByThemselves() async throws {
        let bench = try PhoneBench()
        try bench.simulator.change(phone: "alice") { $0.app.updateToken = .after(0) }
        let living = Task { [simulator = bench.simulator] in await simulator.live() }
        try bench.start()
        try await bench.simulator.wait { $0.cards.values.contains { $0.updateToken != nil } }
        for _ in 0..<1000 where bench.backend.registrations.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        living.cancel()
        await living.value
        #expect(bench.backend.registrations.count == 1)
    }
}
