public import LiveActivity
public import Recurrence

/// One install of one app for one user, as the plan sees it.
public struct Device: Sendable {
    /// Its row.
    public var id: DeviceID
    /// Moves on with every change that could alter the plan.
    public var revision: Int64
    /// Whose it is now.
    public var userID: String
    /// The app's bundle identifier.
    public var bundleID: String
    /// The service that its tokens belong to.
    public var environment: APNsEnvironment
    /// Where starts go: the other one while the start token is tried there.
    public var startEnvironment: APNsEnvironment
    /// APNs never took a push in ``environment``, and the start token was not tried in the other one, for which there
    /// is a key.
    public var mayTryOtherEnvironment: Bool
    /// Nil: the server cannot start cards here.
    public var startToken: PushToken?
    /// Nil: the app cannot be woken through APNs.
    public var wakeToken: PushToken?
    /// Nil: the app cannot be woken through Expo.
    public var expoToken: String?
    /// Where floating and all-day events happen.
    public var zone: Zone
    /// False: the zone data here do not know the device's zone, and ``zone`` stands in for it.
    public var hasKnownZone: Bool
    /// A language tag such as `ko-KR`.
    public var locale: String
    /// Whether it shows personal calendars.
    public var showsPersonal: Bool
    /// Whether it shows shared ones.
    public var showsShared: Bool
    /// The person's own switch for Live Activities.
    public var isEnabled: Bool
    /// Whether the phone takes `input-push-token` (iOS 18).
    public var takesInputPushToken: Bool
    /// Logged out: nothing starts, and what runs is taken down.
    public var isUnregistered: Bool
    /// Not heard of for 60 days, by the wall clock.
    public var isSilent: Bool

    /// A device by its parts.
    public init(
        id: DeviceID, revision: Int64, userID: String, bundleID: String, environment: APNsEnvironment,
        startToken: PushToken?, wakeToken: PushToken?, expoToken: String?, zone: Zone, hasKnownZone: Bool = true,
        locale: String,
        showsPersonal: Bool, showsShared: Bool, isEnabled: Bool, takesInputPushToken: Bool, isUnregistered: Bool,
        isSilent: Bool, startEnvironment: APNsEnvironment? = nil, mayTryOtherEnvironment: Bool = false
    ) {
        self.id = id
        self.revision = revision
        self.userID = userID
        self.bundleID = bundleID
        self.environment = environment
        self.startEnvironment = startEnvironment ?? environment
        self.mayTryOtherEnvironment = mayTryOtherEnvironment
        self.startToken = startToken
        self.wakeToken = wakeToken
        self.expoToken = expoToken
        self.zone = zone
        self.hasKnownZone = hasKnownZone
        self.locale = locale
        self.showsPersonal = showsPersonal
        self.showsShared = showsShared
        self.isEnabled = isEnabled
        self.takesInputPushToken = takesInputPushToken
        self.isUnregistered = isUnregistered
        self.isSilent = isSilent
    }

    /// Whether a silent push can reach the app at all.
    public var canBeWoken: Bool { wakeToken != nil || expoToken != nil }
}
