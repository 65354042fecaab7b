import Foundation

/// The private key inside what people paste into a setting.
///
/// A key goes through environment variables, secret stores and web forms: line ends arrive as `\n` in two characters,
/// as CRLF or as spaces, and some wrap the whole text in base64. The body is therefore taken apart and laid out anew.
enum PrivateKeyText {
    /// What is wrong with a pasted key, in words for the person who pasted it.
    struct Problem: Error {
        var text: String
        init(_ text: String) { self.text = text }
    }

    /// Clean PEM of the first private key in `text`.
    ///
    /// - Throws: ``Problem`` where there is none, or where it can be seen without decoding that it is of no use.
    static func pem(from text: String) throws(Problem) -> String {
        let plain = try unwrapped(text)
        for block in blocks(in: plain) {
            guard let body = block.body else {
                throw Problem("it has no END line; it seems cut off, paste the whole file")
            }
            guard block.label.hasSuffix("PRIVATE KEY") else { continue }
            if block.label.hasPrefix("ENCRYPTED") || body.contains("ENCRYPTED") {
                throw Problem("it is protected by a password; give the .p8 file as Apple gave it")
            }
            if block.label.hasPrefix("RSA") { throw Problem("it is an RSA key; APNs takes Apple's .p8 key (EC P-256)") }
            return layout(label: block.label, body: body)
        }
        throw Problem("it holds no private key; give the .p8 file that Apple's developer site made")
    }

    private static func unwrapped(_ text: String) throws(Problem) -> String {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines.union(["\u{FEFF}", "\"", "'"]))
        if trimmed.isEmpty { throw Problem("it is empty") }
        if trimmed.contains("-----BEGIN") { return trimmed }
        guard let data = Data(base64Encoded: trimmed, options: .ignoreUnknownCharacters),
            let decoded = String(data: data, encoding: .utf8), decoded.contains("-----BEGIN")
        else { throw Problem("it is neither PEM (-----BEGIN PRIVATE KEY-----) nor base64 of PEM") }
        return decoded
    }

    private static func blocks(in text: String) -> [(label: String, body: String?)] {
        text.components(separatedBy: "-----BEGIN ").dropFirst().map { part in
            guard let dashes = part.range(of: "-----") else { return (part, nil) }
            let label = String(part[..<dashes.lowerBound])
            let rest = part[dashes.upperBound...]
            return (label, rest.range(of: "-----END \(label)-----").map { String(rest[..<$0.lowerBound]) })
        }
    }

    private static func layout(label: String, body: String) -> String {
        let digits = body.replacingOccurrences(of: "\\n", with: "").replacingOccurrences(of: "\\r", with: "")
            .unicodeScalars.filter { !CharacterSet.whitespacesAndNewlines.contains($0) }.map(Character.init)
        let lines = stride(from: 0, to: digits.count, by: 64).map { String(digits[$0..<min($0 + 64, digits.count)]) }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
