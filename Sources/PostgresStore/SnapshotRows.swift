internal import Foundation
internal import LiveActivity
internal import Planning
internal import Recurrence

/// The answer of `cuecard.load`, as it comes.
struct SnapshotRows: Decodable {
    struct DeviceRow: Decodable {
        var id: DeviceID
        var revision: Int64
        var user_id: String
        var bundle_id: String
        var environment: APNsEnvironment
        var start_token: String?
        var wake_token: String?
        var expo_token: String?
        var time_zone: String
        var locale: String
        var shows_personal: Bool
        var shows_shared: Bool
        var enabled: Bool
        var os_version: String?
        var unregistered: Bool
        var silent: Bool
    }

    struct CalendarRow: Decodable {
        var id: UUID
        var user_id: String
    }

    struct AppRow: Decodable {
        var bundle_id: String
        var attributes_type: String
        var attributes: String?
        var content_state: String?
        var alert: String?
        var lead: TimeInterval
        var ending_lead: TimeInterval
        var closes: AppPolicy.Closing
        var linger: TimeInterval
        var stale_after: TimeInterval
        var all_day_at: TimeInterval?
        var max_cards: Int
        var max_starts_per_hour: Int
    }

    struct EventRow: Decodable {
        var id: EventID
        var calendar_id: UUID
        var kind: Event.Kind
        var title: String
        var location: String?
        var starts_at: String
        var duration: NominalDuration
        var time_zone: String?
        var all_day: Bool
        var rrule: String?
        var rdates: [String]
        var exdates: [String]
        var lead: TimeInterval?
        var details: String?
    }

    struct OverrideRow: Decodable {
        var event_id: EventID
        var occurrence: String
        var cancelled: Bool
        var starts_at: String?
        var duration: NominalDuration?
        var title: String?
        var location: String?
        var details: String?
    }

    struct RunRow: Decodable {
        var id: RunID
        var device_id: DeviceID
        var user_id: String
        var event_id: EventID
        var occurrence: String
        var generation: Int
        var state: Run.State
        var reason: String?
        var update_token: String?
        var content: JSON?
        var content_key: String?
        var phase: Phase?
        var stale_at: TimeInterval?
        var last_timestamp: Int64?
        var started_at: TimeInterval?
        var start_expires_at: TimeInterval?
        var retry_at: TimeInterval?
        var failures: Int
        var confirmed: Bool
        var missing: Bool
        var gone: Bool
        var end_sent: Bool
        var event_exists: Bool
    }

    struct WakeRow: Decodable {
        var device_id: DeviceID
        var at: TimeInterval
        var cause: WakeCause
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
    /// One snapshot a device, each at the revision at which it was claimed.
    func snapshots(_ claims: [Claim]) throws -> [DeviceSnapshot] {
        let claimed = Dictionary(uniqueKeysWithValues: claims.map { ($0.device, $0.revision) })
        let apps = Dictionary(uniqueKeysWithValues: apps.map { ($0.bundle_id, $0.policy) })
        let overrides = Dictionary(grouping: overrides, by: \.event_id)
        let events = try Dictionary(grouping: events, by: \.calendar_id)
            .mapValues { rows in try rows.map { try $0.event(overrides[$0.id] ?? []) } }
        let calendars = Dictionary(grouping: calendars, by: \.user_id)
        let runs = Dictionary(grouping: runs, by: \.device_id)
        let wakes = Dictionary(grouping: wakes, by: \.device_id)
        return try devices.map { row in
            DeviceSnapshot(
                device: try row.device(revision: claimed[row.id] ?? row.revision), app: apps[row.bundle_id],
                events: (calendars[row.user_id] ?? []).flatMap { events[$0.id] ?? [] },
                runs: try (runs[row.id] ?? []).map { try $0.run },
                wakes: (wakes[row.id] ?? []).map { .init(at: Date(timeIntervalSince1970: $0.at), cause: $0.cause) })
        }
    }
}

extension SnapshotRows.DeviceRow {
    func device(revision: Int64) throws -> Device {
        let zone: Zone?
        do throws(RecurrenceError) {
            zone = try Zone.named(time_zone)
        } catch {
            zone = nil  // the plan says so, and starts nothing here
        }
        return Device(
            id: id, revision: revision, userID: user_id, bundleID: bundle_id, environment: environment,
            startToken: start_token.flatMap { PushToken($0) }, wakeToken: wake_token.flatMap { PushToken($0) },
            expoToken: expo_token, zone: try zone ?? Zone.named("UTC"), hasKnownZone: zone != nil, locale: locale,
            showsPersonal: shows_personal, showsShared: shows_shared, isEnabled: enabled,
            takesInputPushToken: (os_version?.prefix { $0.isNumber }).flatMap { Int($0) } ?? 0 >= 18,
            isUnregistered: unregistered, isSilent: silent)
    }
}

extension SnapshotRows.AppRow {
    var policy: AppPolicy {
        let template: Result<CardTemplate, TemplateError>
        do throws(TemplateError) {
            template = .success(
                try CardTemplate(
                    attributesType: attributes_type, attributes: json(attributes),
                    contentState: json(content_state), alert: json(alert)))
        } catch {
            template = .failure(error)
        }
        return AppPolicy(
            bundleID: bundle_id, template: template, lead: lead, endingLead: ending_lead, closes: closes,
            linger: linger, staleAfter: stale_after, allDayAt: all_day_at, maxCards: max_cards,
            maxStartsPerHour: max_starts_per_hour)
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
                isCancelled: row.cancelled, startsAt: try row.starts_at.map(local), duration: row.duration,
                title: row.title, location: row.location, details: json(row.details))
        }
        var event = Event(
            id: id, kind: kind, title: title, location: location, details: json(details) ?? .null,
            startsAt: try local(starts_at), duration: duration, timeZone: time_zone, isAllDay: all_day, rrule: rrule,
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
                id: id, userID: user_id, eventID: event_id, occurrence: try local(occurrence), generation: generation,
                state: state, reason: reason, updateToken: update_token.flatMap { PushToken($0) }, content: content,
                contentKey: content_key, phase: phase, staleAt: date(stale_at), lastTimestamp: last_timestamp,
                startedAt: date(started_at), startExpiresAt: date(start_expires_at), retryAt: date(retry_at),
                failures: failures, isConfirmed: confirmed, isMissing: missing, isGone: gone, isEndSent: end_sent,
                eventExists: event_exists)
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
