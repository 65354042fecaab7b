internal import Foundation
internal import LiveActivity
internal import Planning
internal import Recurrence

/// The answer of `cuecard.load`, as it comes.
struct SnapshotRows: Decodable {
    struct DeviceRow: Decodable {
        var id: DeviceID
        var revision: Int64
        var userID: String
        var bundleID: String
        var environment: APNsEnvironment
        var environmentInDoubt: Bool?
        var triesOther: Bool?
        var startToken: String?
        var wakeToken: String?
        var expoToken: String?
        var timeZone: String
        var locale: String
        var showsPersonal: Bool
        var showsShared: Bool
        var enabled: Bool
        var osVersion: String?
        var unregistered: Bool
        var silent: Bool
    }

    struct CalendarRow: Decodable {
        var id: UUID
        var userID: String
    }

    struct AppRow: Decodable {
        var bundleID: String
        var attributesType: String
        var attributes: String?
        var contentState: String?
        var alert: String?
        var lead: TimeInterval
        var endingLead: TimeInterval
        var closes: AppPolicy.Closing
        var linger: TimeInterval
        var staleAfter: TimeInterval
        var allDayAt: TimeInterval?
        var maxCards: Int
        var maxStartsPerHour: Int
    }

    struct EventRow: Decodable {
        var id: EventID
        var calendarID: UUID
        var kind: Event.Kind
        var title: String
        var location: String?
        var startsAt: String
        var duration: NominalDuration
        var timeZone: String?
        var allDay: Bool
        var rrule: String?
        var rdates: [String]
        var exdates: [String]
        var lead: TimeInterval?
        var details: String?
    }

    struct OverrideRow: Decodable {
        var eventID: EventID
        var occurrence: String
        var cancelled: Bool
        var startsAt: String?
        var duration: NominalDuration?
        var title: String?
        var location: String?
        var details: String?
    }

    struct RunRow: Decodable {
        var id: RunID
        var deviceID: DeviceID
        var userID: String
        var eventID: EventID
        var occurrence: String
        var generation: Int
        var state: Run.State
        var reason: String?
        var updateToken: String?
        var content: String?
        var contentKey: String?
        var phase: Phase?
        var staleAt: TimeInterval?
        var lastTimestamp: Int64?
        var startedAt: TimeInterval?
        var startExpiresAt: TimeInterval?
        var closesAt: TimeInterval?
        var retryAt: TimeInterval?
        var failures: Int
        var startTaken: Bool
        var confirmed: Bool
        var missing: Bool
        var gone: Bool
        var endSent: Bool
        var eventExists: Bool
    }

    struct WakeRow: Decodable {
        var deviceID: DeviceID
        var at: TimeInterval
        var cause: WakeCause
        var lost: Bool
    }

    var devices: [DeviceRow]
    var calendars: [CalendarRow]
    var apps: [AppRow]
    var events: [EventRow]
    var overrides: [OverrideRow]
    var runs: [RunRow]
    var wakes: [WakeRow]
}

extension SnapshotRows {
    /// One snapshot a device, each at the revision at which it was claimed, for a worker with keys for these lanes.
    func snapshots(_ claims: [Claim], _ lanes: [Store.Lane]) throws -> [DeviceSnapshot] {
        let claimed = Dictionary(uniqueKeysWithValues: claims.map { ($0.device, $0.revision) })
        let apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.bundleID, $0.policy) })
        let overrides = Dictionary(grouping: overrides, by: \.eventID)
        let events = try Dictionary(grouping: events, by: \.calendarID)
            .mapValues { rows in try rows.map { try $0.event(overrides[$0.id] ?? []) } }
        let calendars = Dictionary(grouping: calendars, by: \.userID)
        let runs = Dictionary(grouping: runs, by: \.deviceID)
        let wakes = Dictionary(grouping: wakes, by: \.deviceID)
        return try devices.map { row in
            DeviceSnapshot(
                device: try row.device(revision: claimed[row.id] ?? row.revision, lanes), app: apps[row.bundleID],
                events: (calendars[row.userID] ?? []).flatMap { events[$0.id] ?? [] },
                runs: try (runs[row.id] ?? []).map { try $0.run },
                wakes: (wakes[row.id] ?? []).map {
                    .init(at: Date(timeIntervalSince1970: $0.at), cause: $0.cause, isLost: $0.lost)
                })
        }
    }
}

