extension CardContext {
    /// The least that shortening leaves of a text, in bytes: no UUID and no ISO 8601 date is longer.
    static let shortestText = 40
    /// What is one ASCII word of no more bytes is an id, a date or a link, and never cut.
    static let longestWord = 128

    /// The same with its title, its location and the texts in its details cut to at most so many bytes.
    ///
    /// A detail that is one ASCII word stays whole, since half of an id or a link would be wrong, not short; with
    /// `longWordsToo` only one of ``longestWord`` at most does.
    func shortened(to limit: Int, longWordsToo: Bool) -> CardContext {
        var context = self
        context.title = title.shortened(to: limit)
        context.location = location?.shortened(to: limit)
        context.details = details.shortened(to: limit, longWordsToo)
        return context
    }

    /// The longest text that may be cut, in bytes.
    func longestText(longWordsToo: Bool) -> Int {
        max(title.utf8.count, location?.utf8.count ?? 0, details.longestText(longWordsToo))
    }
}

extension JSON {
    fileprivate func shortened(to limit: Int, _ longWordsToo: Bool) -> JSON {
        switch self {
        case .string(let text) where text.mayBeCut(longWordsToo): .string(text.shortened(to: limit))
        case .array(let elements): .array(elements.map { $0.shortened(to: limit, longWordsToo) })
        case .object(let members): .object(members.mapValues { $0.shortened(to: limit, longWordsToo) })
        case .null, .bool, .int, .double, .string: self
        }
    }

    fileprivate func longestText(_ longWordsToo: Bool) -> Int {
        switch self {
        case .string(let text) where text.mayBeCut(longWordsToo): text.utf8.count
        case .array(let elements): elements.map { $0.longestText(longWordsToo) }.max() ?? 0
        case .object(let members): members.values.map { $0.longestText(longWordsToo) }.max() ?? 0
        case .null, .bool, .int, .double, .string: 0
        }
    }
}

extension String {
    /// At most `limit` bytes: whole characters as a reader sees them, then an ellipsis where something was cut.
    func shortened(to limit: Int) -> String {
        guard utf8.count > limit else { return self }
        let ellipsis = "…"
        var room = limit - ellipsis.utf8.count
        var kept = prefix { character in
            room -= character.utf8.count
            return room >= 0
        }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept + ellipsis
    }

    fileprivate func mayBeCut(_ longWordsToo: Bool) -> Bool {
        longWordsToo && utf8.count > CardContext.longestWord || !utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }
}
