import Foundation
import LiveActivity
import Testing

@Suite struct ShorteningTests {
    private static let plain: JSON = [
        "title": "{{event.title}}", "location": "{{event.location}}", "details": "{{event.details}}",
    ]

    private func state(_ bytes: [UInt8]) throws -> JSON {
        #expect(bytes.count <= 4096)
        return try #require(try JSON(parsing: bytes)["aps"]?["content-state"])
    }

    private func string(_ json: JSON?) throws -> String {
        guard case .string(let text) = json else { throw NotText() }
        return text
    }

    private struct NotText: Error {}

    /// FR-11: what is too long is cut, and all times and ids stay.
    @Test func fr11ATitleOf5000Emoji() throws {
        let template = try Sample.template()
        let context = Sample.context(title: String(repeating: "🎉", count: 5000))
        for bytes in [try Sample.start(template, context), try Sample.update(template, context)] {
            #expect(bytes.count <= 4096)
            let state = try received(bytes, DefaultAttributes.self, DefaultState.self).state
            #expect(state.title.hasSuffix("🎉…"))
            #expect(state.title.dropLast().allSatisfy { $0 == "🎉" })
            #expect(state.location == "Main St 5/3")
            #expect(state.startsAt == context.start)
            #expect(state.endsAt == context.end)
        }
        #expect(try Sample.start(template, context).count > 4080, "no more is cut than it takes")
        let aps = try received(try Sample.start(template, context), DefaultAttributes.self, DefaultState.self)
        #expect(aps.attributes == DefaultAttributes(runId: Sample.runID, eventId: Sample.eventID))
    }

    /// Text without a blank is text all the same; an id or a link of some length is not.
    @Test func aLongWordInTheDetailsIsCut() throws {
        let link = "https://example.com/" + String(repeating: "a", count: 100)
        let details: JSON = ["note": .string(String(repeating: "z", count: 4000)), "link": .string(link)]
        let state = try state(Sample.update(Sample.template(Self.plain), Sample.context(details: details)))
        #expect(try string(state["details"]?["note"]).hasSuffix("z…"))
        #expect(try string(state["details"]?["link"]) == link)
    }

    /// 97 bytes of attributes, which ActivityKit counts with the content, and 12 around the title.
    @Test func exactly4096BytesAreNotCut() throws {
        let template = try Sample.template(["title": "{{event.title}}"])
        let whole = String(repeating: "y", count: 4096 - 97 - 12)
        #expect(try string(state(Sample.update(template, Sample.context(title: whole)))["title"]) == whole)
        let cut = try string(state(Sample.update(template, Sample.context(title: whole + "y")))["title"])
        #expect(cut == whole.dropLast(3) + "…")
    }

    /// What a reader sees as one character stays one: it is kept whole or cut whole.
    @Test(arguments: [
        "👨‍👩‍👧‍👦", "🇰🇷", "\u{1112}\u{1161}\u{11AB}", "e\u{301}\u{323}", "नि", "👍🏽", "\r\n",
        "한",
    ])
    func charactersStayWhole(_ character: String) throws {
        #expect(character.count == 1)
        // Every offset of the cut within the character comes up.
        for padding in 0..<character.utf8.count {
            let title = String(repeating: "x", count: padding) + String(repeating: character, count: 3000)
            let shown = try string(
                state(Sample.update(Sample.template(Self.plain), Sample.context(title: title, location: nil)))["title"])
            let kept = Array(shown.unicodeScalars.dropLast())
            #expect(shown.unicodeScalars.last == "…")
            #expect(Array(title.unicodeScalars.prefix(kept.count)) == kept)
            if character == "\r\n" { continue }  // white space before the ellipsis goes
            #expect((kept.count - padding) % character.unicodeScalars.count == 0)
            #expect(kept.count > 500)
        }
    }

    @Test func oneCharacterThatIsTooLongLeavesTheEllipsis() throws {
        let title = "a" + String(repeating: "\u{301}", count: 5000)
        #expect(title.count == 1)
        #expect(try state(Sample.update(Sample.template(Self.plain), Sample.context(title: title)))["title"] == "…")
    }

