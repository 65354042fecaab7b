public import Foundation
internal import LiveActivity

/// The phones' Lock Screens as one HTML page without scripts.
public enum LockScreenPage {
    /// Renders all phones with the cards on their screens, and the numbers.
    ///
    /// Every text from a push is escaped; no token and no key appears. The page reloads itself each second.
    public static func html(_ snapshot: SimulatorSnapshot, at time: Date) -> String {
        let phones = snapshot.phones.values.sorted { $0.id < $1.id }
        let sections = phones.map { section($0, snapshot.cards(on: $0.id).filter(\.isOnScreen), at: time) }
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <meta http-equiv="refresh" content="1"><title>Cuecard simulator</title>
            <style>\(style)</style>
            </head>
            <body>
            <header><h1>Lock Screens</h1><p><time>\(clock(time))</time> · \(numbers(snapshot.scoreboard))</p></header>
            <main>\(sections.isEmpty ? "<p>No phone yet.</p>" : sections.joined(separator: "\n"))</main>
            \(failures(snapshot.scoreboard))
            </body>
            </html>
            """
    }

    private static let style = """
        body{margin:0;background:#10131a;color:#f2f4f8;font:16px/1.4 system-ui,sans-serif}
        header,footer{padding:1rem 1.5rem}h1{margin:0;font-size:1.3rem}
        main{display:flex;flex-wrap:wrap;gap:1.5rem;padding:0 1.5rem 1.5rem}
        section{width:19rem;min-height:26rem;padding:1rem;border:3px solid #4b5263;border-radius:2.2rem;background:#1c2230}
        section h2{margin:.2rem 0 1rem;text-align:center;font-size:1rem;font-weight:600}
        article{margin:0 0 .7rem;padding:.7rem .9rem;border-radius:1rem;background:#e9edf5;color:#10131a}
        article.stale,article.ended{background:#c3c9d6}h3{margin:0;font-size:1rem}
        dl{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;margin:.3rem 0 0;font-size:.85rem}dd{margin:0}
        footer{color:#ffb4a8}
        """

    private static func section(_ phone: Phone, _ cards: [Card], at time: Date) -> String {
        let order = cards.sorted { ($1.relevance, $0.startedAt) < ($0.relevance, $1.startedAt) }
        let state = phone.isOnline ? "" : ", offline"
        let screen = order.isEmpty ? "<p>No card.</p>" : order.map(article).joined(separator: "\n")
        return "<section><h2>\(escape(phone.id)) (\(phone.environment.rawValue)\(state))</h2>\(screen)</section>"
    }

    private static func article(_ card: Card) -> String {
        let content = card.contentState.object ?? [:]
        let rows = content.filter { $0.key != "title" }.sorted { $0.key < $1.key }.compactMap { name, value in
            text(of: value, named: name).map { "<dt>\(escape(name))</dt><dd>\(escape($0))</dd>" }
        }
        let title = content["title"]?.string ?? card.attributesType
        let state = card.state == .active ? "" : " (\(card.state.rawValue))"
        return """
            <article class="\(card.state.rawValue)"><h3>\(escape(title))\(state)</h3>
            <dl>\(rows.joined())</dl></article>
            """
    }

    /// A value as a person reads it; numbers under names that end in `At` are taken for Swift dates.
    private static func text(of value: JSON, named name: String) -> String? {
        if name.hasSuffix("At"), let seconds = value.number {
            return clock(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return switch value {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let flag): flag ? "yes" : "no"
        case .null, .array, .object: nil
        }
    }

    private static func numbers(_ score: Scoreboard) -> String {
        "\(score.started) started, \(score.updated) updated, \(score.ended) ended, \(score.woken) woken, "
            + "\(score.rejected) rejected, \(score.dropped) dropped"
    }

    private static func failures(_ score: Scoreboard) -> String {
        guard !score.failures.isEmpty else { return "" }
        let lines = score.failures.suffix(20).map { "<li>\(escape($0))</li>" }
        return "<footer><h2>Failures</h2><ul>\(lines.joined())</ul></footer>"
    }

    private static func clock(_ time: Date) -> String { time.formatted(.iso8601) }

    private static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
