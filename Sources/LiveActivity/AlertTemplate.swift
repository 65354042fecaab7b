internal import Foundation

/// What a start says aloud, for each language.
///
/// `{"title": text, "body": text, "sound": name}` for everyone, or these three by language: `{"en": {…}, "ko": {…}}`,
/// where a `sound` beside the languages holds for all that name none. A text is a string with placeholders, an object
/// `{"loc-key": …, "loc-args": […]}` that the app translates, or one of these by phase: `{"upcoming": …, "active": …}`.
struct AlertTemplate: Sendable, Hashable {
    /// By language tag in lower case; `""` for everyone.
    var words: [String: AlertWords]

    /// The alert for a device, never with an empty title or body.
    ///
    /// Where a title or body comes out blank, the product's own words in the device's language (or English) take its
    /// place: the event's title or, without one, "Event", and when it starts.
    func render(_ context: CardContext) -> JSON {
        let words = LanguageMatch.best(for: context.locale, among: self.words.keys).flatMap { self.words[$0] }
        let own = BuiltInAlert.best(for: context.locale)
        var alert: [String: JSON] = [
            "title": words?.title.render(context) ?? own.words.title.render(context) ?? .string(own.untitled),
            "body": words?.body.render(context) ?? own.words.body.render(context) ?? .string(own.untitled),
        ]
        alert["sound"] = words?.sound.map(JSON.string)
        return .object(alert)
    }
}

/// Title, body and sound in one language.
struct AlertWords: Sendable, Hashable {
    var title: AlertText
    var body: AlertText
    /// A file name or `default`; nil for none.
    var sound: String?
}

/// A title or a body.
indirect enum AlertText: Sendable, Hashable {
    case text(TemplateText)
    case localized(key: String, arguments: [TemplateText])
    /// A phase that is absent says what the one before it says; `upcoming` is always there.
    case phased([Phase: AlertText])

    /// Nil where it comes out blank or a placeholder has no value.
    func render(_ context: CardContext) -> JSON? {
        switch self {
        case .text(let text):
            guard let text = text.render(context), !text.isBlank else { return nil }
            return .string(text)
        case .localized(let key, let arguments):
            // An argument is always a string, and a missing one stays as an empty one: the app counts positions.
            let arguments = arguments.map { JSON.string($0.render(context) ?? "") }
            return .object(["loc-key": .string(key), "loc-args": .array(arguments)])
        case .phased(let texts):
            let upToNow = Phase.allCases.prefix { $0 != context.phase } + [context.phase]
            return upToNow.reversed().lazy.compactMap { texts[$0] }.first?.render(context)
        }
    }
}

extension String {
    /// Whether there is nothing to see.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
