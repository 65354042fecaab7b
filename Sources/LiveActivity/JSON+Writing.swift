extension JSON: CustomStringConvertible {
    /// The canonical text in UTF-8: keys in byte order, no spaces, `/` and everything beyond ASCII as they are.
    ///
    /// The same value gives the same bytes in every process and on every platform. A number that is not finite, which
    /// JSON cannot say, is written `null`.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// The canonical text, as in ``bytes``.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let flag): out += (flag ? "true" : "false").utf8
        case .int(let number): out += String(number).utf8
        // Swift writes the shortest digits that read back as the same number, in a form that JSON allows.
        case .double(let number): out += (number.isFinite ? number.description : "null").utf8
        case .string(let text): Self.write(text, to: &out)
        case .array(let elements): Self.write(elements, to: &out)
        case .object(let members): Self.write(members, to: &out)
        }
    }

    private static func write(_ elements: [JSON], to out: inout [UInt8]) {
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            element.write(to: &out)
        }
        out.append(UInt8(ascii: "]"))
    }

    private static func write(_ members: [String: JSON], to out: inout [UInt8]) {
        out.append(UInt8(ascii: "{"))
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (index, member) in sorted.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            write(member.key, to: &out)
            out.append(UInt8(ascii: ":"))
            member.value.write(to: &out)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// A string with the escapes that RFC 8259 section 7 demands, and no others.
    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): out += #"\""#.utf8
            case UInt8(ascii: "\\"): out += #"\\"#.utf8
            case 0x08: out += #"\b"#.utf8
            case 0x09: out += #"\t"#.utf8
            case 0x0A: out += #"\n"#.utf8
            case 0x0C: out += #"\f"#.utf8
            case 0x0D: out += #"\r"#.utf8
            case 0..<0x10: out += (#"\u000"# + String(byte, radix: 16)).utf8
            case 0x10..<0x20: out += (#"\u00"# + String(byte, radix: 16)).utf8
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
