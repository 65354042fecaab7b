/// The words that come with the product: Korean, English and Japanese.
///
/// They name no time of day, which would need the device's zone; the card itself shows the times.
struct BuiltInAlert: Sendable {
    var words: AlertWords
    /// The title of an event that has none.
    var untitled: String

    /// The one for a device's language, or English.
    static func best(for locale: String?) -> BuiltInAlert {
        LanguageMatch.best(for: locale, among: byLanguage.keys).flatMap { byLanguage[$0] } ?? english
    }

    /// All of them as a template.
    static func template(sound: String?) -> AlertTemplate {
        AlertTemplate(
            words: byLanguage.mapValues { AlertWords(title: $0.words.title, body: $0.words.body, sound: sound) })
    }

    private static let byLanguage = [
        "en": english,
        "ko": BuiltInAlert(before: "", after: "분 후에 시작합니다", active: "지금 진행 중입니다", untitled: "일정"),
        "ja": BuiltInAlert(before: "あと", after: "分で始まります", active: "ただいま進行中です", untitled: "予定"),
    ]

    private static let english = BuiltInAlert(
        before: "Starts in ", after: " min", active: "Happening now", untitled: "Event")

    /// - Parameters:
    ///   - before: What stands before the minutes until the start.
    ///   - after: What stands behind them.
    ///   - active: What is said once it has begun.
    ///   - untitled: The title of an event that has none.
    private init(before: String, after: String, active: String, untitled: String) {
        let title = TemplateText(pieces: [.placeholder(Placeholder(path: .title))])
        let minutes = Placeholder(path: .minutes)
        let upcoming = TemplateText(pieces: [.literal(before), .placeholder(minutes), .literal(after)])
        words = AlertWords(
            title: .text(title),
            body: .phased([.upcoming: .text(upcoming), .active: .text(TemplateText(pieces: [.literal(active)]))]),
            sound: "default")
        self.untitled = untitled
    }
}
