/// What a device is to show: an app's templates, filled in.
public struct Card: Sendable, Hashable {
    /// What never changes while the activity lives.
    public var attributes: JSON
    /// What updates replace.
    public var contentState: JSON
    /// Title, body and, unless it is silent, sound; sent with a start alone.
    public var alert: JSON
    /// Sixteen hexadecimal digits that stay the same while the content does, whatever `minutes` says.
    ///
    /// The 64-bit FNV-1a hash of the content state's canonical JSON with `{{minutes}}` taken as 0: the same in every
    /// process and on every platform, and no protection against forgery.
    public var contentKey: String

    /// A card by its parts.
    public init(attributes: JSON, contentState: JSON, alert: JSON, contentKey: String) {
        self.attributes = attributes
        self.contentState = contentState
        self.alert = alert
        self.contentKey = contentKey
    }
}

/// The 64-bit FNV-1a hash (IETF draft-eastlake-fnv, section 2).
struct FNV1a {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Sixteen lower-case digits.
    var hex: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
