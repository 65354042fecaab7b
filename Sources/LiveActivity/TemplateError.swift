/// Why an app's templates cannot be used: every problem at once.
public struct TemplateError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A column of the `app` table.
    public enum Column: String, Sendable {
        case attributesType = "attributes_type"
        case attributes
        case contentState = "content_state"
        case alert
    }

    /// One thing to mend.
    public struct Problem: Sendable, Hashable, CustomStringConvertible {
        /// The column of the row.
        public var column: Column
        /// The place below the column, such as `.items[2].title`; empty for the whole column.
        public var path: String
        /// What is wrong there.
        public var reason: Reason

        /// The place, what is wrong there, and the mend.
        public var description: String { "app.\(column.rawValue)\(path): \(reason)" }
    }

    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        case unknownPath(String)
        case unknownDateFormat(String)
        case dateWithoutFormat(String)
        case formatWithoutDate(String)
        case unclosedPlaceholder
        case placeholderNotAllowed
        case notAnObject
        /// Attributes never change after the start, so what may change has no place in them.
        case mayChange(String)
        /// Without `{{run.id}}` the app could not report its card.
        case runIDMissing
        case emptyText
        case notText
        case unknownKey
        case languagesAndText
        case invalidSound
        case invalidAttributesType
        /// The start with the emptiest event is over 4096 bytes.
        case tooLarge(bytes: Int)
    }

    /// Never empty; by column, then by place.
    public var problems: [Problem]

    /// One line for each problem.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}

extension TemplateError.Reason: CustomStringConvertible {
    /// What is wrong, and the mend.
    public var description: String {
        switch self {
        case .unknownPath(let path):
            "\"\(path)\" is no known path; use run.id, event.id, event.title, event.location, event.details.…, "
                + "occurrence.start, occurrence.end, phase, minutes or device.locale"
        case .unknownDateFormat(let format):
            "\"\(format)\" is no known date format; use swift, unix, unixms or iso8601"
        case .dateWithoutFormat(let path):
            "\"\(path)\" is a date without a format; write {{\(path)|swift}} for a Swift Date, or |unix, |unixms, "
                + "|iso8601"
        case .formatWithoutDate(let path): "\"\(path)\" is no date and takes no format; leave the | and the format out"
        case .unclosedPlaceholder: "a {{ has no }}; close the placeholder"
        case .placeholderNotAllowed: "no placeholder can stand here; write plain text"
        case .notAnObject: "this must be a JSON object; write {…}"
        case .mayChange(let path):
            "\"\(path)\" may change, and attributes cannot; move it to content_state"
        case .runIDMissing: "{{run.id}} is missing; add it, such as \"runId\": \"{{run.id}}\""
        case .emptyText: "an alert needs a title and a body that are not empty; write them"
        case .notText:
            "this must be a text, {\"loc-key\": …, \"loc-args\": [text, …]}, or one of these by phase "
                + "{\"upcoming\": …, \"active\": …}"
        case .unknownKey:
            "this key means nothing here; an alert has title, body and sound, or has them by language such as \"en\""
        case .languagesAndText: "a title or body stands beside languages; move it into each language"
        case .invalidSound:
            "a sound is the name of a file in the app or \"default\"; leave it out for \"default\", or write null for none"
        case .invalidAttributesType: "this must be the exact name of the app's ActivityAttributes struct"
        case .tooLarge(let bytes):
            "a start with the shortest event takes \(bytes) bytes, and APNs takes \(Push.maximumPayload); "
                + "shorten the templates"
        }
    }
}
