/// A wake for one device that has only an Expo token: silent, of normal priority, kept for nobody.
///
/// Expo's messages have no field for a Live Activity, so a wake is all that can go this way.
public struct ExpoMessage: Sendable, Equatable {
    /// The Expo push token, `ExponentPushToken[…]`, as the app got it.
    ///
    /// A secret: never log it.
    public var token: String
    /// Own keys for the app, such as the run's id.
    public var data: [String: String]

    /// A wake for the device behind a token.
    public init(token: String, data: [String: String] = [:]) {
        self.token = token
        self.data = data
    }
}

extension ExpoMessage: Encodable {
    private enum Key: String, CodingKey {
        case to, data, priority, ttl
        case contentAvailable = "_contentAvailable"
    }

    /// Writes Expo's message format.
    ///
    /// The priority is `normal`, which Expo hands to APNs as 5: a silent push with 10, Expo's default, is dropped.
    public func encode(to encoder: any Encoder) throws {
        var message = encoder.container(keyedBy: Key.self)
        try message.encode(token, forKey: .to)
        try message.encode(true, forKey: .contentAvailable)
        try message.encode("normal", forKey: .priority)
        try message.encode(0, forKey: .ttl)
        try message.encode(data, forKey: .data)
    }
}
