import LiveActivity
import Testing

/// Every problem is named by column, place and mend, and all at once.
@Suite struct TemplateErrorTests {
    struct Found: Equatable, Sendable {
        var place: String
        var reason: TemplateError.Reason

        init(_ place: String, _ reason: TemplateError.Reason) {
            self.place = place
            self.reason = reason
        }
    }

    private func problems(
        type: String = "EventAttributes", attributes: JSON? = nil, _ contentState: JSON? = nil, alert: JSON? = nil
    ) -> [Found] {
        do {
            _ = try CardTemplate(
                attributesType: type, attributes: attributes, contentState: contentState, alert: alert)
            return []
        } catch {
            return error.problems.map { Found("\($0.column.rawValue)\($0.path)", $0.reason) }
        }
    }

    private static let badStrings: [(String, TemplateError.Reason)] = [
        ("{{event.name}}", .unknownPath("event.name")), ("{{}}", .unknownPath("")),
        ("{{event.details.}}", .unknownPath("event.details.")),
        ("{{event.details..x}}", .unknownPath("event.details..x")), ("{{Event.title}}", .unknownPath("Event.title")),
        ("{{occurrence}}", .unknownPath("occurrence")), ("{{|unix}}", .unknownPath("")),
        ("at {{occurrence.start}}", .dateWithoutFormat("occurrence.start")),
        ("{{occurrence.end|rfc}}", .unknownDateFormat("rfc")), ("{{occurrence.end|}}", .unknownDateFormat("")),
        ("{{occurrence.end|unix|swift}}", .unknownDateFormat("unix|swift")),
        ("{{minutes|unix}}", .formatWithoutDate("minutes")), ("{{event.title", .unclosedPlaceholder),
        ("{{phase}} {{event.title}", .unclosedPlaceholder),
    ]

    @Test(arguments: badStrings)
    func placeholders(_ string: String, _ reason: TemplateError.Reason) {
        #expect(problems(["a": ["x", ["b": .string(string)]]]) == [Found("content_state.a[1].b", reason)])
        #expect(problems(alert: ["title": "T", "body": .string(string)]) == [Found("alert.body", reason)])
    }

    @Test func aKeyHoldsNoPlaceholder() {
        #expect(problems(["{{phase}}": 1]) == [Found("content_state.{{phase}}", .placeholderNotAllowed)])
    }

