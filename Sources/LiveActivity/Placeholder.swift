internal import Foundation

/// One `{{path}}` or `{{path|format}}`.
struct Placeholder: Sendable, Hashable {
    enum Path: Sendable, Hashable {
        case runID
        case eventID
        case title
        case location
        /// The keys and array positions below `event.details`; empty for the whole.
        case details([String])
        case start
        case end
        case phase
        case minutes
        case locale
    }

    /// How a date is written.
    enum DateFormat: String, Sendable, CaseIterable {
        /// Seconds since 2001, as an untouched `JSONDecoder` reads a Swift `Date`.
        case swift
        case unix
        case unixms
        case iso8601
    }

    var path: Path
    /// A date has one, nothing else has.
    var format: DateFormat?

    /// Seconds from 1970 to 2001, the two epochs that one payload holds.
    static let referenceEpoch: Double = 978_307_200

    /// The typed value; nil where the context has none, or the date is out of all range.
    func value(in context: CardContext) -> JSON? {
        switch path {
        case .runID: .string(context.runID.uuidString.lowercased())
        case .eventID: .string(context.eventID.uuidString.lowercased())
        case .title: .string(context.title)
        case .location: context.location.map(JSON.string)
        case .details(let keys): context.details.descendant(at: keys)
        case .start: date(context.start)
        case .end: date(context.end)
        case .phase: .string(context.phase.rawValue)
        case .minutes: .int(Int64(context.minutes))
        case .locale: context.locale.map(JSON.string)
        }
    }

    private func date(_ date: Date) -> JSON? {
        let unix = date.timeIntervalSince1970
        guard unix.isFinite else { return nil }
        switch format {
        case .swift: return seconds(unix - Self.referenceEpoch)
        case .unix: return Int64(exactly: unix.rounded(.down)).map(JSON.int)
        case .unixms: return Int64(exactly: (unix * 1000).rounded()).map(JSON.int)
        case .iso8601:
            // Whole seconds: the `iso8601` strategy of `JSONDecoder` reads no fraction.
            return .string(Date(timeIntervalSince1970: unix.rounded(.down)).formatted(.iso8601))
        case nil: return nil
        }
    }

    private func seconds(_ seconds: Double) -> JSON {
        if let whole = Int64(exactly: seconds) { .int(whole) } else { .double(seconds) }
    }
}

extension Placeholder.Path {
    /// The path by its name in a template; nil for an unknown one.
    init?(_ name: String) {
        switch name {
        case "run.id": self = .runID
        case "event.id": self = .eventID
        case "event.title": self = .title
        case "event.location": self = .location
        case "event.details": self = .details([])
        case "occurrence.start": self = .start
        case "occurrence.end": self = .end
        case "phase": self = .phase
        case "minutes": self = .minutes
        case "device.locale": self = .locale
        default:
            let prefix = "event.details."
            guard name.hasPrefix(prefix) else { return nil }
            let keys = name.dropFirst(prefix.count).split(separator: ".", omittingEmptySubsequences: false)
            guard keys.allSatisfy({ !$0.isEmpty }) else { return nil }
            self = .details(keys.map(String.init))
        }
    }

    var isDate: Bool { self == .start || self == .end }

    /// Whether it stays the same for as long as an activity lives.
    var isStatic: Bool { self == .runID || self == .eventID }
}

extension JSON {
    /// What lies below keys and array positions; nil where there is nothing, or a `null`.
    fileprivate func descendant(at keys: [String]) -> JSON? {
        var value = self
        for key in keys {
            guard let next = value[key] ?? Int(key).flatMap({ value[$0] }) else { return nil }
            value = next
        }
        return value == .null ? nil : value
    }
}
