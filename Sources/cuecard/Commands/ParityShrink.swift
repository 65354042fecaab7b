import Foundation
import Recurrence

extension ExpandCase {
    /// The case as a line of the protocol, without the end of the line.
    var line: String {
        func list(_ texts: [String]?) -> String { "[\((texts ?? []).map(jsonString).joined(separator: ","))]" }
        return
            "{\"id\":\(jsonString(id)),\"dtstart\":\(jsonString(dtstart)),\"tzid\":\(tzid.map(jsonString) ?? "null"),"
            + "\"rrule\":\(rrule.map(jsonString) ?? "null"),\"rdates\":\(list(rdates)),\"exdates\":\(list(exdates)),"
            + "\"from\":\(jsonString(from)),\"to\":\(jsonString(to))}"
    }

    /// Cases with one thing less: a date, a part of the rule, half of the window, half of a number.
    func simpler() -> [ExpandCase] {
        (withFewerDates + withSimplerRule + withSmallerWindow + withSimplerStart).filter { $0 != self }
    }

    private func with(_ change: (inout ExpandCase) -> Void) -> ExpandCase {
        var copy = self
        change(&copy)
        return copy
    }

    private var withFewerDates: [ExpandCase] {
        var cases = [with { $0.rdates = [] }, with { $0.exdates = [] }]
        for index in (exdates ?? []).indices { cases.append(with { $0.exdates?.remove(at: index) }) }
        return cases
    }

    private var withSimplerRule: [ExpandCase] {
        let parts = rrule?.split(separator: ";").map(String.init) ?? []
        var rules: [[String]] = []
        for (index, part) in parts.enumerated() {
            if !part.hasPrefix("FREQ") { rules.append(parts.without(index)) }
            guard let equal = part.firstIndex(of: "=") else { continue }
            let (name, value) = (part[...equal], part[part.index(after: equal)...])
            let items = value.split(separator: ",").map(String.init)
            if items.count > 1 {
                for item in items.indices {
                    rules.append(parts.with(name + items.without(item).joined(separator: ","), at: index))
                }
            } else if let number = Int(value), number > 2, name == "COUNT=" || name == "INTERVAL=" {
                rules.append(parts.with("\(name)\(number / 2)", at: index))
                rules.append(parts.with("\(name)\(number - 1)", at: index))
            }
        }
        return rules.map { parts in with { $0.rrule = parts.joined(separator: ";") } }
    }

    private var withSmallerWindow: [ExpandCase] {
        guard let first = LocalDateTime(from), let last = LocalDateTime(to) else { return [] }
        let day: Int64 = 86_400
        let middle = first.secondsSinceEpoch + (last.secondsSinceEpoch - first.secondsSinceEpoch) / 2 / day * day
        guard middle > first.secondsSinceEpoch else { return [] }
        let time = LocalDateTime(secondsSinceEpoch: middle)
        let text = isAllDay ? time.dateDescription : time.description
        return [with { $0.to = text }, with { $0.from = text }]
    }

    private var withSimplerStart: [ExpandCase] {
        var cases: [ExpandCase] = []
        if tzid != nil {
            cases.append(
                with {
                    $0.tzid = nil
                    $0.rrule = $0.rrule?.replacing("Z;", with: ";").replacing(/Z$/, with: "")
                })
        }
        if !isAllDay { cases.append(with { $0.dtstart = "\(dtstart.prefix(11))09:00:00" }) }
        if let start = LocalDateTime(dtstart), let first = LocalDateTime(from), start < first {
            // Nearer to the window, on the same day of the year.
            let near = "\(from.prefix(4))\(dtstart.dropFirst(4))"
            if let moved = LocalDateTime(near), moved > start { cases.append(with { $0.dtstart = near }) }
        }
        return cases
    }
}

extension [String] {
    fileprivate func without(_ index: Int) -> [String] {
        enumerated().filter { $0.offset != index }.map(\.element)
    }

    fileprivate func with(_ element: String, at index: Int) -> [String] {
        var copy = self
        copy[index] = element
        return copy
    }
}
