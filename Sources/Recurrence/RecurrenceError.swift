/// Why a rule, a date or a question about them was refused.
///
/// The message names the part and, for text, the position: `BYDAY: "XX" is not a weekday (at character 22)`.
public struct RecurrenceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal; the raw value is stable and fit for programs.
    public enum Code: String, Sendable, Hashable {
        /// Text that does not follow the grammar.
        case syntax
        /// A value outside what its part allows.
        case value
        /// Parts that may not stand together (the MUST NOTs of RFC 5545 3.3.10).
        case combination
        /// A calendar (`RSCALE`) that the library does not know.
        case unsupported
        /// A time zone that the system does not know.
        case zone
        /// Input or an answer over a documented limit.
        case limit
        /// A date outside the years for which the calendar is known.
        case range
    }

    /// The kind of refusal.
    public let code: Code
    /// What is wrong and where, in one line.
    public let message: String

    /// An error of a kind, in words.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message alone.
    public var description: String { message }
}
