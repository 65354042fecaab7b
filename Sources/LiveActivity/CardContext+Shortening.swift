extension CardContext {
    /// The least that shortening leaves of a text, in bytes: no UUID and no ISO 8601 date is longer.
    static let shortestText = 40

    /// The same with its title, its location and the texts in its details cut to at most so many bytes.
    ///
    /// A detail that is one ASCII word (an id, a date, a link) stays whole: half of it would be wrong, not short.
    func shortened(to limit: Int) -> CardContext {
        var context = self
        context.title = title.shortened(to: limit)
        context.location = location?.shortened(to: limit)
        context.details = details.shortened(to: limit)
        return context
    }

    /// The longest text that may be cut, in bytes.
    var longestText: Int { max(title.utf8.count, location?.utf8.count ?? 0, details.longestText) }
}

extension JSON {
    fileprivate func shortened(to limit: Int) -> JSON {
        switch self {
        case .string(let text) where !text.isASCIIWord: .string(text.shortened(to: limit))
        case .array(let elements): .array(elements.map { $0.shortened(to: limit) })
        case .object(let members): .object(members.mapValues { $0.shortened(to: limit) })
        case .null, .bool, .int, .double, .string: self
        }
    }

    fileprivate var longestText: Int {
        switch self {
        case .string(let text) where !text.isASCIIWord: text.utf8.count
        case .array(let elements): elements.map(\.longestText).max() ?? 0
        case .object(let members): members.values.map(\.longestText).max() ?? 0
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

    fileprivate var isASCIIWord: Bool { utf8.allSatisfy { (0x21..<0x7F).contains($0) } }
}
