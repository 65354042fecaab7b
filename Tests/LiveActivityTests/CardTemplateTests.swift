import Foundation
import LiveActivity
import Testing

@Suite struct CardTemplateTests {
    @Test func theProductsOwnTemplates() throws {
        let card = try Sample.template().render(Sample.context(details: ["room": "4"]))
        #expect(
            card.attributes.description
                == #"{"eventId":"e7b1c0de-1111-4222-8333-944455556666","runId":"0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a"}"#
        )
        #expect(
            card.contentState.description
                == #"{"details":{"room":"4"},"endsAt":721696400,"location":"Main St 5/3","phase":"upcoming","#
                + #""startsAt":721692800,"title":"Dentist"}"#)
        #expect(card.alert.description == #"{"body":"Starts in 60 min","sound":"default","title":"Dentist"}"#)
    }

    @Test func aJSONNullTakesTheDefaultsToo() throws {
        let template = try CardTemplate(attributesType: "A", attributes: .null, contentState: .null, alert: .null)
        #expect(try template == CardTemplate(attributesType: "A"))
    }

    @Test func aPlaceholderAloneGivesTheTypedValue() throws {
        let context = Sample.context(details: ["n": 7, "list": [1, "a"], "flag": true, "ratio": 0.5])
        let content = try Sample.content(
            [
                "run": "{{run.id}}", "event": "{{event.id}}", "title": "{{event.title}}", "phase": "{{ phase }}",
                "minutes": "{{minutes}}", "locale": "{{device.locale}}", "n": "{{event.details.n}}",
                "list": "{{event.details.list}}", "second": "{{event.details.list.1}}",
                "flag": "{{event.details.flag}}",
                "ratio": "{{event.details.ratio}}", "fixed": [1, 2.5, true, .null, "x"],
            ], context)
        #expect(
            content == [
                "run": "0b5e1a44-6a0e-4c60-9a43-0d3e1d2c3b4a", "event": "e7b1c0de-1111-4222-8333-944455556666",
                "title": "Dentist", "phase": "upcoming", "minutes": 60, "locale": "en-US", "n": 7, "list": [1, "a"],
                "second": "a", "flag": true, "ratio": 0.5, "fixed": [1, 2.5, true, .null, "x"],
            ])
    }

    @Test func amongTextEveryValueIsText() throws {
        let context = Sample.context(details: ["n": 7, "list": [1, "a"], "flag": true])
        #expect(
            try Sample.content(
                ["line": "{{event.title}}@{{event.location}} {{minutes}}′ {{event.details.n}}{{event.details.flag}}"],
                context) == ["line": "Dentist@Main St 5/3 60′ 7true"])
        #expect(try Sample.content(["line": "={{event.details.list}}"], context) == ["line": #"=[1,"a"]"#])
        #expect(try Sample.content(["line": " {{minutes}}"], context) == ["line": " 60"])
        #expect(
            try Sample.content(["a": "", "b": "}} { {", "c": "{{minutes}}\u{301}"], context)
                == ["a": "", "b": "}} { {", "c": "60\u{301}"])
    }

    @Test func aPlaceholderWithoutAValueDropsItsKeyOrElement() throws {
        let context = Sample.context(location: nil, details: ["a": .null, "b": "x"], locale: nil)
        let content = try Sample.content(
            [
                "location": "{{event.location}}", "line": "at {{event.location}}", "locale": "{{device.locale}}",
                "a": "{{event.details.a}}", "deep": "{{event.details.b.c}}", "none": "{{event.details.none}}",
                "list": ["{{event.location}}", "{{event.details.b}}", ["{{event.details.none}}"]],
                "inner": ["x": "{{event.location}}"],
            ], context)
        #expect(content == ["list": ["x", []], "inner": [:]])
    }

    @Test func whatIsFilledInIsNotReadAsATemplate() throws {
        let context = Sample.context(title: "{{run.id}}", details: ["{{minutes}}": "{{phase}} \"\\ {{"])
        #expect(
            try Sample.content(["t": "{{event.title}}", "u": "a {{event.title}}", "d": "{{event.details}}"], context)
                == ["t": "{{run.id}}", "u": "a {{run.id}}", "d": ["{{minutes}}": "{{phase}} \"\\ {{"]])
    }

    @Test func dates() throws {
        let content = try Sample.content([
            "swift": "{{occurrence.start|swift}}", "unix": "{{occurrence.start|unix}}",
            "unixms": "{{ occurrence.start | unixms }}", "iso8601": "{{occurrence.end|iso8601}}",
            "line": "{{occurrence.start|unix}}-{{occurrence.end|unix}}",
        ])
        #expect(
            content == [
                "swift": 721_692_800, "unix": 1_700_000_000, "unixms": 1_700_000_000_000,
                "iso8601": "2023-11-14T23:13:20Z", "line": "1700000000-1700003600",
            ])
    }

    @Test func datesBefore2001And1970AndWithAFraction() throws {
        var context = Sample.context()
        context.start = Date(timeIntervalSince1970: 0.5)
        context.end = Date(timeIntervalSince1970: -1.25)
        let content = try Sample.content(
            [
                "a": "{{occurrence.start|swift}}", "b": "{{occurrence.start|unix}}", "c": "{{occurrence.start|unixms}}",
                "d": "{{occurrence.start|iso8601}}", "e": "{{occurrence.end|unix}}", "f": "{{occurrence.end|unixms}}",
                "g": "{{occurrence.end|iso8601}}",
            ], context)
        #expect(
            content == [
                "a": -978_307_199.5, "b": 0, "c": 500, "d": "1970-01-01T00:00:00Z", "e": -2, "f": -1250,
                "g": "1969-12-31T23:59:58Z",
            ])
    }

    @Test(arguments: [1e300, .infinity, .nan])
    func aDateOutOfAllRangeHasNoValue(_ unix: Double) throws {
        var context = Sample.context()
        context.start = Date(timeIntervalSince1970: unix)
        let content = try Sample.content(
            ["a": "{{occurrence.start|unix}}", "b": "{{occurrence.start|unixms}}"], context)
        #expect(content == [:])
    }

    @Test func aDateThatIsNoNumberIsNowhere() throws {
        var context = Sample.context()
        context.start = Date(timeIntervalSince1970: .infinity)
        let content = try Sample.content(
            ["a": "{{occurrence.start|swift}}", "b": "{{occurrence.start|iso8601}}"], context)
        #expect(content == [:])
    }

    /// Nested arrays, numbers big and small, null, keys in many scripts: the card carries them as they came.
    @Test func oddDetailsComeThroughUnharmed() throws {
        let odd =
            #"{"":0,"a":[[],[[1,[2]],{}],null],"big":9223372036854775807,"small":5e-324,"한글":"\u0000","🙂":[true,1e+300]}"#
        let content = try Sample.content(["details": "{{event.details}}"], Sample.context(details: JSON(parsing: odd)))
        #expect(content.description == #"{"details":"# + odd + "}")
    }

    @Test func theContentKeyIsTheFNV1aHashOfTheContent() throws {
        // printf '%s' '{"m":0,"t":"Dentist"}' through an independent FNV-1a, 64 bits.
        let template = try Sample.template(["t": "{{event.title}}", "m": "{{minutes}}"])
        #expect(template.render(Sample.context()).contentKey == "bad9ff2c32e0c8ed")
    }

    @Test func theContentKeyFollowsTheContentAndNotTheMinutes() throws {
        let template = try Sample.template(["line": "{{event.title}} in {{minutes}}", "phase": "{{phase}}"])
        let key = template.render(Sample.context(minutes: 60)).contentKey
        #expect(key.count == 16)
        #expect(template.render(Sample.context(minutes: 5)).contentKey == key)
        #expect(template.render(Sample.context(location: "elsewhere", minutes: 5)).contentKey == key)
        #expect(template.render(Sample.context(title: "Doctor")).contentKey != key)
        #expect(template.render(Sample.context(phase: .active)).contentKey != key)
    }
}
