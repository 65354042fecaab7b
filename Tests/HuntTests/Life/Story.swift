import Foundation
import Simulator
import TestSupport

/// Some days in the life of a few families and their phones, drawn from a seed.
struct Story: Sendable {
    var users: Int
    var phones: Int
    var days: Int
    var deeds: [Deed]

    static let zones = ["Asia/Seoul", "Europe/Berlin", "America/New_York"]
    /// A Wednesday; the clocks change in Berlin on the fifth day.
    static let begin = 1_774_396_800

    /// The indices of the deeds that are about one event, one phone, or the network, each together.
    var subjects: [[Int]] {
        Dictionary(grouping: deeds.indices) { deeds[$0].subject }.values.sorted {
            ($0.count, $0[0]) > ($1.count, $1[0])
        }
    }

    /// The story without some of its deeds.
    func dropping(_ indices: Set<Int>) -> Story {
        var story = self
        story.deeds = deeds.indices.filter { !indices.contains($0) }.map { deeds[$0] }
        return story
    }

    /// Two phones for every user or so, and a shared calendar for every two users.
    static func drawn(seed: UInt64, users: Int, phones: Int, days: Int) -> Story {
        var writer = StoryWriter(users: users, phones: phones, days: days, random: SplitMix64(seed: seed))
        return Story(users: users, phones: phones, days: days, deeds: writer.deeds())
    }
}

/// Draws the deeds of a story.
private struct StoryWriter {
    let users: Int
    let phones: Int
    let days: Int
    var random: SplitMix64
    var written: [Deed] = []
    var events = 0
    /// The minutes, in seconds, at which cards come, change and go.
    var busy: [Int] = []
    /// The same for each calendar.
    var busyOf: [Int: [Int]] = [:]

    mutating func deeds() -> [Deed] {
        for user in 0..<users {
            for day in 0..<days {
                for _ in 0..<number(0...2) { addEvent(calendar: user, day: day) }
                for _ in 0..<number(0...2) where user % 2 == 0 { addEvent(calendar: users + user / 2, day: day) }
            }
        }
        for phone in 0..<phones { live(phone) }
        for member in stride(from: 1, to: users, by: 2) where chance(0.8) { comeAndGo(member) }
        for _ in 0..<days * 10 { goWrong() }
        // Stable, so that what was written together stays in its order.
        return written.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }

    // MARK: Events

    private mutating func addEvent(calendar: Int, day: Int) {
        let event = events
        events += 1
        let start = day * 86_400 + number(6 * 12...21 * 12) * 300
        let every = chance(0.15) ? pick([1, 1, 2, 7]) : nil
        let minutes = chance(0.08) ? number(9 * 60...13 * 60) : number(3...20) * 10
        let zone = chance(0.2) ? nil : pick(Story.zones)
        // About when it is in true time: the zones lie within half a day.
        let about =
            start - (zone == "Asia/Seoul" ? 32_400 : zone == "Europe/Berlin" ? 3_600 : zone == nil ? 0 : -14_400)
        busy += [about - 3600, about, about + minutes * 60].map { ($0 + 59) / 60 * 60 }
        busyOf[calendar, default: []] += busy.suffix(3)
        let known = max(0, about - number(-30...60 * 14) * 60)
        let plan = Deed.Plan(calendar: calendar, start: Story.begin + start, minutes: minutes, zone: zone, every: every)
        write(known, .add(event, plan))
        for _ in 0..<number(0...2) {
            // Most changes come when the card is on screens, or just before.
            let at = max(known + 1, about + number(-100...minutes + 15) * 60 + number(0...59))
            write(at, change(of: event, every: every))
        }
        if chance(0.04) { write(known, .spoil(1_000_000 + event, calendar: calendar)) }
    }

    private mutating func change(of event: Int, every: Int?) -> Deed.What {
        switch number(0...9) {
        case 0, 1: .retitle(event, "Title \(number(1...999))")
        case 2, 3: .move(event, minutes: pick([-90, -45, -20, -10, 10, 15, 30, 60, 120, 1440]))
        case 4: .delete(event, isHard: chance(0.5))
        case 5: .override(event, nth: every == nil ? 0 : number(0...4), .cancelled)
        case 6: .override(event, nth: every == nil ? 0 : number(0...4), .moved(minutes: pick([-60, -15, 15, 45, 180])))
        case 7: .override(event, nth: every == nil ? 0 : number(0...4), .retitled("Title \(number(1...999))"))
        case 8: .override(event, nth: every == nil ? 0 : number(0...4), .none)
        default: .retitle(event, "Title \(number(1...999))")
        }
    }

    private mutating func comeAndGo(_ user: Int) {
        let calendar = users + user / 2
        guard let busy = busyOf[calendar] else { return }
        for _ in 0..<number(1...2 * days) {
            let at = max(0, pick(busy) + number(-10 * 60...50 * 60))
            write(at, .leave(user: user, calendar: calendar))
            write(at + number(5...300) * 60, .join(user: user, calendar: calendar))
        }
    }

