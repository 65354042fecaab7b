import Foundation
import LiveActivity
import Testing

@Suite struct CardPayloadTests {
    @Test func start() throws {
        let bytes = try Sample.start(Sample.template(), staleDate: 1_700_000_000, inputPushToken: true)
        #expect(
            text(bytes)
                == #"{"aps":{"alert":{"body":"Starts in 60 min","sound":"default","title":"Dentist"},"#
                + #""attributes":{"eventId":"e7b1c0de-1111-4222-8333-944455556666","#
                + #""runId":"0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a"},"attributes-type":"EventAttributes","#
                + #""content-state":{"endsAt":721696400,"location":"Main St 5/3","phase":"upcoming","#
                + #""startsAt":721692800,"title":"Dentist"},"event":"start","input-push-token":1,"#
                + #""stale-date":1700000000,"timestamp":1699996400}}"#)
    }

    @Test func startWithoutTheOptionalKeys() throws {
        let body = try JSON(parsing: Sample.start(Sample.template()))
        #expect(body["aps"]?["stale-date"] == nil)
        #expect(body["aps"]?["input-push-token"] == nil)
    }

    @Test func update() throws {
        let bytes = try Sample.update(
            Sample.template(), Sample.context(location: nil, phase: .active), staleDate: 1_700_003_600)
        #expect(
            text(bytes)
                == #"{"aps":{"content-state":{"endsAt":721696400,"phase":"active","startsAt":721692800,"#
                + #""title":"Dentist"},"event":"update","stale-date":1700003600,"timestamp":1700000000}}"#)
    }

    @Test func end() throws {
        let bytes = try CardPayload.end(
            contentState: ["phase": "over"], timestamp: 1_700_003_600, dismissalDate: 1_700_003_700)
        #expect(
            text(bytes)
                == #"{"aps":{"content-state":{"phase":"over"},"dismissal-date":1700003700,"event":"end","#
                + #""timestamp":1700003600}}"#)
        #expect(
            text(try CardPayload.end(contentState: .null, timestamp: 1, dismissalDate: nil))
                == #"{"aps":{"event":"end","timestamp":1}}"#)
    }

    @Test func anEndIsSentEvenWhereItsContentDoesNotFit() throws {
        let long: JSON = ["x": .string(String(repeating: "x", count: 4096))]
        #expect(
            text(try CardPayload.end(contentState: long, timestamp: 9, dismissalDate: 9))
                == #"{"aps":{"dismissal-date":9,"event":"end","timestamp":9}}"#)
    }

