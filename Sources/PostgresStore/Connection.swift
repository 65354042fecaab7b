internal import CLibpq
internal import Dispatch
internal import Foundation

/// One connection to Postgres, opened with the first statement and opened again after it broke.
///
/// Statements run one after another on a thread of their own, since libpq blocks. No session state is used (nothing is
/// prepared or set outside a transaction), so that it works behind a transaction-pooling proxy.
public final class Connection: @unchecked Sendable {  // `queue` guards `handle`
    private let url: String
    private let queue = DispatchQueue(label: "cuecard.postgres")
    private var handle: OpaquePointer?

    /// Seconds in which a connection must stand.
    public static let connectTimeoutSeconds = 5

    /// A connection to a libpq URI or connection string; nothing is opened yet.
    public init(url: String) { self.url = url }

    deinit { PQfinish(handle) }

    /// Runs one statement.
    ///
    /// - Parameters:
    ///   - timeout: After this it is cancelled.
    ///   - isRepeatable: Whether it may run twice; then a connection that broke while idle is replaced unseen.
    /// - Throws: ``PostgresError``.
    public func run(
        _ statement: Statement, timeout: Duration = .seconds(30), isRepeatable: Bool = false
    ) async throws -> Rows {
        try await onQueue { connection in
            do {
                return try connection.execute(statement, timeout)
            } catch PostgresError.unreachable where isRepeatable {
                return try connection.execute(statement, timeout)
            }
        }
    }

    /// Runs one statement after another in one transaction.
    ///
    /// - Parameters:
    ///   - timeout: Of each statement.
    ///   - body: Is given what runs a statement; whatever it throws rolls everything back.
    /// - Throws: ``PostgresError``; nothing of the transaction stands then.
    public func transaction<Value: Sendable>(
        timeout: Duration = .seconds(30), _ body: @escaping @Sendable (_ run: (Statement) throws -> Rows) throws -> Value
    ) async throws -> Value {
        try await onQueue { connection in
            _ = try connection.execute(Statement("begin", "begin"), timeout)
            do {
                let value = try body { try connection.execute($0, timeout) }
                _ = try connection.execute(Statement("commit", "commit"), timeout)
                return value
            } catch {
                connection.abandonTransaction()
                throw error
            }
        }
    }

    private func onQueue<Value: Sendable>(_ work: @escaping @Sendable (Connection) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work(self) }) }
        }
    }

    private func abandonTransaction() {
        do {
            _ = try execute(Statement("rollback", "rollback"), .seconds(5))
        } catch {
            close()  // the server rolls back when the connection goes
        }
    }

    // MARK: On the queue

    private func close() {
        PQfinish(handle)
        handle = nil
    }

    private func open() throws -> OpaquePointer {
        if let handle { return handle }
        let keywords = ["connect_timeout", "fallback_application_name", "dbname"]
        let values = ["\(Self.connectTimeoutSeconds)", "cuecard", url]
        let opened = withCStrings(keywords) { keywords in
            withCStrings(values) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard PQstatus(opened) == CONNECTION_OK else {
            let text = message(of: opened)
            PQfinish(opened)
            throw PostgresError.unreachable(text)
        }
        PQsetNoticeProcessor(opened, { _, _ in }, nil)
        handle = opened
        return try open()
    }

    private func execute(_ statement: Statement, _ timeout: Duration) throws -> Rows {
        let handle = try open()
        let sent =
            statement.parameters.isEmpty
            ? PQsendQuery(handle, statement.sql)
            : withCStrings(statement.parameters) { values in
                PQsendQueryParams(handle, statement.sql, Int32(statement.parameters.count), nil, values, nil, nil, 0)
            }
        guard sent == 1 else { throw broken(handle) }
        let deadline = ContinuousClock.now + timeout
        var outcome: Result<Rows, PostgresError> = .success([])
        while true {
            try wait(for: handle, until: deadline, statement, timeout)
            guard let result = PQgetResult(handle) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            // Of several commands in one text the last one's rows are the answer.
            case PGRES_TUPLES_OK: if case .success = outcome { outcome = .success(rows(of: result)) }
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: break
            default: outcome = .failure(.refused(refusal(of: result)))
            }
        }
        // A server that goes down says so in an error first; what counts is that the connection is gone.
        guard PQstatus(handle) == CONNECTION_OK else { throw broken(handle) }
        return try outcome.get()
    }

    private func wait(
        for handle: OpaquePointer, until deadline: ContinuousClock.Instant, _ statement: Statement, _ timeout: Duration
    ) throws {
        while PQisBusy(handle) == 1 {
            let left = (deadline - ContinuousClock.now).components
            let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
            var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            guard milliseconds > 0, poll(&descriptor, 1, Int32(clamping: milliseconds + 1)) != 0 else {
                cancel(handle)
                close()
                throw PostgresError.timedOut(statement: statement.name, after: timeout)
            }
            guard PQconsumeInput(handle) == 1 else { throw broken(handle) }
        }
    }

    private func cancel(_ handle: OpaquePointer) {
        guard let cancel = PQgetCancel(handle) else { return }
        var text = [CChar](repeating: 0, count: 256)
        PQcancel(cancel, &text, Int32(text.count))
        PQfreeCancel(cancel)
    }

    private func broken(_ handle: OpaquePointer) -> PostgresError {
        let text = message(of: handle)
        close()
        return .unreachable(text.isEmpty ? "the connection was closed" : text)
    }

    private func message(of handle: OpaquePointer?) -> String {
        guard let text = PQerrorMessage(handle) else { return "" }
        return String(cString: text).split(separator: "\n").joined(separator: "; ")
    }

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
        func field(_ code: Int32) -> String? { PQresultErrorField(result, code).map { String(cString: $0) } }
        return PostgresError.Refusal(
            code: field(Int32(UInt8(ascii: "C"))) ?? "XX000", message: field(Int32(UInt8(ascii: "M"))) ?? "no message",
            hint: field(Int32(UInt8(ascii: "H"))))
    }
}

/// C strings for the length of a call; nil stays nil, and a final nil ends the list.
private func withCStrings<Value>(
    _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
) -> Value {
    let copies: [UnsafeMutablePointer<CChar>?] = strings.map { string in string.map { strdup($0) } ?? nil }
    defer { copies.forEach { free($0) } }
    let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
