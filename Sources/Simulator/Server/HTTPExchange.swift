internal import Foundation
internal import LiveActivity

/// One header field of a request or an answer; the name is lower case, as HTTP/2 has it.
public struct HeaderField: Sendable, Hashable {
    /// In lower case; pseudo-headers begin with a colon.
    public var name: String
    /// The value as it came.
    public var value: String

    /// A field from its two parts.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A whole request as it came off one stream.
struct HTTPRequest: Sendable {
    var environment: APNsEnvironment
    /// Counts the connections of one simulator from 1.
    var connection: Int
    var stream: Int32
    var headers: [HeaderField]
    var body: [UInt8]
    /// The connection was told to go away with a lower stream id: nobody may act on this request.
    var isAfterGoAway: Bool
}

/// A whole answer.
struct HTTPResponse: Sendable, Equatable {
    var status: Int
    var headers: [HeaderField]
    var body: [UInt8]
}

/// What the server does about one request.
struct Reaction: Sendable {
    enum Deed: Sendable {
        case respond(HTTPResponse)
        /// The stream stays open without an answer.
        case silence
        case reset(code: UInt32)
        /// GOAWAY, with this request as the last one processed or as one that was not; then its answer, if any.
        case goAway(including: Bool, HTTPResponse?)
        /// The socket closes at once, without GOAWAY or close notify.
        case close
    }

    var deed: Deed
    var delay: Duration = .zero
    /// The request was acted on, so that a GOAWAY must not name a lower stream.
    var isProcessed = false
    /// From now on the connection may have as many streams as its traits say.
    var raisesStreamLimit = false
}

/// How new connections behave.
public struct ConnectionTraits: Sendable, Equatable {
    /// Streams allowed at once until the first push was accepted.
    ///
    /// Apple allows one. Nil means no such phase.
    public var firstStreamLimit: Int?
    /// Streams allowed at once afterwards.
    public var streamLimit: Int
    /// Keep HTTP/2's default flow-control window of 65 535 bytes a connection instead of a wide one.
    public var hasNarrowWindow: Bool

    /// Apple's behaviour where nothing else is said.
    public init(firstStreamLimit: Int? = 1, streamLimit: Int = 1000, hasNarrowWindow: Bool = false) {
        self.firstStreamLimit = firstStreamLimit
        self.streamLimit = streamLimit
        self.hasNarrowWindow = hasNarrowWindow
    }

    /// One stream until the first authenticated request, 1000 afterwards.
    public static let apple = ConnectionTraits()
}
