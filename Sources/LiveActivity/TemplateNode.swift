/// A template's JSON, compiled: what is fixed and what is filled in.
enum TemplateNode: Sendable, Hashable {
    case literal(JSON)
    /// A string that is only a placeholder: it becomes the typed value.
    case value(Placeholder)
    case text(TemplateText)
    case array([TemplateNode])
    case object([String: TemplateNode])

    /// The filled-in value; nil where a placeholder has none, which drops the key or the array element.
    func render(_ context: CardContext) -> JSON? {
        switch self {
        case .literal(let json): json
        case .value(let placeholder): placeholder.value(in: context)
        case .text(let text): text.render(context).map(JSON.string)
        case .array(let elements): .array(elements.compactMap { $0.render(context) })
        case .object(let members): .object(members.compactMapValues { $0.render(context) })
        }
    }
}

/// A string with placeholders among its text.
///
/// What is filled in is never looked through for placeholders again.
struct TemplateText: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        case placeholder(Placeholder)
    }

    var pieces: [Piece]

    /// The filled-in text; nil where one placeholder has no value.
    func render(_ context: CardContext) -> String? {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += literal
            case .placeholder(let placeholder):
                switch placeholder.value(in: context) {
                case nil: return nil
                case .string(let value): text += value
                case let value?: text += value.description
                }
            }
        }
        return text
    }
}
