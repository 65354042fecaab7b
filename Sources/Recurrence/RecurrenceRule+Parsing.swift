extension RecurrenceRule {
    /// The longest text that is read as a rule, in bytes of UTF-8.
    public static let maximumLength = 8192
    /// The largest INTERVAL and COUNT that a rule may have.
    public static let maximumNumber = 1_000_000_000

    /// Reads the value of an RRULE property, such as `FREQ=WEEKLY;BYDAY=MO,WE`, in upper or lower case.
    ///
    /// A leading `RRULE:` is allowed. Throws a ``RecurrenceError`` that names the part and the position for text that
    /// does not follow RFC 5545 3.3.10 or RFC 7529, for a combination of parts that they forbid, and for text longer
    /// than ``maximumLength``.
    public init(parsing text: String) throws(RecurrenceError) {
        var text = text
        let outcome = text.withUTF8 { bytes -> Result<Parts, RecurrenceError> in
            var parser = RuleParser(bytes)
            do throws(RecurrenceError) {
                return .success(try parser.parse())
            } catch {
                return .failure(error)
            }
        }
        parts = try outcome.get()
        try parts.validate()
    }
}
