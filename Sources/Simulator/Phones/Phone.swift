public import Foundation
public import LiveActivity

/// One iPhone with one app on it.
public struct Phone: Sendable, Identifiable {
    /// An attributes type of the app, and what its two parts decode from.
    public struct AttributesType: Sendable, Hashable {
        /// What `attributes` decode from; nil takes anything.
        public var attributes: ContentShape?
        /// What `content-state` decodes from; nil takes anything.
        public var contentState: ContentShape?

        /// A type whose parts take anything where no shape is given.
        public init(attributes: ContentShape? = nil, contentState: ContentShape? = nil) {
            self.attributes = attributes
            self.contentState = contentState
        }
    }

    /// The name by which tests and the voice know the phone, such as a device id.
    public let id: String
    /// Which of Apple's services issued its tokens.
    public let environment: APNsEnvironment
    /// The app's bundle identifier.
    public let bundleID: String
    /// The app's attributes types by name.
    public var attributesTypes: [String: AttributesType]
    /// The push-to-start token of each attributes type, which are secrets.
    public internal(set) var startTokens: [String: String]
    /// The ordinary device token, a secret.
    public internal(set) var wakeToken: String
    /// The iOS version, such as `17.2`; below 17.2 nothing starts by push, below 18 nothing on a channel.
    public var systemVersion: Double
    /// What the app's code does.
    public var app: AppBehaviour
    /// The person allows Live Activities; switching them off takes the running cards off the screen.
    public var allowsLiveActivities = true
    /// The person threw the app out of the app switcher.
    ///
    /// Background pushes do not run it and starts bring it no token until it is opened.
    public var isForceQuit = false
    /// The phone has a connection to APNs; see ``APNsSimulator/setOnline(_:phone:)``.
    public internal(set) var isOnline = true

    /// When the system started cards by push, for its budget.
    var starts: [Date] = []
    /// When background pushes ran the app.
    var wakes: [Date] = []
    /// The one push that APNs keeps while the phone is offline.
    var stored: StoredPush?
    /// What the app wants to say and cannot while the phone is offline.
    var unsent: [Word] = []
    /// Counts what needed a new name: tokens and activities.
    var serial = 0

    /// A phone that is online, with tokens made from its id: the same id gives the same tokens.
    public init(
        id: String, environment: APNsEnvironment = .production, bundleID: String,
        attributesTypes: [String: AttributesType], systemVersion: Double = 18.2, app: AppBehaviour = AppBehaviour()
    ) {
        self.id = id
        self.environment = environment
        self.bundleID = bundleID
        self.attributesTypes = attributesTypes
        self.systemVersion = systemVersion
        self.app = app
        wakeToken = Seed("\(environment)/\(id)/wake").hex(bytes: 32)
        startTokens = Dictionary(
            uniqueKeysWithValues: attributesTypes.keys.map { name in
                (name, Seed("\(environment)/\(id)/start/\(name)").hex(bytes: 80))
            })
    }

    /// A new seed each time, the same ones for the same phone and order of events.
    mutating func nextSeed(_ purpose: String) -> Seed {
        serial += 1
        return Seed("\(environment)/\(id)/\(purpose)/\(serial)")
    }
}

/// What the app's own code does on a phone.
public struct AppBehaviour: Sendable, Hashable {
    /// When the app gets and reports the update token of a card that a push started.
    public enum UpdateToken: Sendable, Hashable {
        /// So many seconds after the start.
        case after(TimeInterval)
        /// Once the person tapped Allow on the Lock Screen.
        case afterAllow
        /// Once the app runs: opened by the person or by a background push.
        case whenRun
        case never

        /// An app that runs finds the token.
        var comesWhenRun: Bool {
            switch self {
            case .after, .whenRun: true
            case .afterAllow, .never: false
            }
        }
    }

    /// What the app does when it is opened or a background push runs it.
    public enum Wake: Sendable, Hashable {
        /// It asks the server about each of its cards and ends those that are over or not wanted.
        case reconciles
        case ignores
    }

    /// When the update token comes.
    public var updateToken = UpdateToken.after(2)
    /// The app reports a card without a token a second after its start.
    public var confirmsStarts = false
    /// What the app does when it runs.
    public var wake = Wake.reconciles
    /// The app reports that the person swiped a card away.
    public var reportsDismissals = true
    /// The app reports that a card ended by push or by the system's limit.
    public var reportsEndings = false
    /// What APNs answers to pushes for a card that is over; nil goes on answering 200.
    public var answerForDeadTokens: Rejection?

    /// An app that reports its tokens after two seconds and reconciles when it runs.
    public init() {}
}

/// The push that waits for an offline phone.
struct StoredPush: Sendable {
    var push: PushRequest
    var owner: TokenRegistry.Entry
    /// The entry in the log whose fate is still open.
    var requestID: Int
}

/// A stream of bytes made from a text, for tokens and ids that are the same in every run (SplitMix64).
struct Seed {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    init(_ text: String) {
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    func hex(bytes: Int) -> String {
        var copy = self
        var text = ""
        while text.utf8.count < bytes * 2 {
            let digits = String(copy.next(), radix: 16)
            text += String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
        return String(text.prefix(bytes * 2))
    }

    /// In the form of an ActivityKit id.
    var activityID: String {
        let digits = Array(hex(bytes: 16).uppercased())
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
        return parts.map { String(digits[$0]) }.joined(separator: "-")
    }
}
