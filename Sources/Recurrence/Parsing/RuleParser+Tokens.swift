/// Bytes, items, and errors that say where.
extension RuleParser {
    mutating func consume(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    mutating func token(while belongs: (UInt8) -> Bool) -> Range<Int> {
        let start = position
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
        return start..<position
    }

    /// One value, up to a comma, a semicolon or the end.
    mutating func item() -> Range<Int> {
        token { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }
    }

    /// Whether the bytes spell the upper-case word, in either case.
    func matches(_ word: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        let start = word.utf8Start
        for index in 0..<range.count {
            let byte = bytes[range.lowerBound + index]
            let upper = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") ? byte - 32 : byte
            guard upper == start[index] else { return false }
        }
        return true
    }

    /// One to ten digits.
    func unsigned(_ range: Range<Int>) -> Int? {
        range.isEmpty || range.count > 10 ? nil : bytes.number(at: range.lowerBound, digits: range.count)
    }

    func signed(_ range: Range<Int>) -> Int? {
        guard let first = range.first else { return nil }
        switch bytes[first] {
        case UInt8(ascii: "-"): return unsigned(first + 1..<range.upperBound).map { -$0 }
        case UInt8(ascii: "+"): return unsigned(first + 1..<range.upperBound)
        default: return unsigned(range)
        }
    }

    func notA(_ what: String, _ item: Range<Int>) -> RecurrenceError {
        guard !item.isEmpty else {
            return RecurrenceError(.syntax, "\(part.name): a value is missing\(place(item.lowerBound))")
        }
        return RecurrenceError(.value, "\(part.name): \(quoted(item)) is not \(what)\(place(item.lowerBound))")
    }

    func unexpected() -> RecurrenceError {
        let rest = position..<min(position + 20, bytes.count)
        return RecurrenceError(.syntax, "\(part.name): \(quoted(rest)) is not expected here\(place(position))")
    }

    /// At most 40 bytes of the text.
    func quoted(_ range: Range<Int>) -> String {
        let shown = range.prefix(40)
        let text = String(decoding: bytes[shown.startIndex..<shown.endIndex], as: UTF8.self)
        return range.count > shown.count ? "\"\(text)…\"" : "\"\(text)\""
    }

    /// ` (at character n)`, counted from 1.
    func place(_ offset: Int) -> String {
        " (at character \(String(decoding: bytes[..<offset], as: UTF8.self).count + 1))"
    }
}
