public import LiveActivity

/// What became of one message; the three ways never blur.
public enum ExpoOutcome: Sendable, Equatable {
    /// Expo took it, and will know more under this receipt after about 15 minutes and for 24 hours.
    case accepted(receipt: String)
    /// Expo said no.
    case rejected(ExpoRejection)
    /// No whole answer came.
    case failed(PushOutcome.Failure)
}

/// What Expo, or APNs through Expo, refused.
public struct ExpoRejection: Sendable, Equatable {
    /// Expo's word, kept as it came; `HTTP 503` and the like where the answer had none.
    ///
    /// Of a message: `DeviceNotRegistered` (stop until the app registers again), `MessageTooBig`,
    /// `MessageRateExceeded`, `InvalidCredentials`. Of a request: `TOO_MANY_REQUESTS`, `UNAUTHORIZED`, and
    /// `PUSH_TOO_MANY_EXPERIENCE_IDS` for a token of another project, which is set aside while the others are sent.
    public var code: String
    /// Expo's sentence, with tokens cut short; empty where there is none.
    public var message: String
    /// The HTTP status of the answer; 200 where the one message was refused and not the request.
    public var status: Int

    /// A refusal; tokens in the message are cut short.
    public init(code: String, message: String, status: Int) {
        self.code = code
        self.message = message.replacing(/(Expo(?:nent)?PushToken\[[^\]]{0,4})[^\]]*\]/) { "\($0.output.1)…]" }
        self.status = status
    }
}

/// What Expo knows of a message some time after it took it.
public enum ExpoReceipt: Sendable, Equatable {
    /// APNs took it.
    case accepted
    /// APNs or Expo refused it; `DeviceNotRegistered` often comes only here.
    case rejected(ExpoRejection)
}

/// The answer to a look for receipts.
public struct ExpoReceipts: Sendable, Equatable {
    /// By receipt id; one that is not here is not known yet or no more, which says nothing of the token.
    public var known: [String: ExpoReceipt] = [:]
    /// Why some could not be looked up, one line for each failed call.
    public var problems: [String] = []

    /// Nothing known yet.
    public init() {}
}
