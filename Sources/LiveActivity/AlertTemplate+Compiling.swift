extension AlertTemplate {
    /// Compiles an `app.alert`; problems go to the compiler.
    init(_ json: JSON, with compiler: inout TemplateCompiler) {
        words = [:]
        guard case .object(var members) = json else {
            compiler.report(.notAnObject, at: "")
            return
        }
        if members["title"] != nil || members["body"] != nil {
            for key in members.keys.sorted() where LanguageMatch.isTag(key) && !AlertWords.keys.contains(key) {
                compiler.report(.languagesAndText, at: ".\(key)")
                members[key] = nil
            }
            words[""] = AlertWords(members, sound: "default", at: "", with: &compiler)
            return
        }
        let sound = AlertWords.sound(members.removeValue(forKey: "sound"), default: "default", at: "", with: &compiler)
        guard !members.isEmpty else {
            words = BuiltInAlert.template(sound: sound).words
            return
        }
        for (tag, value) in members.sorted(by: { $0.key < $1.key }) {
            guard LanguageMatch.isTag(tag) else {
                compiler.report(.unknownKey, at: ".\(tag)")
                continue
            }
            guard case .object(let members) = value else {
                compiler.report(.notAnObject, at: ".\(tag)")
                continue
            }
            words[LanguageMatch.normalized(tag)] = AlertWords(members, sound: sound, at: ".\(tag)", with: &compiler)
        }
    }
}

extension AlertWords {
    static let keys: Set = ["title", "body", "sound"]

    init(
        _ members: [String: JSON], sound: String?, at path: String, with compiler: inout TemplateCompiler
    ) {
        for key in members.keys.sorted() where !Self.keys.contains(key) {
            compiler.report(.unknownKey, at: "\(path).\(key)")
        }
        title = AlertText(members["title"], at: "\(path).title", with: &compiler)
        body = AlertText(members["body"], at: "\(path).body", with: &compiler)
        self.sound = Self.sound(members["sound"], default: sound, at: path, with: &compiler)
    }

    static func sound(
        _ json: JSON?, default: String?, at path: String, with compiler: inout TemplateCompiler
    ) -> String? {
        switch json {
        case nil: return `default`
        case .null: return nil
        case .string(let name) where !name.isBlank && name.lowercased() != "nil" && !name.contains("{{"): return name
        default:
            compiler.report(.invalidSound, at: "\(path).sound")
            return nil
        }
    }
}

extension AlertText {
    init(_ json: JSON?, at path: String, with compiler: inout TemplateCompiler) {
        switch json {
        case nil, .null:
            compiler.report(.emptyText, at: path)
            self = .phased([:])
        case .string(let string):
            if string.isBlank { compiler.report(.emptyText, at: path) }
            self = .text(compiler.compileText(string, at: path))
        case .object(let members) where members["loc-key"] != nil:
            self.init(localized: members, at: path, with: &compiler)
        case .object(let members) where members[Phase.upcoming.rawValue] != nil:
            self.init(phases: members, at: path, with: &compiler)
        default:
            compiler.report(.notText, at: path)
            self = .phased([:])
        }
    }

    private init(localized members: [String: JSON], at path: String, with compiler: inout TemplateCompiler) {
        guard case .string(let key) = members["loc-key"], case .array(let values) = members["loc-args"] ?? [],
            members.keys.allSatisfy({ ["loc-key", "loc-args"].contains($0) })
        else {
            compiler.report(.notText, at: path)
            self = .phased([:])
            return
        }
        if key.isBlank { compiler.report(.emptyText, at: "\(path).loc-key") }
        var arguments: [TemplateText] = []
        for (index, value) in values.enumerated() {
            guard case .string(let string) = value else {
                compiler.report(.notText, at: "\(path).loc-args[\(index)]")
                continue
            }
            arguments.append(compiler.compileText(string, at: "\(path).loc-args[\(index)]"))
        }
        self = .localized(key: key, arguments: arguments)
    }

    private init(phases members: [String: JSON], at path: String, with compiler: inout TemplateCompiler) {
        var texts: [Phase: AlertText] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let phase = Phase(rawValue: key) else {
                compiler.report(.notText, at: "\(path).\(key)")
                continue
            }
            texts[phase] = AlertText(value, at: "\(path).\(key)", with: &compiler)
        }
        self = .phased(texts)
    }
}
