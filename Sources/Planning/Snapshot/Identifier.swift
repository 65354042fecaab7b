public import Foundation

/// The id of one row, of a type of its own so that a device's is never taken for a run's.
public struct Identifier<Row>: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
    /// The UUID itself.
    public let uuid: UUID

    /// An id by its UUID.
    public init(_ uuid: UUID) { self.uuid = uuid }

    /// Reads a single UUID.
    public init(from decoder: any Decoder) throws {
        uuid = try decoder.singleValueContainer().decode(UUID.self)
    }

    /// Writes a single UUID in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The UUID in lower case, as Postgres writes it.
    public var description: String { uuid.uuidString.lowercased() }

    /// The order of the bytes, which is the order of the text.
    public static func < (left: Identifier, right: Identifier) -> Bool {
        withUnsafeBytes(of: left.uuid.uuid) { left in
            withUnsafeBytes(of: right.uuid.uuid) { right in left.lexicographicallyPrecedes(right) }
        }
    }
}

/// The id of a row of `cuecard.device`.
public typealias DeviceID = Identifier<Device>
/// The id of a row of `cuecard.event`.
public typealias EventID = Identifier<Event>
/// The id of a row of `cuecard.run`.
public typealias RunID = Identifier<Run>
