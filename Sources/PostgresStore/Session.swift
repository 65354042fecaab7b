internal import CLibpq
internal import Dispatch
internal import Foundation

/// One open libpq connection; used by one thread at a time, and of no more use once it broke.
final class Session {
    private var handle: OpaquePointer?

    /// Connects.
    ///
    /// - Throws: ``PostgresError/unreachable(_:)`` or ``PostgresError/malformedURL(_:)``; the text never holds the URL, which may hold a password.
    init(url: String, connectTimeoutSeconds: Int) throws {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgresError.malformedURL("it is neither a postgresql:// URI nor libpq's key=value form")
        }
        defer { PQconninfoFree(options) }
        // libpq takes the first @ for the end of the password: what follows it would be shown as the host.
        guard !Self.values(of: options, named: ["host", "port"]).contains(where: { $0.contains("@") }) else {
            throw PostgresError.malformedURL("there is more than one @ in it")
        }
        let settings: [(String, String)] = [
            ("connect_timeout", "\(connectTimeoutSeconds)"), ("fallback_application_name", "cuecard"),
            ("client_encoding", "UTF8"), ("dbname", url),
        ]
        let opened = withCStrings(settings.map(\.0)) { keywords in
            withCStrings(settings.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
        handle = opened
        guard PQstatus(opened) == CONNECTION_OK else {
            let error = broken()
            // libpq's words for a value that no server can mend, such as a port or an sslmode.
            if case .unreachable(let text) = error, text.hasPrefix("invalid ") {
                throw PostgresError.malformedURL(text)
            }
            throw error
        }
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
        // So that no statement, however long, waits without a limit for a server that does not read.
        PQsetnonblocking(opened, 1)
    }

    deinit { PQfinish(handle) }

    /// Whether the server still holds the other end, as far as the socket knows.
    func isAlive() -> Bool {
        guard let handle, PQstatus(handle) == CONNECTION_OK else { return false }
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // A server that closes says why first, so reading goes on until nothing or the end is left.
        while poll(&descriptor, 1, 0) > 0 {
            if PQconsumeInput(handle) != 1 { return false }
        }
        return true
    }

    /// Runs a statement to its end.
    ///
    /// - Throws: ``PostgresError``; after anything but a refusal the session is closed.
    func execute(_ statement: Statement, _ timeout: Duration) throws -> Rows {
        guard let handle else { throw broken() }
        let sent =
            statement.parameters.isEmpty
            ? PQsendQuery(handle, statement.sql)
            : withCStrings(statement.parameters) { values in
                PQsendQueryParams(handle, statement.sql, Int32(statement.parameters.count), nil, values, nil, nil, 0)
            }
        guard sent == 1 else { throw broken() }
        let deadline = ContinuousClock.now + timeout
        do {
            try flush(handle, until: deadline)
            return try answer(handle, until: deadline)
        } catch is DeadlinePassed {
            cancel()
            throw PostgresError.timedOut(statement: statement.name, after: timeout)
        }
    }

    /// The payloads of what was notified, as soon as there are any; empty at the deadline.
    ///
    /// - Throws: ``PostgresError/unreachable(_:)`` where the connection broke.
    func notifications(until deadline: ContinuousClock.Instant) throws -> [String] {
        guard let handle else { throw broken() }
        var payloads: [String] = []
        while true {
            guard PQconsumeInput(handle) == 1 else { throw broken() }
            while let notification = PQnotifies(handle) {
                payloads.append(String(cString: notification.pointee.extra))
                PQfreemem(notification)
            }
            guard payloads.isEmpty else { return payloads }
            do {
                try wait(handle, for: POLLIN, until: deadline)
            } catch is DeadlinePassed {
                return []
            }
        }
    }

    /// Ends a transaction that failed; where the session is closed the server has done so.
    func rollBack() {
        guard handle != nil else { return }
        do {
            _ = try execute(Statement("rollback", "rollback"), .seconds(5))
        } catch {
            close()
        }
    }

    // MARK: Waiting

    private struct DeadlinePassed: Error {}

    private func flush(_ handle: OpaquePointer, until deadline: ContinuousClock.Instant) throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                // The server may have to get rid of an answer before it reads on.
                try wait(handle, for: POLLIN | POLLOUT, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw broken() }
            default: throw broken()
            }
        }
    }

    private func answer(_ handle: OpaquePointer, until deadline: ContinuousClock.Instant) throws -> Rows {
        var outcome: Result<Rows, PostgresError> = .success([])
        while true {
            while PQisBusy(handle) == 1 {
                try wait(handle, for: POLLIN, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw broken() }
            }
            guard let result = PQgetResult(handle) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: if case .success = outcome { outcome = .success(rows(of: result)) }
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default: outcome = .failure(.refused(refusal(of: result)))
            }
        }
        // A server that goes down says so in an error first; what counts is that the connection is gone.
        guard PQstatus(handle) == CONNECTION_OK else { throw broken() }
        return try outcome.get()
    }

    private static func values(
        of options: UnsafeMutablePointer<PQconninfoOption>, named names: Set<String>
    ) -> [String] {
        var values: [String] = []
        var option = options
        while let keyword = option.pointee.keyword {
            if names.contains(String(cString: keyword)), let value = option.pointee.val {
                values.append(String(cString: value))
            }
            option += 1
        }
        return values
    }

    private func wait(_ handle: OpaquePointer, for events: Int32, until deadline: ContinuousClock.Instant) throws {
        let milliseconds = Int((deadline - ContinuousClock.now) / .milliseconds(1))
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
        guard milliseconds > 0, poll(&descriptor, 1, Int32(clamping: milliseconds + 1)) != 0 else {
            throw DeadlinePassed()
        }
    }

    // MARK: The end

    /// Gives the session up; another thread asks the server to stop the statement, since libpq blocks there too.
    private func cancel() {
        guard let handle else { return }
        self.handle = nil
        let abandoned = Abandoned(handle: handle)
        DispatchQueue.global().async {
            if let cancel = PQgetCancel(abandoned.handle) {
                var text = [CChar](repeating: 0, count: 256)
                PQcancel(cancel, &text, Int32(text.count))
                PQfreeCancel(cancel)
            }
            PQfinish(abandoned.handle)
        }
    }

    /// A connection that nobody else holds any more.
    private struct Abandoned: @unchecked Sendable {  // no lock: it is handed over, not shared
        let handle: OpaquePointer
    }

    private func broken() -> PostgresError {
        let text = handle.flatMap { PQerrorMessage($0) }.map { String(cString: $0) } ?? ""
        close()
        let line = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
        return .unreachable(line.isEmpty ? "the connection was closed" : line)
    }

    private func close() {
        PQfinish(handle)
        handle = nil
    }

    // MARK: Answers

    private func rows(of result: OpaquePointer) -> Rows {
        let columns = PQnfields(result)
        return (0..<PQntuples(result)).map { row in
            (0..<columns).map { column in
                if PQgetisnull(result, row, column) == 1 { return nil }
                let bytes = UnsafeRawBufferPointer(
                    start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
                return String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    private func refusal(of result: OpaquePointer) -> PostgresError.Refusal {
        func field(_ code: Character) -> String? {
            code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
        }
        return PostgresError.Refusal(
            code: field("C") ?? "XX000", message: field("M") ?? "no message", hint: field("H"),
            detail: field("D"))
    }
}

/// C strings for the length of a call; nil stays nil, and a final nil ends the list.
private func withCStrings<Value>(
    _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
) -> Value {
    let copies: [UnsafeMutablePointer<CChar>?] = strings.map { string in string.map { strdup($0) } ?? nil }
    defer { for copy in copies { free(copy) } }
    let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