    @Test(arguments: [
        "event.title", "event.location", "event.details", "event.details.x", "occurrence.start|unix",
        "occurrence.end|swift", "phase", "minutes", "device.locale",
    ])
    func attributesHoldNothingThatMayChange(_ path: String) {
        let name = String(path.prefix { $0 != "|" })
        #expect(
            problems(attributes: ["runId": "{{run.id}}", "x": .string("{{\(path)}}")])
                == [Found("attributes.x", .mayChange(name))])
    }

    @Test func attributesHoldTheRun() {
        #expect(problems(attributes: ["eventId": "{{event.id}}"]) == [Found("attributes", .runIDMissing)])
        #expect(problems(attributes: [:]) == [Found("attributes", .runIDMissing)])
        #expect(problems(attributes: ["deep": ["card-{{run.id}}"]]) == [])
    }

    @Test func aTemplateIsAnObject() {
        #expect(
            problems(attributes: ["{{run.id}}"])
                == [Found("attributes", .notAnObject), Found("attributes", .runIDMissing)])
        #expect(problems("{{event.title}}") == [Found("content_state", .notAnObject)])
        #expect(problems(alert: "Hello") == [Found("alert", .notAnObject)])
    }

    @Test(arguments: ["", "Event Attributes", "1Event", "Event-Attributes", "Outer."])
    func theAttributesTypeNamesAStruct(_ type: String) {
        #expect(problems(type: type) == [Found("attributes_type", .invalidAttributesType)])
    }

    @Test func aNestedAttributesType() {
        #expect(problems(type: "Outer.Event_2") == [])
    }

    private static let badAlerts: [(String, [Found])] = [
        (#"{"title": "", "body": "B"}"#, [Found(".title", .emptyText)]),
        (#"{"title": "T"}"#, [Found(".body", .emptyText)]),
        (#"{"title": "T", "body": " \n"}"#, [Found(".body", .emptyText)]),
        (#"{"title": "T", "body": null}"#, [Found(".body", .emptyText)]),
        (#"{"title": 5, "body": {"x": "y"}}"#, [Found(".title", .notText), Found(".body", .notText)]),
        (#"{"title": "T", "body": {"loc-key": ""}}"#, [Found(".body.loc-key", .emptyText)]),
        (#"{"title": "T", "body": {"loc-key": "K", "loc-args": [1]}}"#, [Found(".body.loc-args[0]", .notText)]),
        (#"{"title": "T", "body": {"loc-key": "K", "loc-arg": []}}"#, [Found(".body", .notText)]),
        (#"{"title": "T", "body": {"loc-key": "K", "loc-args": "x"}}"#, [Found(".body", .notText)]),
        (#"{"title": "T", "body": {"active": "now"}}"#, [Found(".body", .notText)]),
        (
            #"{"title": "T", "body": {"upcoming": "a", "later": "b", "over": ""}}"#,
            [Found(".body.later", .notText), Found(".body.over", .emptyText)]
        ),
        (#"{"title": "T", "body": "B", "sound": "nil"}"#, [Found(".sound", .invalidSound)]),
        (#"{"title": "T", "body": "B", "sound": "Nil"}"#, [Found(".sound", .invalidSound)]),
        (#"{"title": "T", "body": "B", "sound": ""}"#, [Found(".sound", .invalidSound)]),
        (#"{"title": "T", "body": "B", "sound": 1}"#, [Found(".sound", .invalidSound)]),
        (#"{"title": "T", "body": "B", "sound": "{{phase}}"}"#, [Found(".sound", .invalidSound)]),
        (#"{"sound": "nil"}"#, [Found(".sound", .invalidSound)]),
        (#"{"en": {"title": "T", "body": "B", "sound": "nil"}}"#, [Found(".en.sound", .invalidSound)]),
        (#"{"title": "T", "body": "B", "subtitle": "S"}"#, [Found(".subtitle", .unknownKey)]),
        (#"{"title": "T", "body": "B", "ko": {"title": "T", "body": "B"}}"#, [Found(".ko", .languagesAndText)]),
        (#"{"english": {"title": "T", "body": "B"}}"#, [Found(".english", .unknownKey)]),
        (#"{"en": "Hello"}"#, [Found(".en", .notAnObject)]),
        (
            #"{"en": {}, "ko-KR": {"title": "T", "body": "B", "x": 1}}"#,
            [Found(".en.title", .emptyText), Found(".en.body", .emptyText), Found(".ko-KR.x", .unknownKey)]
        ),
    ]

    @Test(arguments: badAlerts)
    func alerts(_ alert: String, _ expected: [Found]) throws {
        #expect(try problems(alert: JSON(parsing: alert)) == expected.map { Found("alert\($0.place)", $0.reason) })
    }

    /// A start is `{"aps":{…}}` around what the row holds; 4096 bytes in any column are too many.
    @Test func aTemplateThatNeverFits() {
        let long = JSON.string(String(repeating: "x", count: 4096))
        for found in [
            problems(["long": long]), problems(attributes: ["runId": "{{run.id}}", "long": long]),
            problems(alert: ["en": ["title": "T", "body": "B"], "ko": ["title": "T", "body": long]]),
        ] {
            guard found.count == 1, found[0].place == "content_state", case .tooLarge(let bytes) = found[0].reason
            else {
                Issue.record("\(found)")
                continue
            }
            #expect((4300...4600).contains(bytes))
        }
    }

    @Test func everyColumnAtOnce() {
        #expect(
            problems(type: "", attributes: [:], ["a": "{{b}}"], alert: ["title": "T"]) == [
                Found("attributes_type", .invalidAttributesType), Found("attributes", .runIDMissing),
                Found("content_state.a", .unknownPath("b")), Found("alert.body", .emptyText),
            ])
    }

    @Test func descriptionsNameTheColumnThePlaceAndTheMend() throws {
        let error = try #require(throws: TemplateError.self) {
            try CardTemplate(
                attributesType: "A", attributes: ["t": "{{event.title}}"],
                contentState: ["at": ["{{occurrence.start}}"]])
        }
        #expect(
            error.description == """
                app.attributes.t: "event.title" may change, and attributes cannot; move it to content_state
                app.attributes: {{run.id}} is missing; add it, such as "runId": "{{run.id}}"
                app.content_state.at[0]: "occurrence.start" is a date without a format; \
                write {{occurrence.start|swift}} for a Swift Date, or |unix, |unixms, |iso8601
                """)
    }
}
