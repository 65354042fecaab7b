public import LiveActivity

/// A JSON value as it came in a push, read by Foundation's decoder as an app's own would be.
public typealias ReceivedJSON = JSON

extension JSON {
    /// Reads a whole text; nil where it is not JSON.
    init?(received bytes: some Sequence<UInt8>) {
        do { try self.init(parsing: bytes) } catch { return nil }
    }

    /// The text of a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The members of an object.
    public var object: [String: JSON]? { if case .object(let members) = self { members } else { nil } }

    /// The elements of an array.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// A whole number, also when it was written with a zero fraction, as Swift's decoder reads it.
    public var integer: Int64? { if case .int(let value) = self { value } else { nil } }

    /// Any number.
    public var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
