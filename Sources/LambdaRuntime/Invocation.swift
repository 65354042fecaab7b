public import Foundation

/// One piece of work that Lambda hands out.
public struct Invocation: Sendable, Equatable {
    /// Names the invocation in its answer and in Lambda's own log lines.
    public var id: String
    /// When Lambda stops the process, by the wall clock.
    public var deadline: Date
    /// What the caller sent; EventBridge sends a JSON object of its own.
    public var event: [UInt8]
}

/// What Lambda records of an invocation, or of a start, that failed.
public struct InvocationFailure: Sendable, Equatable {
    /// A short name that alarms may look for, such as `TickFailed`.
    public var type: String
    /// One line for people; it goes into Lambda's log and must hold no secret.
    public var message: String

    /// Both are needed.
    public init(type: String, message: String) {
        self.type = type
        self.message = message
    }
}
