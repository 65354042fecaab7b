/// The templates of one `app` row, compiled once.
///
/// A template is JSON whose strings may hold `{{path}}`. A string that is only a placeholder becomes the typed value;
/// elsewhere the value is filled in as text. A placeholder without a value drops its key or array element, so the app
/// declares what may be absent as an optional. Paths: `run.id`, `event.id`, `event.title`, `event.location`,
/// `event.details` and what lies below it (`event.details.stops.0.name`), `occurrence.start`, `occurrence.end`,
/// `phase`, `minutes`, `device.locale`. A date needs a format: `|swift` (a Swift `Date`), `|unix`, `|unixms`,
/// `|iso8601`.
public struct CardTemplate: Sendable, Hashable {
    /// The name of the app's `ActivityAttributes` struct.
    public let attributesType: String
    let attributes: TemplateNode
    let contentState: TemplateNode
    let alert: AlertTemplate

    /// Compiles the templates; nil, or a JSON `null`, takes the product's own.
    ///
    /// - Parameters:
    ///   - attributesType: The exact name of the app's `ActivityAttributes` struct.
    ///   - attributes: Static data: ids and constants alone, `{{run.id}}` among them.
    ///   - contentState: What updates replace.
    ///   - alert: `{"title": …, "body": …, "sound": …}`, or these by language.
    /// - Throws: Every problem of the row at once.
    public init(
        attributesType: String, attributes: JSON? = nil, contentState: JSON? = nil, alert: JSON? = nil
    ) throws(TemplateError) {
        var forAttributes = TemplateCompiler(column: .attributes)
        var forContentState = TemplateCompiler(column: .contentState)
        var forAlert = TemplateCompiler(column: .alert)
        self.attributesType = attributesType
        self.attributes = forAttributes.compileObject(attributes.orDefault(Self.defaultAttributes))
        self.contentState = forContentState.compileObject(contentState.orDefault(Self.defaultContentState))
        self.alert = AlertTemplate(alert.orDefault([:]), with: &forAlert)
        if !forAttributes.paths.contains(.runID) { forAttributes.report(.runIDMissing, at: "") }

        var problems = forAttributes.problems + forContentState.problems + forAlert.problems
        if !attributesType.isSwiftName {
            problems.insert(.init(column: .attributesType, path: "", reason: .invalidAttributesType), at: 0)
        }
        if problems.isEmpty, let bytes = excess {
            problems.append(.init(column: .contentState, path: "", reason: .tooLarge(bytes: bytes)))
        }
        guard problems.isEmpty else { throw TemplateError(problems: problems) }
    }

    /// The card for a context.
    ///
    /// Attributes and content state fit in 4 KB together, and the content state in an update or an end: where they would
    /// not, the texts of the event are cut.
    public func render(_ context: CardContext) -> Card {
        fitted(context) { max($0.dataSize, $0.contentState.bytes.count + Self.envelope) }.card
    }

    /// Fills the templates in, however long that gets.
    func fill(_ context: CardContext, contentKey: String) -> Card {
        Card(
            attributes: fill(attributes, context), contentState: fill(contentState, context),
            alert: alert.render(context), contentKey: contentKey)
    }

    /// What stands for the whole content, `minutes` left out.
    func contentKey(_ context: CardContext) -> String {
        var timeless = context
        timeless.minutes = 0
        return FNV1a(fill(contentState, timeless).bytes).hex
    }

    private func fill(_ node: TemplateNode, _ context: CardContext) -> JSON { node.render(context) ?? [:] }
}

extension CardTemplate {
    /// The attributes of an app that gives none: `runId` and `eventId`, both strings (or `UUID`).
    public static let defaultAttributes: JSON = ["runId": "{{run.id}}", "eventId": "{{event.id}}"]

    /// The content state of an app that gives none.
    ///
    /// In Swift: `title: String`, `location: String?`, `startsAt: Date`, `endsAt: Date`, `phase: String` and, of the
    /// app's own type, `details`, an optional: an event without a location or details has no such key.
    public static let defaultContentState: JSON = [
        "title": "{{event.title}}", "location": "{{event.location}}", "startsAt": "{{occurrence.start|swift}}",
        "endsAt": "{{occurrence.end|swift}}", "phase": "{{phase}}", "details": "{{event.details}}",
    ]
}

extension JSON? {
    fileprivate func orDefault(_ json: JSON) -> JSON {
        guard let self, self != .null else { return json }
        return self
    }
}

extension String {
    /// Whether this can name a Swift type, perhaps a nested one.
    fileprivate var isSwiftName: Bool {
        split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            guard let first = part.first, first.isLetter || first == "_" else { return false }
            return part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }
}
