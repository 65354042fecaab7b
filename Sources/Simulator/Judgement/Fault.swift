public import LiveActivity

/// Something that goes wrong on demand, for the requests it matches.
public struct Fault: Sendable {
    /// What goes wrong; `processed` says whether the push reaches the phone all the same.
    public enum Effect: Sendable, Equatable {
        /// An error answer instead of the true one; the push is not processed.
        case reject(Rejection)
        /// The true answer, late; the push is processed at once.
        case delay(Duration)
        /// No answer at all; the stream stays open.
        case noAnswer(processed: Bool)
        /// RST_STREAM with an HTTP/2 error code: 7 is REFUSED_STREAM, 2 INTERNAL_ERROR, 8 CANCEL.
        case reset(code: UInt32, processed: Bool)
        /// GOAWAY; processed: this request is the last one served, and answered. Not processed: it is the first
        /// one that is not.
        case goAway(processed: Bool)
        /// The socket closes at once, without an answer.
        case close(processed: Bool)
    }

    /// What goes wrong.
    public var effect: Effect
    /// Only pushes to this token; nil means all.
    public var token: String?
    /// Only pushes of these kinds; nil means all.
    public var kinds: Set<PushKind>?
    /// Only one environment; nil means both.
    public var environment: APNsEnvironment?
    /// This many matching requests pass unharmed first.
    public var skip: Int
    /// So many matching requests are hit, then the fault is gone; nil means until it is removed.
    public var times: Int?

    /// A fault that strikes the first matching request and is gone.
    public init(
        _ effect: Effect, token: String? = nil, kinds: Set<PushKind>? = nil, environment: APNsEnvironment? = nil,
        skip: Int = 0, times: Int? = 1
    ) {
        self.effect = effect
        self.token = token?.lowercased()
        self.kinds = kinds
        self.environment = environment
        self.skip = skip
        self.times = times
    }

    func matches(_ push: PushRequest) -> Bool {
        (token == nil || token == push.token) && (kinds?.contains(push.kind) ?? true)
            && (environment == nil || environment == push.environment)
    }
}

/// The faults in force, in the order in which they were added; the first that matches strikes.
struct FaultList: Sendable {
    private var faults: [Fault] = []

    mutating func add(_ fault: Fault) { faults.append(fault) }
    mutating func removeAll() { faults.removeAll() }

    /// The effect for this push, if any; counts the push against the fault's `skip` and `times`.
    mutating func strike(_ push: PushRequest) -> Fault.Effect? {
        for index in faults.indices where faults[index].matches(push) && faults[index].times != 0 {
            guard faults[index].skip == 0 else {
                faults[index].skip -= 1
                continue
            }
            if let times = faults[index].times { faults[index].times = times - 1 }
            return faults[index].effect
        }
        return nil
    }
}

extension Fault.Effect {
    /// Whether the push goes on to be judged and delivered.
    var processes: Bool {
        switch self {
        case .reject: false
        case .delay: true
        case .noAnswer(let processed), .reset(_, let processed), .goAway(let processed), .close(let processed):
            processed
        }
    }
}
