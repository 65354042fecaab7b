/// One SQL statement with its parameters, sent as text; Postgres takes their types from the statement.
///
/// Without parameters it may hold several commands.
public struct Statement: Sendable {
    /// Named in errors; it holds no values.
    public var name: String
    /// With `$1`, `$2`, … for the parameters.
    public var sql: String
    /// As Postgres reads them; nil is null.
    public var parameters: [String?]

    /// A statement by its parts.
    public init(_ name: String, _ sql: String, _ parameters: [String?] = []) {
        self.name = name
        self.sql = sql
        self.parameters = parameters
    }
}

/// The rows of an answer, each column as text or nil.
public typealias Rows = [[String?]]
