extension RecurrenceRule.Parts {
    /// Whether any part but BYSETPOS chooses instances.
    private var hasOtherBy: Bool {
        seconds | minutes | hours | months | leapMonths | weekdays != 0 || !monthDays.isEmpty || !weekNumbers.isEmpty
            || !nthWeekdays.isEmpty || !yearDays.isEmpty
    }

    /// The MUST NOTs of RFC 5545 3.3.10.
    func validate() throws(RecurrenceError) {
        if !monthDays.isEmpty, frequency == .weekly {
            throw RecurrenceError(.combination, "BYMONTHDAY: it may not stand with FREQ=WEEKLY")
        }
        if !yearDays.isEmpty, frequency >= .daily, frequency <= .monthly {
            throw RecurrenceError(.combination, "BYYEARDAY: it may not stand with FREQ=DAILY, WEEKLY or MONTHLY")
        }
        if !weekNumbers.isEmpty, frequency != .yearly {
            throw RecurrenceError(.combination, "BYWEEKNO: it may stand with FREQ=YEARLY only")
        }
        if !nthWeekdays.isEmpty, frequency < .monthly {
            throw RecurrenceError(.combination, "BYDAY: a numbered weekday may stand with FREQ=MONTHLY or YEARLY only")
        }
        if !nthWeekdays.isEmpty, !weekNumbers.isEmpty {
            throw RecurrenceError(.combination, "BYDAY: a numbered weekday may not stand with BYWEEKNO")
        }
        if !positions.isEmpty, !hasOtherBy {
            throw RecurrenceError(.combination, "BYSETPOS: it may not stand without another BY part")
        }
    }
}
