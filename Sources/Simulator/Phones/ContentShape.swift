/// What a Swift type decodes from JSON with the default `JSONDecoder`, as far as it decides over a push.
///
/// A phone that knows the shapes of its app's attributes and content state drops what would not decode, as iOS
/// does. Members that the shape does not name are ignored.
public indirect enum ContentShape: Sendable, Hashable {
    case string
    case boolean
    /// A whole number; `5.0` is one.
    case integer
    case number
    /// A Swift `Date`: a number of seconds since 2001.
    case date
    case array(ContentShape)
    case object([String: ContentShape])
    /// May be absent or null.
    case optional(ContentShape)
    /// Any value.
    case any

    /// Whether a value decodes; nil stands for an absent member.
    public func decodes(_ value: ReceivedJSON?) -> Bool {
        switch (self, value) {
        case (.optional, nil), (.optional, .null): true
        case (.optional(let shape), _): shape.decodes(value)
        case (_, nil): false
        case (.any, _), (.string, .string), (.boolean, .boolean): true
        case (.integer, _): value?.integer != nil
        case (.number, _), (.date, _): value?.number != nil
        case (.array(let shape), .array(let elements)): elements.allSatisfy { shape.decodes($0) }
        case (.object(let shapes), .object(let members)): shapes.allSatisfy { $0.value.decodes(members[$0.key]) }
        default: false
        }
    }
}
