/// A JSON value as it came in a push.
///
/// The simulator reads JSON with its own parser, so that it judges bytes independently of whatever wrote them.
public enum ReceivedJSON: Sendable, Hashable {
    case null
    case boolean(Bool)
    /// A number without fraction and exponent that fits in 64 bits.
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([ReceivedJSON])
    case object([String: ReceivedJSON])

    /// Parses a whole text (RFC 8259); nil where it is not JSON, is nested deeper than 64, or has bytes after it.
    public init?(_ bytes: some Collection<UInt8>) {
        var parser = JSONParser(Array(bytes))
        guard let value = parser.document() else { return nil }
        self = value
    }

    /// The member with this name; nil where there is none or this is no object.
    public subscript(name: String) -> ReceivedJSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text of a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The members of an object.
    public var object: [String: ReceivedJSON]? { if case .object(let members) = self { members } else { nil } }

    /// The elements of an array.
    public var array: [ReceivedJSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// A whole number, also when it was written with a zero fraction, as Swift's decoder reads it.
    public var integer: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// Any number.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}

/// A recursive-descent parser over UTF-8 bytes; each function leaves `index` behind what it read.
private struct JSONParser {
    private static let depthLimit = 64
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> ReceivedJSON? {
        guard let result = value() else { return nil }
        skipSpace()
        return index == bytes.count ? result : nil
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes[index...].starts(with: wanted) else { return false }
        index += wanted.count
        return true
    }

    private mutating func value() -> ReceivedJSON? {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return nested { $0.object() }
        case UInt8(ascii: "["): return nested { $0.array() }
        case UInt8(ascii: "\""): return text().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func nested(_ read: (inout JSONParser) -> ReceivedJSON?) -> ReceivedJSON? {
        guard depth < Self.depthLimit else { return nil }
        depth += 1
        defer { depth -= 1 }
        index += 1
        return read(&self)
    }

    private mutating func object() -> ReceivedJSON? {
        var members: [String: ReceivedJSON] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        while true {
            skipSpace()
            guard current == UInt8(ascii: "\""), let name = text() else { return nil }
            skipSpace()
            guard take(":"), let member = value() else { return nil }
            members[name] = member
            skipSpace()
            if take("}") { return .object(members) }
            guard take(",") else { return nil }
        }
    }

    private mutating func array() -> ReceivedJSON? {
        var elements: [ReceivedJSON] = []
        skipSpace()
        if take("]") { return .array(elements) }
        while true {
            guard let element = value() else { return nil }
            elements.append(element)
            skipSpace()
            if take("]") { return .array(elements) }
            guard take(",") else { return nil }
        }
    }

    private mutating func number() -> ReceivedJSON? {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        let isLeadingZero = current == UInt8(ascii: "0")
        let whole = digits()
        guard whole > 0, !(isLeadingZero && whole > 1) else { return nil }
        var isWhole = true
        if current == UInt8(ascii: ".") {
            index += 1
            isWhole = false
            guard digits() > 0 else { return nil }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            isWhole = false
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            guard digits() > 0 else { return nil }
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole, let integer = Int64(text) { return .integer(integer) }
        return Double(text).map { .number($0) }
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = current, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func text() -> String? {
        index += 1
        var result: [UInt8] = []
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                result += UTF8.encode(scalar).map(Array.init) ?? []
            case 0..<0x20: return nil
            default: result.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard let byte = current else { return nil }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return escapedScalar()
        default: return nil
        }
    }

    /// A `\u` escape, with its second half where the first is a high surrogate.
    private mutating func escapedScalar() -> Unicode.Scalar? {
        guard let high = hexUnit() else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard take("\\u"), let low = hexUnit(), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexUnit() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        index += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
