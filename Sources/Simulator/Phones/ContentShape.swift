internal import Foundation
public import LiveActivity

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
    public func decodes(_ value: JSON?) -> Bool {
        switch (self, value) {
        case (.optional, nil), (.optional, .null): true
        case (.optional(let shape), _): shape.decodes(value)
        case (_, nil): false
        case (.any, _), (.string, .string), (.boolean, .bool): true
        case (.integer, _): value?.integer != nil
        case (.number, _), (.date, _): value?.number != nil
        case (.array(let shape), .array(let elements)): elements.allSatisfy { shape.decodes($0) }
        case (.object(let shapes), .object(let members)): shapes.allSatisfy { $0.value.decodes(members[$0.key]) }
        default: false
        }
    }
}

extension ContentShape {
    /// The names of dates that decode and yet lie more than five years from `time`.
    ///
    /// Unix seconds where Swift counts from 2001 land 31 years late, milliseconds ages away; nothing else notices.
    func strayDates(in value: JSON?, around time: Date, named name: String = "") -> [String] {
        switch (self, value) {
        case (.date, let value?):
            guard let seconds = value.number else { return [] }
            let distance = Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince(time)
            return abs(distance) > 5 * 365 * 86_400 ? [name] : []
        case (.optional(let shape), _): return shape.strayDates(in: value, around: time, named: name)
        case (.array(let shape), .array(let elements)):
            return elements.flatMap { shape.strayDates(in: $0, around: time, named: name) }
        case (.object(let shapes), .object(let members)):
            return shapes.sorted { $0.key < $1.key }.flatMap {
                $0.value.strayDates(in: members[$0.key], around: time, named: $0.key)
            }
        default: return []
        }
    }
}
