import Foundation

// Writes one Swift file that holds every SQL file as a raw string: sqlgen OUTPUT ROOT FILE...
// The name of each entry is its path below ROOT, which is what `migrate` orders them by.

let arguments = CommandLine.arguments
guard arguments.count > 3 else {
    FileHandle.standardError.write(Data("usage: sqlgen OUTPUT ROOT FILE...\n".utf8))
    exit(64)
}
let root = arguments[2] + "/"
var source = "enum EmbeddedSQL {\n    static let files: [(name: String, text: String)] = [\n"
for path in arguments[3...].sorted() {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let name = path.hasPrefix(root) ? String(path.dropFirst(root.count)) : path
    source += "        (\"\(name)\", ####\"\"\"\n\(text)\n\"\"\"####),\n"
}
source += "    ]\n}\n"
try source.write(toFile: arguments[1], atomically: true, encoding: .utf8)
