import Foundation

/// The story's calendars as its people know them, and what ought to be on a phone: worked out from the deeds alone,
/// with nothing of the worker's.
struct Calendars {
    struct Event {
        var plan: Deed.Plan
        var title: String
        /// By the occurrence's original local start.
        var overrides: [Int: Deed.Change] = [:]
    }

    /// One open window, as a person would have it.
    struct Window {
        var event: Int
        var start: Date
        var end: Date
        var title: String
    }

    let users: Int
    var events: [Int: Event] = [:]
    /// Who sees a calendar beside its owner.
    var members: [Int: Set<Int>]

    init(users: Int) {
        self.users = users
        members = Dictionary(uniqueKeysWithValues: (0..<users / 2).map { (users + $0, [2 * $0 + 1]) })
    }

    func isShared(_ calendar: Int) -> Bool { calendar >= users }

    func owner(of calendar: Int) -> Int { isShared(calendar) ? 2 * (calendar - users) : calendar }

    func sees(_ user: Int, _ calendar: Int) -> Bool {
        owner(of: calendar) == user || members[calendar]?.contains(user) ?? false
    }

    /// The windows that are open on a phone, from an hour before the start to the end.
    func open(on handset: Handset, at now: Date) -> [Window] {
        guard let user = handset.user else { return [] }
        return events.flatMap { number, event -> [Window] in
            let isShared = isShared(event.plan.calendar)
            guard sees(user, event.plan.calendar), isShared ? handset.shared : handset.personal else { return [] }
            return event.windows(around: now, in: handset.zone).filter { $0.start - 3600 <= now && now < $0.end }
                .map { Window(event: number, start: $0.start, end: $0.end, title: $0.title) }
        }
    }

    /// The local start of an event's nth occurrence.
    func occurrence(_ event: Int, nth: Int) -> Int? {
        events[event].map { $0.plan.start + ($0.plan.every == nil ? 0 : nth) * ($0.plan.every ?? 0) * 86_400 }
    }
}

extension Calendars.Event {
    fileprivate func windows(around now: Date, in phoneZone: String) -> [(start: Date, end: Date, title: String)] {
        let seconds = Int(now.timeIntervalSince1970)
        // Nothing lasts longer than a day, no zone is further away than one, and no override moves as far.
        guard plan.start < seconds + 3 * 86_400, plan.every != nil || seconds < plan.start + 3 * 86_400 else {
            return []
        }
        let originals: [Int]
        if let every = plan.every {
            let nearest = (seconds - plan.start) / (every * 86_400)
            originals = (nearest - 4...nearest + 4).filter { $0 >= 0 }.map { plan.start + $0 * every * 86_400 }
        } else {
            originals = [plan.start]
        }
        return originals.compactMap { original in
            var (local, title) = (original, title)
            switch overrides[original] {
            case .cancelled: return nil
            case .moved(let minutes): local += minutes * 60
            case .retitled(let other): title = other
            case .some(.none), nil: break
            }
            let start = Date(local: local, in: plan.zone ?? phoneZone)
            return (start, start + TimeInterval(plan.minutes * 60), title)
        }
    }
}

extension Date {
    /// The instant of a local time, in seconds as if it were UTC; the stories keep away from clock changes.
    init(local: Int, in zone: String) {
        let zone = TimeZone(identifier: zone) ?? .gmt
        let guess = TimeInterval(local - zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(local))))
        self.init(
            timeIntervalSince1970: TimeInterval(local - zone.secondsFromGMT(for: Date(timeIntervalSince1970: guess))))
    }
}

/// A phone with the app on it, as its person and its app know it.
struct Handset {
    let number: Int
    /// The simulator's name for it; another one after a reinstallation.
    var phone: String
    /// The app's device id.
    var device: String
    /// Nil: nobody is signed in.
    var user: Int?
    var zone: String
    var personal = true
    var shared = true
    /// The system can start cards by push.
    var takesStarts: Bool
    /// The server said that it starts the cards.
    var serverStarts = false
    /// The app has something to tell and could not yet.
    var owesRegistration = false
    /// How often the app was installed.
    var installs = 1
}
