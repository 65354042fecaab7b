internal import Foundation

/// How the apps on the phones speak to their server.
///
/// The simulator knows nothing of the server; whoever runs it says what the two calls do. A call that throws is
/// tried again by the app, three times in all, half a minute apart.
public struct PhoneVoice: Sendable {
    /// A card and its token, as the app reports them.
    public struct Registration: Sendable, Hashable {
        /// The phone that speaks.
        public let phoneID: String
        /// Who started the card, and by which names the server knows it.
        public let origin: Card.Origin
        /// ActivityKit's id.
        public let activityID: String
        /// Nil where the system gave none yet.
        public let updateToken: String?
    }

    /// What became of a card, as the app reports it.
    public struct Report: Sendable, Hashable {
        /// The phone that speaks.
        public let phoneID: String
        /// The server's id of the run.
        public let runID: String
        /// ActivityKit's id.
        public let activityID: String
        /// `dismissed`, `ended`, `missing`, `stale` or `opened`.
        public let state: String
    }

    /// What the server says.
    public struct Answer: Sendable, Hashable {
        /// The run's state, in the server's words.
        public var state: String
        /// The app must end this card.
        public var end: Bool
        /// The run, where the app started the card and did not know it.
        public var runID: String?

        /// An answer; most have no news of the run.
        public init(state: String, end: Bool = false, runID: String? = nil) {
            self.state = state
            self.end = end
            self.runID = runID
        }
    }

    /// Reports a card and its token.
    public var registerActivity: @Sendable (Registration) async throws -> Answer
    /// Reports what became of a card.
    public var reportActivity: @Sendable (Report) async throws -> Answer

    /// A voice that speaks through two calls.
    public init(
        registerActivity: @escaping @Sendable (Registration) async throws -> Answer,
        reportActivity: @escaping @Sendable (Report) async throws -> Answer
    ) {
        self.registerActivity = registerActivity
        self.reportActivity = reportActivity
    }
}

/// One thing that an app wants to say.
struct Word: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case register(PhoneVoice.Registration)
        case report(PhoneVoice.Report)
    }

    var content: Content
    /// By the phone's time; what the answer causes happens then.
    var spokenAt: Date
    var attempts = 0

    var activityID: String {
        switch content {
        case .register(let registration): registration.activityID
        case .report(let report): report.activityID
        }
    }

    var phoneID: String {
        switch content {
        case .register(let registration): registration.phoneID
        case .report(let report): report.phoneID
        }
    }
}

extension PhoneVoice {
    func say(_ word: Word) async throws -> Answer {
        switch word.content {
        case .register(let registration): try await registerActivity(registration)
        case .report(let report): try await reportActivity(report)
        }
    }
}
