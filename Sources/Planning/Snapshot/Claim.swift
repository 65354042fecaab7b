/// A due device that a tick has taken, at the revision at which it took it.
public struct Claim: Sendable, Hashable {
    /// The device.
    public var device: DeviceID
    /// Its revision when it was taken.
    public var revision: Int64

    /// A claim by its parts.
    public init(device: DeviceID, revision: Int64) {
        self.device = device
        self.revision = revision
    }
}
