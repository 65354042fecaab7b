/// A push token as APNs takes it: hexadecimal digits of no fixed length, an even number of them.
///
/// Live Activity tokens are usually 160 digits, device tokens 64; Apple promises neither. A token is a secret:
/// its description shows the first six digits only.
public struct PushToken: Sendable, Hashable, CustomStringConvertible {
    /// The whole token in lower case, for the request path and the database.
    ///
    /// Never log it.
    public let hex: String

    /// Nil where the text is empty, has an odd length, holds anything but hexadecimal digits, or is over 512 digits.
    public init?(_ text: some StringProtocol) {
        let utf8 = text.utf8
        guard !utf8.isEmpty, utf8.count <= 512, utf8.count.isMultiple(of: 2) else { return nil }
        let isHex = utf8.allSatisfy { (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0) }
        guard isHex else { return nil }
        hex = text.lowercased()
    }

    /// The first six digits and an ellipsis.
    public var description: String { "\(hex.prefix(6))…" }
}