    /// FR-62: `aps` holds the one key, own ones stand beside it.
    @Test func fr62SilentPushIsContentAvailableAndOwnKeysBesideIt() {
        #expect(
            text(CardPayload.wake(reason: .end, runIDs: [Sample.runID]))
                == #"{"aps":{"content-available":1},"cuecard":{"reason":"end","runs":["0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a"]}}"#
        )
        #expect(
            text(CardPayload.wake(reason: .update, runIDs: []))
                == #"{"aps":{"content-available":1},"cuecard":{"reason":"update","runs":[]}}"#)
    }

    @Test func aWakeFitsHoweverManyCardsThereAre() throws {
        let bytes = CardPayload.wake(reason: .end, runIDs: Array(repeating: Sample.runID, count: 1000))
        #expect(bytes.count <= 4096)
        #expect(try JSON(parsing: bytes)["aps"] == ["content-available": 1])
    }

    /// FR-63; how often it is sent is the planner's.
    @Test func fr63SilentPushHasTheBareTopicAndTheBackgroundType() throws {
        let token = try #require(PushToken("00ff"))
        var push = Push(
            id: Sample.runID, event: .wake, environment: .production, bundleID: "org.example.app", token: token,
            priority: 5, expiration: 0, payload: [])
        #expect(push.topic == "org.example.app")
        #expect(push.pushType == "background")
        push.event = .start
        #expect(push.topic == "org.example.app.push-type.liveactivity")
        #expect(push.pushType == "liveactivity")
    }

    /// FR-01: a Swift `Date` counts from 2001.
    @Test func fr01SwiftDatesReadBackAsTheSameInstant() throws {
        var context = Sample.context()
        context.end = Date(timeIntervalSince1970: 1_700_000_000)
        let bytes = try Sample.start(Sample.template(), context)
        #expect(text(bytes).contains(#""endsAt":721692800"#))
        let state = try received(bytes, DefaultAttributes.self, DefaultState.self).state
        #expect(state.endsAt.timeIntervalSince1970 == 1_700_000_000)
    }

    /// FR-02: milliseconds are refused wherever seconds belong.
    @Test func fr02MillisecondsAreRefused() throws {
        let template = try Sample.template()
        let milliseconds: Int64 = 1_700_000_000_000
        func refused(_ field: String, _ body: () throws -> [UInt8]) {
            #expect(throws: PayloadError.notUnixSeconds(field: field, value: milliseconds)) { try body() }
        }
        refused("timestamp") { try Sample.start(template, timestamp: milliseconds) }
        refused("stale-date") { try Sample.start(template, staleDate: milliseconds) }
        refused("timestamp") { try Sample.update(template, timestamp: milliseconds) }
        refused("stale-date") { try Sample.update(template, staleDate: milliseconds) }
        refused("timestamp") { try CardPayload.end(contentState: [:], timestamp: milliseconds, dismissalDate: nil) }
        refused("dismissal-date") { try CardPayload.end(contentState: [:], timestamp: 1, dismissalDate: milliseconds) }

        #expect(throws: Never.self) { try Sample.update(template, timestamp: 100_000_000_000) }
        #expect(throws: PayloadError.self) { try Sample.update(template, timestamp: 100_000_000_001) }
        #expect(throws: PayloadError.self) { try Sample.update(template, timestamp: -1) }
    }

    /// FR-03: one instant through every format, each read by the struct that an app declares for it.
    @Test func fr03EveryDateFieldHasTheUnitItsTypeReads() throws {
        struct State: Decodable {
            var date: Date
            var seconds: Int
            var milliseconds: Int
            var text: String
        }
        let template = try Sample.template([
            "date": "{{occurrence.start|swift}}", "seconds": "{{occurrence.start|unix}}",
            "milliseconds": "{{occurrence.start|unixms}}", "text": "{{occurrence.start|iso8601}}",
        ])
        for bytes in [try Sample.start(template), try Sample.update(template)] {
            let state = try received(bytes, DefaultAttributes.self, State.self).state
            #expect(state.date == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(state.seconds == 1_700_000_000)
            #expect(state.milliseconds == 1_700_000_000_000)
            #expect(state.text == "2023-11-14T22:13:20Z")
        }
    }

    /// FR-04: what goes out decodes with an untouched decoder; a key that an event may lack is an optional.
    @Test(arguments: [
        Sample.context(details: ["room": "4"]), Sample.context(title: "", location: nil, phase: .active),
        Sample.context(title: "엄마 생신 🎂 \"/\\\n", phase: .ending),
    ])
    func fr04TheContentStateDecodesIntoTheAppsStruct(_ context: CardContext) throws {
        for bytes in [try Sample.start(Sample.template(), context), try Sample.update(Sample.template(), context)] {
            let state = try received(bytes, DefaultAttributes.self, DefaultState.self).state
            #expect(state.title == context.title)
            #expect(state.location == context.location)
            #expect(state.startsAt == context.start)
            #expect(state.endsAt == context.end)
            #expect(state.phase == context.phase.rawValue)
            #expect(state.details?["room"].map(JSON.string) == context.details["room"])
        }
    }

    /// FR-04, the other side: a renamed key is caught by decoding, so the tests above can fail.
    @Test func fr04ARenamedKeyDoesNotDecode() throws {
        let renamed = try Sample.template(["name": "{{event.title}}"])
        #expect(throws: DecodingError.self) {
            try received(try Sample.start(renamed), DefaultAttributes.self, DefaultState.self)
        }
    }

    /// FR-05: attributes are what the struct declares and nothing of the content state.
    @Test func fr05AttributesAreTheStructsOwn() throws {
        struct Attributes: Decodable, Equatable {
            var goal: Int
            var runId: String
        }
        struct State: Decodable { var title: String }
        let template = try CardTemplate(
            attributesType: "Goal", attributes: ["goal": 3, "runId": "{{run.id}}"],
            contentState: ["title": "{{event.title}}"])
        let bytes = try Sample.start(template)
        #expect(
            text(bytes)
                == #"{"aps":{"alert":{"body":"Starts in 60 min","sound":"default","title":"Dentist"},"#
                + #""attributes":{"goal":3,"runId":"0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a"},"attributes-type":"Goal","#
                + #""content-state":{"title":"Dentist"},"event":"start","timestamp":1699996400}}"#)
        #expect(
            try received(bytes, Attributes.self, State.self).attributes
                == Attributes(goal: 3, runId: "0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a"))
        #expect(throws: TemplateError.self) {
            try CardTemplate(attributesType: "Goal", attributes: ["runId": "{{run.id}}", "goal": "{{event.goal}}"])
        }
    }

    /// FR-07: keys go out letter by letter, and an empty alert never.
    @Test func fr07KeysStayAsTheAppSpellsThem() throws {
        struct State: Decodable {
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var vehicle_id: String
            var tripID: Int
        }
        let template = try Sample.template([
            "vehicle_id": "{{event.details.vehicle_id}}", "tripID": "{{event.details.t}}",
        ])
        let bytes = try Sample.start(template, Sample.context(title: "", details: ["vehicle_id": "B/7", "t": 4]))
        let body = try JSON(parsing: bytes)
        #expect(body["aps"]?["content-state"] == ["vehicle_id": "B/7", "tripID": 4])
        #expect(body["aps"]?["alert"] == ["title": "Event", "body": "Starts in 60 min", "sound": "default"])
        #expect(try received(bytes, DefaultAttributes.self, State.self).state.vehicle_id == "B/7")
        #expect(throws: TemplateError.self) { try Sample.template(alert: ["title": "", "body": ""]) }
    }

    /// FR-08: a card that is stale from the first is never shown.
    @Test(arguments: [1_699_996_400, 1_699_996_399, 0] as [Int64])
    func fr08AStartIsNotStale(_ staleDate: Int64) throws {
        let template = try Sample.template()
        #expect(throws: PayloadError.staleFromTheStart(staleDate: staleDate, timestamp: 1_699_996_400)) {
            try Sample.start(template, timestamp: 1_699_996_400, staleDate: staleDate)
        }
    }

    /// FR-09: dismissed at once, at a time, or four hours later at the latest.
    @Test(
        arguments: [
            (1_700_000_000, 1_700_000_000), (0, 0), (1_700_014_400, 1_700_014_400), (1_700_014_401, 1_700_014_400),
            (100_000_000_000, 1_700_014_400),
        ] as [(Int64, Int64)])
    func fr09TheDismissalDateIsClamped(_ wanted: Int64, _ sent: Int64) throws {
        let bytes = try CardPayload.end(contentState: [:], timestamp: 1_700_000_000, dismissalDate: wanted)
        #expect(try JSON(parsing: bytes)["aps"]?["dismissal-date"] == .int(sent))
    }

    /// FR-10: no alert on an update, and the sound of a start inside it.
    @Test func fr10UpdatesAreSilent() throws {
        let template = try Sample.template(alert: ["title": "T", "body": "B", "sound": "ding.caf"])
        #expect(!text(try Sample.update(template)).contains("alert"))
        #expect(!text(try Sample.update(template)).contains("sound"))
        let start = try JSON(parsing: Sample.start(template))
        #expect(start["aps"]?["alert"]?["sound"] == "ding.caf")
        #expect(start["aps"]?["sound"] == nil)
        #expect(throws: TemplateError.self) { try Sample.template(alert: ["title": "T", "body": "B", "sound": "nil"]) }
    }

    @Test func errorsSayWhatToDo() {
        #expect(
            PayloadError.notUnixSeconds(field: "stale-date", value: 1_700_000_000_000).description
                == "stale-date 1700000000000 is no time in Unix seconds; give seconds, not milliseconds")
        #expect(PayloadError.staleFromTheStart(staleDate: 1, timestamp: 2).description.contains("app.stale_after"))
        let large = PayloadError.tooLarge(bytes: 5000, limit: 4096).description
        #expect(large.contains("5000") && large.contains("4096") && large.contains("app.content_state"))
    }
}
