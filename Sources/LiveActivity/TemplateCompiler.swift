internal import Foundation

/// Turns the JSON of one column into nodes, and notes every problem on the way.
struct TemplateCompiler {
    let column: TemplateError.Column
    private(set) var problems: [TemplateError.Problem] = []
    /// Every path that was named.
    private(set) var paths: Set<Placeholder.Path> = []

    init(column: TemplateError.Column) { self.column = column }

    mutating func report(_ reason: TemplateError.Reason, at path: String) {
        problems.append(TemplateError.Problem(column: column, path: path, reason: reason))
    }

    /// The node of an object; anything else is a problem.
    mutating func compileObject(_ json: JSON) -> TemplateNode {
        guard case .object = json else {
            report(.notAnObject, at: "")
            return .object([:])
        }
        return compile(json, at: "")
    }

    private mutating func compile(_ json: JSON, at path: String) -> TemplateNode {
        switch json {
        case .string(let string):
            let text = compileText(string, at: path)
            guard case .placeholder(let placeholder) = text.pieces.first, text.pieces.count == 1 else {
                return .text(text)
            }
            return .value(placeholder)
        case .array(let elements):
            return .array(elements.enumerated().map { compile($0.element, at: "\(path)[\($0.offset)]") })
        case .object(let members):
            var nodes: [String: TemplateNode] = [:]
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                if key.contains("{{") { report(.placeholderNotAllowed, at: "\(path).\(key)") }
                nodes[key] = compile(value, at: "\(path).\(key)")
            }
            return .object(nodes)
        case .null, .bool, .int, .double: return .literal(json)
        }
    }

    /// Splits a string at its placeholders.
    mutating func compileText(_ string: String, at path: String) -> TemplateText {
        var pieces: [TemplateText.Piece] = []
        var rest = string[...]
        // Literal search: a combining mark after the braces must not hide them.
        while let open = rest.range(of: "{{", options: .literal) {
            if open.lowerBound > rest.startIndex { pieces.append(.literal(String(rest[..<open.lowerBound]))) }
            guard let close = rest.range(of: "}}", options: .literal, range: open.upperBound..<rest.endIndex) else {
                report(.unclosedPlaceholder, at: path)
                return TemplateText(pieces: pieces)
            }
            if let placeholder = placeholder(rest[open.upperBound..<close.lowerBound], at: path) {
                pieces.append(.placeholder(placeholder))
            }
            rest = rest[close.upperBound...]
        }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(.literal(String(rest))) }
        return TemplateText(pieces: pieces)
    }

    private mutating func placeholder(_ inside: Substring, at place: String) -> Placeholder? {
        let parts = inside.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard let path = Placeholder.Path(parts[0]) else {
            report(.unknownPath(parts[0]), at: place)
            return nil
        }
        paths.insert(path)
        if column == .attributes, !path.isStatic {
            report(.mayChange(parts[0]), at: place)
            return nil
        }
        guard path.isDate else {
            if parts.count > 1 { report(.formatWithoutDate(parts[0]), at: place) }
            return Placeholder(path: path, format: nil)
        }
        guard parts.count > 1 else {
            report(.dateWithoutFormat(parts[0]), at: place)
            return nil
        }
        guard let format = Placeholder.DateFormat(rawValue: parts[1]) else {
            report(.unknownDateFormat(parts[1]), at: place)
            return nil
        }
        return Placeholder(path: path, format: format)
    }
}