extension SnapshotRows.DeviceRow {
    func device(revision: Int64, _ lanes: [Store.Lane]) throws -> Device {
        let zone: Zone?
        do throws(RecurrenceError) {
            zone = try Zone.named(timeZone)
        } catch {
            zone = nil  // the plan says so, and starts nothing here
        }
        let other = environment.other
        let hasKeyForOther = lanes.contains {
            $0.environment == other.rawValue && ($0.bundleID ?? bundleID) == bundleID
        }
        return Device(
            id: id, revision: revision, userID: userID, bundleID: bundleID, environment: environment,
            startToken: startToken.flatMap { PushToken($0) }, wakeToken: wakeToken.flatMap { PushToken($0) },
            expoToken: expoToken, zone: try zone ?? Zone.named("UTC"), hasKnownZone: zone != nil, locale: locale,
            showsPersonal: showsPersonal, showsShared: showsShared, isEnabled: enabled,
            takesInputPushToken: (osVersion?.prefix { $0.isNumber }).flatMap { Int($0) } ?? 0 >= 18,
            isUnregistered: unregistered, isSilent: silent,
            startEnvironment: triesOther == true ? other : environment,
            mayTryOtherEnvironment: environmentInDoubt == true && hasKeyForOther)
    }
}

extension SnapshotRows.AppRow {
    var policy: AppPolicy {
        let template: Result<CardTemplate, TemplateError>
        do throws(TemplateError) {
            template = .success(
                try CardTemplate(
                    attributesType: attributesType, attributes: json(attributes),
                    contentState: json(contentState), alert: json(alert)))
        } catch {
            template = .failure(error)
        }
        return AppPolicy(
            bundleID: bundleID, template: template, lead: lead, endingLead: endingLead, closes: closes,
            linger: linger, staleAfter: staleAfter, allDayAt: allDayAt, maxCards: maxCards,
            maxStartsPerHour: maxStartsPerHour)
    }

    /// Text that is no JSON we can read (a number out of range, too deep) is no object, and the template says so.
    private func json(_ text: String?) -> JSON? {
        do {
            return try text.map { try JSON(parsing: $0) }
        } catch {
            return .string("unreadable")
        }
    }
}

extension SnapshotRows.EventRow {
    /// The event with its overrides; details that cannot be read become its problem, and no other event's.
    func event(_ overrides: [SnapshotRows.OverrideRow]) throws -> Event {
        var changes: [LocalDateTime: Event.Override] = [:]
        var problem: EventProblem?
        func json(_ text: String?) -> JSON? {
            do {
                return try text.map { try JSON(parsing: $0) }
            } catch {
                problem = EventProblem(
                    reason: .badRule, text: "its details cannot be read: a number out of range, or too deep")
                return nil
            }
        }
        for row in overrides {
            changes[try local(row.occurrence)] = Event.Override(
                isCancelled: row.cancelled, startsAt: try row.startsAt.map(local), duration: row.duration,
                title: row.title, location: row.location, details: json(row.details))
        }
        var event = Event(
            id: id, kind: kind, title: title, location: location, details: json(details) ?? .null,
            startsAt: try local(startsAt), duration: duration, timeZone: timeZone, isAllDay: allDay, rrule: rrule,
            rdates: try rdates.map(local), exdates: try exdates.map(local), lead: lead, overrides: changes)
        if let problem { event.series = .failure(problem) }
        return event
    }
}

extension SnapshotRows.RunRow {
    var run: Run {
        get throws {
            func date(_ seconds: TimeInterval?) -> Date? { seconds.map { Date(timeIntervalSince1970: $0) } }
            return Run(
                id: id, userID: userID, eventID: eventID, occurrence: try local(occurrence), generation: generation,
                state: state, reason: reason, updateToken: updateToken.flatMap { PushToken($0) },
                content: readableContent,
                contentKey: contentKey, phase: phase, staleAt: date(staleAt), lastTimestamp: lastTimestamp,
                startedAt: date(startedAt), startExpiresAt: date(startExpiresAt), closesAt: date(closesAt),
                retryAt: date(retryAt), failures: failures, isStartTaken: startTaken, isConfirmed: confirmed,
                isMissing: missing, isGone: gone,
                isEndSent: endSent, eventExists: eventExists)
        }
    }

    /// What the card shows; nil where it cannot be read back (too deep), and then its end carries none.
    private var readableContent: JSON? {
        do {
            return try content.map { try JSON(parsing: $0) }
        } catch {
            return nil
        }
    }
}

/// A local time as `to_char` wrote it.
private func local(_ text: String) throws -> LocalDateTime {
    guard let local = LocalDateTime(text) else {
        throw PostgresError.unreadable(statement: "load", "\"\(text)\" is not a local time")
    }
    return local
}
