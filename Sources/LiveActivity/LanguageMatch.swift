/// Picks the language that suits a device among those that there are.
enum LanguageMatch {
    /// The tag, or the longest beginning of it; else one of the same language; else English; else the first by name.
    static func best(for locale: String?, among tags: some Collection<String>) -> String? {
        for wanted in [locale, "en"].compactMap({ $0 }) {
            if let match = match(normalized(wanted), among: tags) { return match }
        }
        return tags.min()
    }

    private static func match(_ wanted: String, among tags: some Collection<String>) -> String? {
        var subtags = wanted.split(separator: "-")
        guard let language = subtags.first else { return nil }
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-")
            if tags.contains(tag) { return tag }
            subtags.removeLast()
        }
        return tags.filter { $0.hasPrefix("\(language)-") }.min()
    }

    /// `ko_KR@calendar=dangi` and `ko-KR` are both `ko-kr`.
    static func normalized(_ tag: String) -> String {
        let plain = tag.prefix { $0 != "@" && $0 != "." }
        return String(plain.map { $0 == "_" ? "-" : $0 }).lowercased()
    }

    /// Whether a key has the form of a language tag: two or three letters, perhaps with subtags.
    static func isTag(_ key: String) -> Bool {
        let subtags = normalized(key).split(separator: "-", omittingEmptySubsequences: false)
        guard let language = subtags.first, (2...3).contains(language.count) else { return false }
        return language.allSatisfy { $0.isASCII && $0.isLetter }
            && subtags.dropFirst().allSatisfy { (1...8).contains($0.count) && $0.allSatisfy(\.isASCII) }
    }
}
