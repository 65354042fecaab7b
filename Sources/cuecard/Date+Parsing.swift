import Foundation
import Recurrence

extension Date {
    /// Reads an RFC 3339 time, with or without a fraction of a second; nil for anything else.
    init?(rfc3339 text: String) {
        let strategy = Date.ISO8601FormatStyle()
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        // The style takes dates alone and basic forms too, which RFC 3339 does not know.
        guard text.wholeMatch(of: /\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)/) != nil else {
            return nil
        }
        let canonical = text.uppercased().replacing(" ", with: "T")
        // Nor is it strict about days: February 30 would become March 2.
        guard LocalDateTime(canonical.prefix(19)) != nil else { return nil }
        do {
            self = try canonical.contains(".") ? fractional.parse(canonical) : strategy.parse(canonical)
        } catch {
            return nil
        }
    }
}
