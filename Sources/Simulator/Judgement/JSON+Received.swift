import LiveActivity

extension JSON {
    /// Reads what came in a push, as an app's own decoder would; nil where it is not JSON.
    init?(received bytes: some Sequence<UInt8>) {
        do { try self.init(parsing: bytes) } catch { return nil }
    }
}
