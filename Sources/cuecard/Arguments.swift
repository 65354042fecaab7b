/// A command's flags (`--json`) and options (`--now T`, or `--now=T`), checked against what it takes.
struct Arguments {
    private var flags: Set<String> = []
    private var options: [String: String] = [:]
    private var lists: [String: [String]] = [:]

    /// Reads the words after the command's name.
    ///
    /// - Throws: ``Failure`` with the exit code for usage, naming the word.
    init(_ words: [String], command: String, flags known: Set<String> = [], options takesValue: Set<String> = []) throws
    {
        var rest = words[...]
        while let word = rest.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if known.contains(word) {
                flags.insert(word)
            } else if takesValue.contains(parts[0]) {
                guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
                    throw Failure(.usage, "\(command): \(parts[0]) needs a value; see `cuecard help`")
                }
                options[parts[0]] = value
                lists[parts[0], default: []].append(value)
            } else {
                throw Failure(.usage, "\(command): \"\(word)\" is not known here; see `cuecard help`")
            }
        }
    }

    /// Whether a flag was given.
    subscript(flag flag: String) -> Bool { flags.contains(flag) }
    /// The last value of an option; nil where it was not given.
    subscript(option: String) -> String? { options[option] }
    /// Every value of an option that may be repeated.
    func all(_ option: String) -> [String] { lists[option] ?? [] }
}
