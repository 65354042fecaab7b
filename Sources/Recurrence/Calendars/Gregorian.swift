let secondsPerDay = 86_400

@inline(__always)
func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    let quotient = value / divisor
    return value % divisor < 0 ? quotient - 1 : quotient
}

@inline(__always)
func floorRemainder(_ value: Int, _ divisor: Int) -> Int {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
}

/// Day arithmetic of the proleptic Gregorian calendar; a day is counted from 1970-01-01.
enum Gregorian {
    /// The first and the last day that the library works with: the years that four digits can write.
    static let days = day(year: 1, month: 1, day: 1)...day(year: 9999, month: 12, day: 31)

    /// Years are taken from March on, so that the leap day comes last.
    static func day(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func date(ofDay day: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = day + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let index = (5 * dayOfYear + 2) / 153
        let month = index < 10 ? index + 3 : index - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * index + 2) / 5 + 1)
    }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func length(ofMonth month: Int, year: Int) -> Int {
        month == 2 ? (isLeap(year) ? 29 : 28) : 30 + (month + month >> 3) & 1
    }

    static func exists(year: Int, month: Int, day: Int) -> Bool {
        year >= 1 && (1...12).contains(month) && day >= 1 && day <= length(ofMonth: month, year: year)
    }

    /// Months since January of the year 0.
    static func monthIndex(ofDay day: Int) -> Int {
        let date = date(ofDay: day)
        return date.year * 12 + date.month - 1
    }

    static func month(at index: Int) -> CalendarMonth {
        let year = floorDivide(index, 12)
        let number = index - year * 12 + 1
        return CalendarMonth(
            firstDay: day(year: year, month: number, day: 1), length: length(ofMonth: number, year: year),
            number: number, isLeap: false)
    }

    /// Monday is 0, Sunday 6.
    static func weekday(ofDay day: Int) -> Int { floorRemainder(day + 3, 7) }
}
