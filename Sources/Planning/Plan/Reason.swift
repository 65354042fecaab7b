/// Why a step is taken, or why a card is not started; stored with the run, and said by `tick --dry-run`.
public enum Reason: String, Sendable, Hashable, CaseIterable {
    // A start.
    case windowOpen = "window_open"
    case renewal
    case cardGone = "card_gone"
    case retry

    /// A re-keyed run.
    case movedAlong = "moved_along"

    // An update.
    case phaseChanged = "phase_changed"
    case contentChanged = "content_changed"
    case refresh
    case noUpdateToken = "no_update_token"

    // An end.
    case over
    case deleted
    case unshared
    case cancelled
    case moved
    case switchedOff = "switched_off"
    case outranked
    case renewed
    case eightHours = "eight_hours"
    case liveActivitiesOff = "live_activities_off"
    case loggedOut = "logged_out"
    case accountChanged = "account_changed"
    case noApp = "no_app"
    case secondCard = "second_card"
    case endOwed = "end_owed"

    // What a run settles into without a push.
    case noAnswer = "no_answer"
    case missing
    case endedUnconfirmed = "ended_unconfirmed"
    case twelveHours = "twelve_hours"
    case appStarted = "app_started"
    case wantedAgain = "wanted_again"
    case updateTokenGone = "update_token_gone"
    case dismissedByPerson = "dismissed_by_person"

    // No start, though the window is open.
    case noStartToken = "no_start_token"
    case silentDevice = "silent_device"
    case badTemplate = "bad_template"
    case startBudget = "start_budget"
    case waitsToRetry = "waits_to_retry"
    case tooSoonAfterStart = "too_soon_after_start"
    case formerCardMayRemain = "former_card_may_remain"
    case startRefused = "start_refused"
    case lowerRank = "lower_rank"

    // An event that can have no card.
    case unknownZone = "unknown_zone"
    case badRule = "bad_rule"
    case ruleFinerThanADay = "rule_finer_than_a_day"
    case noAllDayTime = "no_all_day_time"

    /// The same in plain words.
    public var explanation: String {
        switch self {
        case .windowOpen: "the occurrence's window is open"
        case .renewal: "the system ends a card after 8 hours, so a new one takes over"
        case .cardGone: "the former card is known to be gone and the occurrence is wanted again"
        case .retry: "the former start was not processed by APNs"
        case .movedAlong: "the occurrence moved a little, and its card with it"
        case .phaseChanged: "the occurrence came into another phase"
        case .contentChanged: "what the card shows changed"
        case .refresh: "the content would soon be stale"
        case .noUpdateToken: "the app has not sent the card's update token yet"
        case .over: "the occurrence is over"
        case .deleted: "the event was deleted"
        case .unshared: "the user no longer sees the event's calendar"
        case .cancelled: "this occurrence was cancelled"
        case .moved: "the occurrence moved out of its window, or its event has it no more"
        case .switchedOff: "this kind of calendar is switched off on the device"
        case .outranked: "another occurrence took its place"
        case .renewed: "a newer card took over"
        case .eightHours: "the system has ended the card after 8 hours"
        case .liveActivitiesOff: "Live Activities are switched off on the device"
        case .loggedOut: "the user logged out on the device"
        case .accountChanged: "the device changed to another account"
        case .noApp: "cuecard.app has no row for the device's bundle id"
        case .secondCard: "the occurrence had another card already"
        case .endOwed: "a settled card turned up again"
        case .noAnswer: "no answer to the start was recorded, so it is not sent again"
        case .missing: "the app said that the phone has no such card"
        case .endedUnconfirmed: "the end could not be delivered: the card's update token never came"
        case .twelveHours: "no card lasts longer than 12 hours"
        case .appStarted: "the app started this card itself"
        case .wantedAgain: "the card is wanted again before its end went out"
        case .updateTokenGone: "APNs says that the card's update token is gone; the person may have swiped it away"
        case .dismissedByPerson: "the person swiped the card away"
        case .noStartToken: "the device has no push-to-start token"
        case .silentDevice: "the device has not been heard of for 60 days"
        case .badTemplate: "the app's templates cannot be used"
        case .startBudget: "the device has had its starts for this hour"
        case .waitsToRetry: "the start failed and waits for its next try"
        case .tooSoonAfterStart: "15 minutes must pass between two cards of one occurrence"
        case .formerCardMayRemain: "the former card is not known to be gone"
        case .startRefused: "APNs refused the start, and sending it again cannot help"
        case .lowerRank: "other occurrences come first"
        case .unknownZone: "the time zone is not known here"
        case .badRule: "the event's rule cannot be read"
        case .ruleFinerThanADay: "a rule finer than a day has no cards"
        case .noAllDayTime: "all-day events have a card only where app.all_day_at is set"
        }
    }
}
