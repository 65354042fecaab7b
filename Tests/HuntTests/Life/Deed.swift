import Foundation
import Simulator

/// One thing that happens in a story, at a second of it.
///
/// Deeds name events and phones by number, and one whose event or phone is not there does nothing: a story stays a
/// story when some of its deeds are dropped.
struct Deed: Sendable, CustomStringConvertible {
    var at: Int
    var what: What

    enum What: Sendable {
        // The backend.
        case add(Int, Plan)
        case retitle(Int, String)
        case move(Int, minutes: Int)
        case delete(Int, isHard: Bool)
        /// Of the nth occurrence.
        case override(Int, nth: Int, Change)
        case join(user: Int, calendar: Int)
        case leave(user: Int, calendar: Int)
        /// An event that no worker can read.
        case spoil(Int, calendar: Int)

        // People and phones.
        case travel(Int, zone: String)
        case wishes(Int, personal: Bool, shared: Bool)
        case switchLiveActivities(Int, on: Bool)
        case rotateStartToken(Int)
        case rotateUpdateToken(Int)
        case logOut(Int)
        case logIn(Int, user: Int)
        case reinstall(Int)
        /// The app lost its device id, not its tokens.
        case forgetID(Int)
        case goOffline(Int)
        case comeOnline(Int)
        case open(Int)
        case forceQuit(Int)
        case dismiss(Int)
        case allow(Int)
        case startByApp(Int)

        // What goes wrong.
        /// So many pushes of some kinds are struck.
        case apns(Fault.Effect, Set<PushKind>, times: Int)
        case endOfFaults
        /// No tick comes by for so long.
        case pause(minutes: Int)
        /// The tick is killed before or after this line of its story, where it comes that far the nth time.
        case kill(String, nth: Int)
        /// Several ticks at once, interleaved by this seed; what else happens in this minute happens between their lines.
        case overlap(seed: UInt64, ticks: Int, outlivesLease: Bool)
        /// A tick that has time for one batch only.
        case hurry
        /// The clock of the worker's machine, and that of the database's, in seconds off the true time.
        case clocks(worker: Int, database: Int)
    }

    /// An event as it is added.
    struct Plan: Sendable {
        var calendar: Int
        /// The local start, in seconds since 1970 as if it were UTC.
        var start: Int
        var minutes: Int
        /// Nil: floating.
        var zone: String?
        /// Days from one occurrence to the next; nil: once.
        var every: Int?
    }

    /// What an override makes of an occurrence.
    enum Change: Sendable {
        case cancelled
        case moved(minutes: Int)
        case retitled(String)
        case none
    }

    var description: String {
        let minute = at / 60
        let time = [minute / 1440, minute / 60 % 24, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "day \(time[0]) \(time[1]):\(time[2])  \(what)"
    }

    /// What it is about, such as one event.
    var subject: String {
        switch what {
        case .add(let event, _), .retitle(let event, _), .move(let event, _), .delete(let event, _),
            .override(let event, _, _), .spoil(let event, _):
            "event \(event)"
        case .join(let user, _), .leave(let user, _): "user \(user)"
        case .travel(let phone, _), .wishes(let phone, _, _), .switchLiveActivities(let phone, _),
            .rotateStartToken(let phone), .rotateUpdateToken(let phone), .logOut(let phone), .logIn(let phone, _),
            .reinstall(let phone), .forgetID(let phone), .goOffline(let phone), .comeOnline(let phone),
            .open(let phone),
            .forceQuit(let phone), .dismiss(let phone), .allow(let phone), .startByApp(let phone):
            "phone \(phone)"
        case .apns, .endOfFaults, .pause, .kill, .overlap, .hurry, .clocks: "faults"
        }
    }

    /// What disturbs the worker, the network or the clocks.
    var isFault: Bool {
        switch what {
        case .apns, .pause, .kill, .overlap, .hurry, .clocks: true
        default: false
        }
    }
}
