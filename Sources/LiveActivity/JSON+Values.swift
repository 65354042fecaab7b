extension JSON {
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
