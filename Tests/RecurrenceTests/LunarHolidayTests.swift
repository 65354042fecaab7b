import Recurrence
import Testing

/// Korea's two great lunar holidays, and the years in which Korea and China keep different days.
@Suite struct LunarHolidayTests {
    /// Seollal (lunar 1-1) and Chuseok (lunar 8-15), as the Korean calendar publishes them.
    static let published = """
        1990-01-27/10-03 1991-02-15/09-22 1992-02-04/09-11
        1993-01-23/09-30 1994-02-10/09-20 1995-01-31/09-09
        1996-02-19/09-27 1997-02-08/09-16 1998-01-28/10-05
        1999-02-16/09-24 2000-02-05/09-12 2001-01-24/10-01
        2002-02-12/09-21 2003-02-01/09-11 2004-01-22/09-28
        2005-02-09/09-18 2006-01-29/10-06 2007-02-18/09-25
        2008-02-07/09-14 2009-01-26/10-03 2010-02-14/09-22
        2011-02-03/09-12 2012-01-23/09-30 2013-02-10/09-19
        2014-01-31/09-08 2015-02-19/09-27 2016-02-08/09-15
        2017-01-28/10-04 2018-02-16/09-24 2019-02-05/09-13
        2020-01-25/10-01 2021-02-12/09-21 2022-02-01/09-10
        2023-01-22/09-29 2024-02-10/09-17 2025-01-29/10-06
        2026-02-17/09-25 2027-02-07/09-15 2028-01-27/10-03
        2029-02-13/09-22 2030-02-03/09-12 2031-01-23/10-01
        2032-02-11/09-19 2033-01-31/09-08 2034-02-19/09-27
        2035-02-08/09-16 2036-01-28/10-04 2037-02-15/09-24
        2038-02-04/09-13 2039-01-24/10-02 2040-02-12/09-21
        2041-02-01/09-10 2042-01-22/09-28 2043-02-10/09-17
        2044-01-30/10-05 2045-02-17/09-25 2046-02-06/09-15
        2047-01-26/10-04 2048-02-14/09-22 2049-02-02/09-11
        2050-01-23/09-30
        """

    @Test func sixtyOneYearsOfSeollalAndChuseok() throws {
        let years = Self.published.split { $0.isWhitespace }.map { $0.split(separator: "/") }
        #expect(years.count == 61)
        let seollal = try days("RSCALE=DANGI;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1", "1990-01-27", to: "2051-01-01")
        let chuseok = try days("RSCALE=DANGI;FREQ=YEARLY;BYMONTH=8;BYMONTHDAY=15", "1990-10-03", to: "2051-01-01")
        #expect(seollal == years.map { String($0[0]) })
        #expect(chuseok == years.map { "\($0[0].prefix(5))\($0[1])" })
    }

    @Test(arguments: [
        // The new moon, or the leap month, falls on different sides of midnight in Seoul and in Beijing.
        (2012, "5", "2012-06-20", "2012-06-19"), (2017, "6", "2017-07-23", "2017-06-24"),
        (2027, "1", "2027-02-07", "2027-02-06"), (2028, "1", "2028-01-27", "2028-01-26"),
    ])
    func koreaAndChinaDiffer(year: Int, month: String, korea: String, china: String) throws {
        let rule = "FREQ=YEARLY;BYMONTH=\(month);BYMONTHDAY=1"
        #expect(try days("RSCALE=DANGI;\(rule)", "2000-02-05", from: "\(year)-01-01", to: "\(year)-12-31") == [korea])
        #expect(try days("RSCALE=CHINESE;\(rule)", "2000-02-05", from: "\(year)-01-01", to: "\(year)-12-31") == [china])
    }

    @Test func yearsOutsideTheTableAreAnError() throws {
        let start = try #require(LocalDateTime("2020-01-25"))
        let rule = try RecurrenceRule(parsing: "RSCALE=DANGI;FREQ=YEARLY")
        let endless = try OccurrenceSet(start: start, isAllDay: true, zone: nil, rule: rule)
        let late = try #require(LocalDateTime("2101-02-01"))
        #expect(throws: RecurrenceError.self) { try endless.next(onOrAfter: late) }
        #expect(throws: RecurrenceError.self) { try endless.occurrences(from: start, to: late, limit: 1000) }
        #expect(try endless.occurrences(from: start, to: late, limit: 3).count == 3)

        let ended = try OccurrenceSet(
            start: start, isAllDay: true, zone: nil, rule: RecurrenceRule(parsing: "RSCALE=DANGI;FREQ=YEARLY;COUNT=3"))
        #expect(try ended.occurrences(from: start, to: late, limit: 1000).count == 3)
        #expect(throws: RecurrenceError.self) {
            try OccurrenceSet(
                start: #require(LocalDateTime("1899-01-01")), isAllDay: true, zone: nil, rule: rule)
        }
    }

    private func days(_ rule: String, _ start: String, from: String? = nil, to: String) throws -> [String] {
        let start = try #require(LocalDateTime(start))
        let set = try OccurrenceSet(start: start, isAllDay: true, zone: nil, rule: RecurrenceRule(parsing: rule))
        let (first, last) = (
            try #require(LocalDateTime(from ?? start.dateDescription)), try #require(LocalDateTime(to))
        )
        return try set.occurrences(from: first, to: last, limit: 100).map(\.local.dateDescription)
    }
}
