import LiveActivity
import Testing

@Suite struct AlertTests {
    private func alert(_ template: JSON?, _ context: CardContext = Sample.context()) throws -> JSON {
        try Sample.template(alert: template).render(context).alert
    }

    private static let wording: [(String?, Phase, String, String)] = [
        ("en-US", .upcoming, "Dentist", "Starts in 25 min"), ("en", .active, "Dentist", "Happening now"),
        ("en_GB", .ending, "Dentist", "Happening now"), ("ko-KR", .upcoming, "Dentist", "25분 후에 시작합니다"),
        ("ko", .active, "Dentist", "지금 진행 중입니다"), ("ja-JP", .upcoming, "Dentist", "あと25分で始まります"),
        ("ja", .ending, "Dentist", "ただいま進行中です"), ("fr-FR", .upcoming, "Dentist", "Starts in 25 min"),
        (nil, .active, "Dentist", "Happening now"), ("ko-KR", .upcoming, " ", "25분 후에 시작합니다"),
    ]

    @Test(arguments: wording)
    func theProductsOwnWords(_ locale: String?, _ phase: Phase, _ title: String, _ body: String) throws {
        let alert = try alert(nil, Sample.context(title: title, phase: phase, minutes: 25, locale: locale))
        #expect(alert["title"] == .string(title == " " ? "일정" : title))
        #expect(alert["body"] == .string(body))
        #expect(alert["sound"] == "default")
    }

    @Test(arguments: [("en", "Event"), ("ko-KR", "일정"), ("ja", "予定"), ("de", "Event")])
    func anEventWithoutATitle(_ locale: String, _ title: String) throws {
        #expect(try alert(nil, Sample.context(title: "", locale: locale))["title"] == .string(title))
    }

    @Test func oneForEveryone() throws {
        let own: JSON = ["title": "{{event.title}}!", "body": "{{minutes}}", "sound": "ding.caf"]
        #expect(
            try alert(own, Sample.context(locale: "ko")) == ["title": "Dentist!", "body": "60", "sound": "ding.caf"])
    }

    private static let languages: [(String?, String)] = [
        ("ko-KR", "ko"), ("ko_KR@calendar=dangi", "ko"), ("KO", "ko"), ("pt-BR", "pt-BR"), ("pt-PT", "pt-BR"),
        ("zh-Hant-TW", "zh-Hant"), ("zh", "zh-Hans"), ("fr", "en"), (nil, "en"), ("", "en"), ("kok", "en"),
    ]

    @Test(arguments: languages)
    func theLanguageThatSuits(_ locale: String?, _ expected: String) throws {
        let tags = ["ko", "en", "pt-BR", "zh-Hant", "zh-Hans"]
        let own = JSON.object(
            Dictionary(uniqueKeysWithValues: tags.map { ($0, ["title": .string($0), "body": "b"] as JSON) }))
        #expect(try alert(own, Sample.context(locale: locale))["title"] == .string(expected))
    }

    @Test func withoutEnglishTheFirstByName() throws {
        let own: JSON = ["ko": ["title": "ko", "body": "b"], "de": ["title": "de", "body": "b"]]
        #expect(try alert(own, Sample.context(locale: "fr"))["title"] == "de")
        #expect(
            try alert(
                ["en-GB": ["title": "gb", "body": "b"], "de": ["title": "de", "body": "b"]],
                Sample.context(locale: "fr"))["title"] == "gb")
    }

    @Test func sounds() throws {
        let words: JSON = ["title": "T", "body": "B"]
        #expect(try alert(words)["sound"] == "default")
        #expect(try alert(["title": "T", "body": "B", "sound": .null]) == ["title": "T", "body": "B"])
        #expect(try alert(["sound": "ding.caf", "en": words])["sound"] == "ding.caf")
        #expect(
            try alert(["sound": "ding.caf", "en": ["title": "T", "body": "B", "sound": "dong.caf"]])["sound"]
                == "dong.caf")
        #expect(try alert(["sound": .null, "en": words])["sound"] == nil)
        #expect(
            try alert(["sound": "ding.caf"], Sample.context(locale: "ja"))
                == ["title": "Dentist", "body": "あと60分で始まります", "sound": "ding.caf"])
    }

    @Test func wordsThatTheAppTranslates() throws {
        let own: JSON = [
            "title": ["loc-key": "CARD_TITLE"],
            "body": ["loc-key": "CARD_BODY", "loc-args": ["{{event.location}}", "{{minutes}}", "x"]],
        ]
        #expect(
            try alert(own, Sample.context(location: nil)).description
                == #"{"body":{"loc-args":["","60","x"],"loc-key":"CARD_BODY"},"sound":"default","#
                + #""title":{"loc-args":[],"loc-key":"CARD_TITLE"}}"#)
    }

    @Test(arguments: [(Phase.upcoming, "soon"), (.active, "now"), (.ending, "now"), (.over, "gone")])
    func wordsByPhase(_ phase: Phase, _ expected: String) throws {
        let own: JSON = ["title": "T", "body": ["upcoming": "soon", "active": "now", "over": ["loc-key": "gone"]]]
        let body = try #require(try alert(own, Sample.context(phase: phase))["body"])
        #expect((body["loc-key"] ?? body) == .string(expected))
    }

    /// FR-07: never an empty alert, whatever the event lacks.
    @Test func blankWordsGiveWayToTheProductsOwn() throws {
        let own: JSON = ["title": "{{event.location}}", "body": "{{event.details.note}}"]
        #expect(
            try alert(own, Sample.context(location: nil, locale: "ko"))
                == ["title": "Dentist", "body": "60분 후에 시작합니다", "sound": "default"])
        #expect(
            try alert(own, Sample.context(title: "", location: "  ", details: ["note": "\n"], phase: .active))
                == ["title": "Event", "body": "Happening now", "sound": "default"])
    }
}
