import Foundation
import LiveActivity
import Planning
import Recurrence

// What the tests are written in: small values with everything ordinary already filled in.

/// A moment in UTC, `2026-03-02 09:00` or with seconds.
func at(_ text: String) -> Date {
    Date(timeIntervalSince1970: TimeInterval(local(text).secondsSinceEpoch))
}

/// A local time, written the same way.
func local(_ text: String) -> LocalDateTime {
    let parts = text.split(separator: " ")
    return LocalDateTime("\(parts[0])T\(parts[1].count == 5 ? "\(parts[1]):00" : parts[1])")!
}

/// The id with this number as its last digits.
func numbered<Row>(_ number: Int) -> Identifier<Row> {
    let digits = String(number)
    return Identifier(
        UUID(uuidString: "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits)!)
}

extension Identifier {
    /// The number that ``numbered(_:)`` made this of.
    var number: Int { Int(description.suffix(12)) ?? 0 }
}

let minute: TimeInterval = 60
let hour: TimeInterval = 3600

extension AppPolicy {
    static func sample(
        lead: TimeInterval = 60 * minute, endingLead: TimeInterval = 15 * minute, closes: Closing = .end,
        linger: TimeInterval = 0, staleAfter: TimeInterval = 2 * hour, allDayAt: TimeInterval? = nil, maxCards: Int = 1,
        maxStartsPerHour: Int = 4, contentState: JSON? = nil
    ) -> AppPolicy {
        AppPolicy(
            bundleID: "app.example",
            template: .success(try! CardTemplate(attributesType: "Trip", contentState: contentState)),
            lead: lead, endingLead: endingLead, closes: closes, linger: linger, staleAfter: staleAfter,
            allDayAt: allDayAt,
            maxCards: maxCards, maxStartsPerHour: maxStartsPerHour)
    }

    /// With templates that cannot be used.
    var broken: AppPolicy {
        var app = self
        do throws(TemplateError) {
            _ = try CardTemplate(attributesType: "Trip", contentState: ["title": "{{event.colour}}"])
        } catch {
            app.template = .failure(error)
        }
        return app
    }
}

extension Device {
    static func sample(
        startToken: String? = "aa01", wakeToken: String? = "bb01", expoToken: String? = nil, zone: String = "UTC",
        hasKnownZone: Bool = true, showsPersonal: Bool = true, showsShared: Bool = true, isEnabled: Bool = true,
        isUnregistered: Bool = false, isSilent: Bool = false, user: String = "ada"
    ) -> Device {
        Device(
            id: numbered(1), revision: 1, userID: user, bundleID: "app.example", environment: .production,
            startToken: startToken.flatMap { PushToken($0) }, wakeToken: wakeToken.flatMap { PushToken($0) },
            expoToken: expoToken, zone: try! Zone.named(zone), hasKnownZone: hasKnownZone, locale: "en",
            showsPersonal: showsPersonal, showsShared: showsShared, isEnabled: isEnabled, takesInputPushToken: true,
            isUnregistered: isUnregistered, isSilent: isSilent)
    }
}

extension Event {
    /// Event `number`, an hour long and in UTC unless said otherwise; `zone: nil` floats.
    static func sample(
        _ number: Int = 1, _ startsAt: String, lasting duration: TimeInterval = hour, days: Int = 0,
        zone: String? = "UTC",
        kind: Kind = .personal, title: String = "Talk", isAllDay: Bool = false, rrule: String? = nil,
        rdates: [String] = [],
        exdates: [String] = [], lead: TimeInterval? = nil, overrides: [String: Override] = [:]
    ) -> Event {
        Event(
            id: numbered(number), kind: kind, title: title, startsAt: local(startsAt),
            duration: NominalDuration(days: days, seconds: Int64(duration)), timeZone: zone, isAllDay: isAllDay,
            rrule: rrule,
            rdates: rdates.map { local($0) }, exdates: exdates.map { local($0) }, lead: lead,
            overrides: Dictionary(uniqueKeysWithValues: overrides.map { (local($0.key), $0.value) }))
    }
}

extension Run {
    /// Run `number` of event `event`, a card that the app has confirmed, with an update token `cc<number>`.
    static func sample(
        _ number: Int = 1, event: Int = 1, _ occurrence: String, generation: Int = 1, state: State = .confirmed,
        reason: Reason? = nil, token: Bool = true, started: String, expires: String? = nil, user: String = "ada",
        retryAt: String? = nil, isConfirmed: Bool? = nil, isMissing: Bool = false, isGone: Bool = false,
        isEndSent: Bool = false, eventExists: Bool = true
    ) -> Run {
        Run(
            id: numbered(number), userID: user, eventID: numbered(event), occurrence: local(occurrence),
            generation: generation,
            state: state, reason: reason?.rawValue, updateToken: token ? PushToken("cc0\(number)") : nil,
            lastTimestamp: Int64(at(started).timeIntervalSince1970), startedAt: at(started),
            startExpiresAt: at(expires ?? occurrence), retryAt: retryAt.map { at($0) },
            isConfirmed: isConfirmed ?? (state == .confirmed), isMissing: isMissing, isGone: isGone,
            isEndSent: isEndSent,
            eventExists: eventExists)
    }

    /// The same, and the phone was told of an occurrence from `start` to `end` in this phase; stale at its end, if not before.
    func told(
        _ phase: Phase, _ start: String, to end: String, title: String = "Talk", staleAt: String? = nil,
        app: AppPolicy = .sample()
    ) -> Run {
        guard case .success(let template) = app.template else { preconditionFailure("the templates are broken") }
        let context = CardContext(
            runID: id.uuid, eventID: eventID.uuid, title: title, start: at(start), end: at(end), phase: phase,
            minutes: 0,
            locale: "en")
        var run = self
        let card = template.render(context)
        run.content = card.contentState
        run.contentKey = card.contentKey
        run.phase = phase
        run.staleAt = at(staleAt ?? end)
        return run
    }
}

extension DeviceSnapshot {
    static func sample(
        _ events: [Event] = [], runs: [Run] = [], device: Device = .sample(), app: AppPolicy? = .sample(),
        wakes: [Wake] = []
    ) -> DeviceSnapshot {
        DeviceSnapshot(device: device, app: app, events: events, runs: runs, wakes: wakes)
    }
}