    @Test func noSpaceStandsBeforeTheEllipsis() throws {
        let title = "Lunch" + String(repeating: " ", count: 5000) + "x"
        #expect(
            try state(Sample.update(Sample.template(Self.plain), Sample.context(title: title)))["title"] == "Lunch…")
    }

    @Test func theLongestTextIsCutAndTheOthersStay() throws {
        let context = Sample.context(
            title: String(repeating: "t ", count: 100), location: String(repeating: "l ", count: 100),
            details: ["note": .string(String(repeating: "일정 ", count: 3000)), "short": "keep me"])
        let state = try state(Sample.start(Sample.template(), context))
        #expect(state["title"] == .string(context.title))
        #expect(state["location"] == context.location.map(JSON.string))
        #expect(state["details"]?["short"] == "keep me")
        #expect(try string(state["details"]?["note"]).hasSuffix("…"))
    }

    @Test func idsDatesLinksAndNumbersStayWhole() throws {
        let link = "https://example.org/" + String(repeating: "p/", count: 300)
        let fixed: JSON = [
            "id": "e7b1c0de-1111-4222-8333-944455556666", "at": "2023-11-14T22:13:20.123456+09:00",
            "pg": "2023-11-14 22:13:20.123456+09", "link": .string(link), "n": 1_700_000_000_000,
        ]
        guard case .object(var details) = fixed else { return }
        // So many texts that each keeps little more than the least.
        details["text"] = .array(Array(repeating: .string(String(repeating: "many words ", count: 100)), count: 55))
        let state = try state(Sample.start(Sample.template(), Sample.context(details: .object(details))))
        for (key, value) in details where key != "text" { #expect(state["details"]?[key] == value) }
        let text = try string(state["details"]?["text"]?[0])
        #expect(text.hasSuffix("…"))
        #expect((36...60).contains(text.utf8.count))
    }

    /// The input is cut, not the output: what the template says around it stays, wherever the text is shown.
    @Test func theTemplatesOwnTextStays() throws {
        let template = try Sample.template(
            ["line": "<{{event.title}}>", "again": ["{{event.title}}"]],
            alert: ["title": "{{event.title}}", "body": "[{{event.title}}]"])
        let bytes = try Sample.start(template, Sample.context(title: String(repeating: "a b ", count: 3000)))
        let state = try state(bytes)
        let title = try string(state["again"]?[0])
        #expect(state["line"] == .string("<\(title)>"))
        let alert = try JSON(parsing: bytes)["aps"]?["alert"]
        #expect(alert?["title"] == .string(title))
        #expect(alert?["body"] == .string("[\(title)]"))
    }

    @Test func escapesAreCounted() throws {
        let title = String(repeating: "\u{1}\"", count: 3000)
        #expect(
            try string(state(Sample.start(Sample.template(), Sample.context(title: title)))["title"]).hasSuffix("…"))
    }

    @Test func whatCannotFitIsRefused() throws {
        let template = try Sample.template()
        let numbers = JSON.array(Array(repeating: .int(.max), count: 1000))
        let texts = JSON.array(Array(repeating: .string(String(repeating: "many words ", count: 100)), count: 100))
        for details in [
            ["n": numbers], ["texts": texts],
            ["ids": .array(Array(repeating: .string(String(repeating: "a", count: 128)), count: 40))],
        ]
            as [JSON]
        {
            let context = Sample.context(details: details)
            let error = try #require(throws: PayloadError.self) { try Sample.start(template, context) }
            guard case .tooLarge(let bytes, 4096) = error else {
                Issue.record("\(error)")
                continue
            }
            #expect(bytes > 4096)
            #expect(throws: PayloadError.self) { try Sample.update(template, context) }
        }
    }

    /// ActivityKit holds attributes and content state to 4 KB together, though an update carries the state alone.
    @Test func anUpdateLeavesRoomForTheAttributes() throws {
        let fixed = String(repeating: "f", count: 2000)
        let template = try CardTemplate(
            attributesType: "A", attributes: ["runId": "{{run.id}}", "fixed": .string(fixed)],
            contentState: ["title": "{{event.title}}"])
        let context = Sample.context(title: String(repeating: "x", count: 5000))
        let state = try state(Sample.update(template, context))
        let attributes = template.render(context).attributes
        #expect(state.bytes.count + attributes.bytes.count <= 4096)
        #expect(state.bytes.count + attributes.bytes.count > 4080)
    }

    /// What is remembered as the last content fits into the end that carries it.
    @Test func aRenderedCardFitsIntoItsEnd() throws {
        let title = String(repeating: "🎉", count: 5000)
        let card = try Sample.template(["t": "{{event.title}}"]).render(Sample.context(title: title))
        let bytes = try CardPayload.end(
            contentState: card.contentState, timestamp: 99_999_999_999, dismissalDate: 100_000_000_000)
        #expect(try state(bytes) == card.contentState)
        #expect(try string(card.contentState["t"]).hasSuffix("🎉…"))
    }

    @Test func theContentKeyIsThatOfTheWholeText() throws {
        let template = try Sample.template(["t": "{{minutes}}{{event.title}}"])
        func key(_ title: String, _ minutes: Int) -> String {
            template.render(Sample.context(title: title, minutes: minutes)).contentKey
        }
        let long = String(repeating: "x y ", count: 3000)
        #expect(key(long, 9) == key(long, 10_000))
        #expect(key(long, 9) != key(long + "z", 9))
    }
}