    // MARK: Phones

    private mutating func live(_ phone: Int) {
        for day in 0..<days {
            for _ in 0..<number(0...2) { write(moment(day), .open(phone)) }
            if chance(0.3) { write(moment(day), .allow(phone)) }
            if chance(0.3) { write(moment(day), .dismiss(phone)) }
            if chance(0.2) {
                let at = moment(day)
                write(at, .goOffline(phone))
                write(at + number(1...600) * 60, .comeOnline(phone))
            }
            if chance(0.1) { write(moment(day), .forceQuit(phone)) }
            if chance(0.15) { write(moment(day), .rotateStartToken(phone)) }
            if chance(0.15) { write(moment(day), .rotateUpdateToken(phone)) }
            if chance(0.08) { write(moment(day), .travel(phone, zone: pick(Story.zones))) }
            if chance(0.1) { write(moment(day), .startByApp(phone)) }
            if chance(0.12) {
                let at = moment(day)
                write(at, .wishes(phone, personal: chance(0.5), shared: chance(0.5)))
                write(at + number(1...240) * 60, .wishes(phone, personal: true, shared: true))
            }
            if chance(0.08) {
                let at = moment(day)
                write(at, .switchLiveActivities(phone, on: false))
                write(at + number(1...240) * 60, .switchLiveActivities(phone, on: true))
            }
            if chance(0.08) {
                let at = moment(day)
                write(at, .logOut(phone))
                write(at + number(1...300) * 60, .logIn(phone, user: number(0...users - 1)))
            }
            if chance(0.03) { write(moment(day), .logIn(phone, user: number(0...users - 1))) }
            if chance(0.04) { write(moment(day), .reinstall(phone)) }
            if chance(0.1) { write(moment(day), .forgetID(phone)) }
        }
    }

    /// Some moment of a day; mostly while a card is there, or about to come or go.
    private mutating func moment(_ day: Int) -> Int {
        let today = day * 86_400..<(day + 1) * 86_400
        let busy = busy.filter { today.contains($0) }
        return chance(0.6) && !busy.isEmpty
            ? max(0, pick(busy) + number(-10 * 60...50 * 60)) : number(today.lowerBound...today.upperBound - 1)
    }

    // MARK: What goes wrong

    private mutating func goWrong() {
        // Mostly when there is something to lose.
        let at = chance(0.8) && !busy.isEmpty ? pick(busy) : number(0...days * 1440 - 1) * 60
        switch number(0...9) {
        case 0, 1:
            let places = [
                "fanOut", "claim", "load", "recordIntent", "push", "push", "recordOutcomes", "recordOutcomes",
                "reschedule",
            ]
            let place = pick(places)
            let when = place == "push" || chance(0.5) ? "before " : "after "
            write(at, .kill(when + place, nth: place == "push" ? number(1...4) : 1))
        case 2, 3, 4:
            write(at, .overlap(seed: random.next(), ticks: number(2...3), outlivesLease: chance(0.3)))
            for _ in 0..<number(0...2) where events > 0 { write(at, change(of: number(0...events - 1), every: nil)) }
        case 5: write(at, .pause(minutes: number(2...45)))
        case 6: write(at, .hurry)
        case 7:
            write(at, .clocks(worker: number(-180...180), database: number(-40...40)))
            write(at + number(1...120) * 60, .clocks(worker: 0, database: 0))
        default:
            write(at, outage())
            write(at + number(1...20) * 60, .endOfFaults)
        }
    }

    private mutating func outage() -> Deed.What {
        let all: Set<PushKind> = [.start, .update, .end, .wake]
        let times = number(1...6)
        return switch number(0...9) {
        case 0: .apns(.reject(Rejection(503, "ServiceUnavailable")), all, times: times)
        case 1: .apns(.reject(Rejection(500, "InternalServerError")), all, times: times)
        case 2: .apns(.reject(Rejection(429, "TooManyRequests", retryAfter: number(1...600))), all, times: times)
        case 3: .apns(.reject(Rejection(410, "Unregistered")), [.start], times: 1)
        case 4: .apns(.reject(Rejection(403, "InvalidProviderToken")), all, times: 1)
        case 5: .apns(.noAnswer(processed: chance(0.5)), all, times: times)
        case 6: .apns(.reset(code: 7, processed: false), all, times: times)
        case 7: .apns(.reset(code: 2, processed: chance(0.5)), all, times: times)
        case 8: .apns(.goAway(processed: chance(0.5)), all, times: times)
        default: .apns(.close(processed: chance(0.5)), all, times: times)
        }
    }

    // MARK: Chance

    private mutating func write(_ at: Int, _ what: Deed.What) {
        if (0..<days * 86_400).contains(at) { written.append(Deed(at: at, what: what)) }
    }
    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }
    private mutating func pick<Value>(_ values: [Value]) -> Value { values[number(0...values.count - 1)] }
}
