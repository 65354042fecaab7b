import Foundation

/// The same questions for Foundation's `Calendar.RecurrenceRule`, which reads no text: its rule is built in the query.
func foundation(_ workload: Workload) throws -> Double {
    var calendar = Calendar(identifier: workload.name == "W6" ? .chinese : .gregorian)
    calendar.timeZone = workload.zone.flatMap { TimeZone(identifier: $0) } ?? .gmt
    let format = Date.ISO8601FormatStyle(timeZone: calendar.timeZone).year().month().day().time(
        includingFractionalSeconds: false)
    let start = try Date(workload.start, strategy: format)
    let now = try Date(Workload.now, strategy: format)
    let range = workload.isWindow ? now..<now + 86_400 : now..<Date.distantFuture
    return measure {
        var found = 0
        for date in rule(workload, calendar).recurrences(of: start, in: range) {
            found += Int(date.timeIntervalSince1970)
            if !workload.isWindow { break }
        }
        return found
    }
}

private func rule(_ workload: Workload, _ calendar: Calendar) -> Calendar.RecurrenceRule {
    switch workload.name {
    case "W1": .daily(calendar: calendar)
    case "W2": .weekly(calendar: calendar, weekdays: [.every(.monday), .every(.wednesday), .every(.friday)])
    case "W3": .monthly(calendar: calendar, daysOfTheMonth: [-1])
    case "W5": .daily(calendar: calendar, end: .afterOccurrences(workload.years == 60 ? 36_500 : 3650))
    default: .yearly(calendar: calendar)
    }
}
