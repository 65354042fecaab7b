internal import Foundation

extension JSON {
    /// Reads one JSON text in UTF-8.
    ///
    /// - Throws: `DecodingError` for anything but JSON, a number that no `Double` holds, a lone surrogate, or more
    ///   than about 500 levels.
    public init(parsing bytes: some Sequence<UInt8>) throws {
        self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
    }

    /// Reads one JSON text.
    ///
    /// - Throws: `DecodingError`, as for bytes.
    public init(parsing text: String) throws {
        try self.init(parsing: text.utf8)
    }
}

extension JSON: Codable {
    /// Reads a value of any kind.
    public init(from decoder: any Decoder) throws {
        let scalar = try decoder.singleValueContainer()
        if scalar.decodeNil() {
            self = .null
        } else if let text = probe({ try scalar.decode(String.self) }) {
            self = .string(text)
        } else if let number = probe({ try scalar.decode(Int64.self) }) {
            self = .int(number)
        } else if let number = probe({ try scalar.decode(Double.self) }) {
            self = .double(number)
        } else if let flag = probe({ try scalar.decode(Bool.self) }) {
            self = .bool(flag)
        } else if let elements = probe({ try decoder.unkeyedContainer() }) {
            self = try JSON(elements: elements)
        } else if let members = probe({ try decoder.container(keyedBy: MemberKey.self) }) {
            self = try JSON(members: members)
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "a number out of range or a broken text"))
        }
    }

    private init(elements: any UnkeyedDecodingContainer) throws {
        var container = elements
        var elements: [JSON] = []
        while !container.isAtEnd { elements.append(try container.decode(JSON.self)) }
        self = .array(elements)
    }

    private init(members container: KeyedDecodingContainer<MemberKey>) throws {
        var members: [String: JSON] = [:]
        for key in container.allKeys { members[key.stringValue] = try container.decode(JSON.self, forKey: key) }
        self = .object(members)
    }

    /// Writes the value as its plain JSON counterpart.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .int(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }

    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// Asks what kind of value this is: the kind that does not fit throws, and where none fits the caller says so.
private func probe<Value>(_ decode: () throws -> Value) -> Value? {
    do { return try decode() } catch { return nil }
}
