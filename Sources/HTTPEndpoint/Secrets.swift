/// The secrets that open `POST /tick`: the current one and, while it rotates, the previous one.
struct Secrets: Sendable {
    private let all: [[UInt8]]

    /// - Throws: ``HTTPEndpointError/noSecret`` where none is left, or one is empty.
    init(_ secrets: [String]) throws(HTTPEndpointError) {
        guard !secrets.isEmpty, !secrets.contains("") else { throw .noSecret }
        all = secrets.map { Array($0.utf8) }
    }

    /// Whether a request brings one of them, as `Authorization: Bearer …` or as `x-cron-secret: …`.
    func open(_ head: RequestHead) -> Bool {
        var given = [head.headers["x-cron-secret"]].compactMap(\.self)
        if let authorization = head.headers["authorization"], authorization.prefix(7).lowercased() == "bearer " {
            given.append(String(authorization.dropFirst(7)))
        }
        var opened = false
        for text in given {
            // Every secret is compared, so that the time does not tell which one was nearly right.
            for secret in all where Self.equal(Array(text.utf8), secret) { opened = true }
        }
        return opened
    }

    /// Compares in a time that depends on the length of what was given alone.
    static func equal(_ given: [UInt8], _ secret: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == secret.count ? 0 : 1
        for (index, byte) in given.enumerated() { difference |= byte ^ secret[index % secret.count] }
        return difference == 0
    }
}
