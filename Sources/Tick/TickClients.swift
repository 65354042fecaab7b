public import Foundation
public import LiveActivity
public import Planning

/// Everything a tick does beyond thinking, as closures.
///
/// The executable fills them with Postgres, APNs and Expo.
public struct TickClients: Sendable {
    /// Opens a pass; answers the lanes whose due devices get nothing, and the receipts that are ripe.
    public var begin: @Sendable (_ pass: UUID, _ now: Date) async throws -> Opening
    /// Asks Expo for receipts and records what they say; answers what went wrong, one line each.
    public var checkReceipts: @Sendable (_ receipts: [Opening.Receipt]) async throws -> [String]
    /// Takes one queued change and makes some of its devices due; false when none is left to take.
    public var fanOut: @Sendable () async throws -> Bool
    /// Takes up to so many due devices under a lease.
    public var claim: @Sendable (_ pass: UUID, _ now: Date, _ limit: Int) async throws -> [Claim]
    /// The due devices after `last`, without taking them.
    public var peek: @Sendable (_ now: Date, _ last: DeviceID?, _ limit: Int) async throws -> [Claim]
    /// The lanes whose due devices get nothing, without opening a pass.
    public var unserved: @Sendable (_ now: Date) async throws -> UnservedLanes
    /// Reads the claimed devices with all that planning them takes.
    public var load: @Sendable (_ claims: [Claim], _ now: Date) async throws -> [DeviceSnapshot]
    /// Commits what is about to happen; answers the attempts that may be sent.
    public var recordIntent: @Sendable (_ pass: UUID, _ now: Date, _ intents: [Intent]) async throws -> Set<UUID>
    /// Sends through APNs; the outcomes come in the order of the pushes.
    public var send: @Sendable (_ pushes: [Push]) async -> [PushOutcome]
    /// Sends through Expo, likewise.
    public var wakeThroughExpo: @Sendable (_ wakes: [ExpoWake]) async -> [ExpoWake.Answer]
    /// Records what came of them; answers the devices whose start token has become suspect by it.
    public var recordOutcomes: @Sendable (_ now: Date, _ outcomes: [Outcome]) async throws -> [DeviceID]
    /// Ends the leases and writes when each device is due next.
    public var reschedule: @Sendable (_ pass: UUID, _ plans: [DevicePlan]) async throws -> Void
    /// Closes the pass with its report.
    public var finish: @Sendable (_ pass: UUID, _ report: TickReport) async throws -> Void
    /// A fresh UUID with each call.
    public var newID: @Sendable () -> UUID
    /// Time since the pass began, by a monotonic clock.
    public var elapsed: @Sendable () -> Duration

    /// All of them.
    public init(
        begin: @escaping @Sendable (UUID, Date) async throws -> Opening,
        checkReceipts: @escaping @Sendable ([Opening.Receipt]) async throws -> [String],
        fanOut: @escaping @Sendable () async throws -> Bool,
        claim: @escaping @Sendable (UUID, Date, Int) async throws -> [Claim],
        peek: @escaping @Sendable (Date, DeviceID?, Int) async throws -> [Claim],
        unserved: @escaping @Sendable (Date) async throws -> UnservedLanes,
        load: @escaping @Sendable ([Claim], Date) async throws -> [DeviceSnapshot],
        recordIntent: @escaping @Sendable (UUID, Date, [Intent]) async throws -> Set<UUID>,
        send: @escaping @Sendable ([Push]) async -> [PushOutcome],
        wakeThroughExpo: @escaping @Sendable ([ExpoWake]) async -> [ExpoWake.Answer],
        recordOutcomes: @escaping @Sendable (Date, [Outcome]) async throws -> [DeviceID],
        reschedule: @escaping @Sendable (UUID, [DevicePlan]) async throws -> Void,
        finish: @escaping @Sendable (UUID, TickReport) async throws -> Void,
        newID: @escaping @Sendable () -> UUID,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        self.begin = begin
        self.checkReceipts = checkReceipts
        self.fanOut = fanOut
        self.claim = claim
        self.peek = peek
        self.unserved = unserved
        self.load = load
        self.recordIntent = recordIntent
        self.send = send
        self.wakeThroughExpo = wakeThroughExpo
        self.recordOutcomes = recordOutcomes
        self.reschedule = reschedule
        self.finish = finish
        self.newID = newID
        self.elapsed = elapsed
    }
}

/// How far a tick goes.
public struct TickSettings: Sendable, Equatable {
    /// Devices a batch.
    ///
    /// Defaults to 200: a kill leaves no more devices than these with pushes whose fate is unknown.
    public var batch: Int
    /// After this a tick hands on what is left.
    ///
    /// Defaults to 50 s.
    public var budget: Duration

    /// The defaults, unless others are given.
    public init(batch: Int = 200, budget: Duration = .seconds(50)) {
        self.batch = batch
        self.budget = budget
    }
}
