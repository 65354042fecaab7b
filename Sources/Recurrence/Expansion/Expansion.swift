/// A rule bound to its start: its instances in local time, in seconds since 1970-01-01T00:00:00 on the same wall clock.
///
/// Each question is answered from the period that the time asked for lies in; nothing is stepped through from the start.
enum Expansion: Sendable {
    case units(UnitSteps)
    case periods(PeriodSteps)

    init(_ rule: RecurrenceRule.Parts, start: Int, isAllDay: Bool) throws(RecurrenceError) {
        if rule.frequency <= .daily {
            self = .units(try UnitSteps(rule, start: start, isAllDay: isAllDay))
        } else {
            self = .periods(try PeriodSteps(rule, start: start, isAllDay: isAllDay))
        }
    }

    /// The first instance at or after a time, up to and with the last one; nil when there is none.
    func next(onOrAfter time: Int, through last: Int) throws(RecurrenceError) -> Int? {
        switch self {
        case .units(let steps): try steps.next(onOrAfter: time, through: last)
        case .periods(let steps): try steps.next(onOrAfter: time, through: last)
        }
    }

    /// The instance with `index` instances before it; nil when it lies after the last time.
    func instance(_ index: Int, through last: Int) throws(RecurrenceError) -> Int? {
        switch self {
        case .units(let steps): try steps.instance(index, through: last)
        case .periods(let steps): try steps.instance(index, through: last)
        }
    }
}
