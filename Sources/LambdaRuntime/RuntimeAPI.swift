import Foundation
import HTTPClient
import LiveActivity

/// The HTTP API through which AWS Lambda gives a custom runtime its work, one invocation at a time.
///
/// See "Using the Lambda runtime API for custom runtimes" in the AWS Lambda Developer Guide, version 2018-06-01.
public struct RuntimeAPI: Sendable {
    private let base: String

    /// The API at a host and port, as `AWS_LAMBDA_RUNTIME_API` gives them.
    public init(host: String) {
        base = "http://\(host)/2018-06-01/runtime"
    }

    /// Waits for the next invocation, for as long as none comes: Lambda freezes the process meanwhile.
    ///
    /// - Throws: ``RuntimeAPIError``.
    public func next() async throws(RuntimeAPIError) -> Invocation {
        let url = base + "/invocation/next"
        let answer = try await answer(to: call(url))
        guard answer.status == 200 else { throw .refused(url: url, status: answer.status) }
        let (idName, deadlineName) = ("Lambda-Runtime-Aws-Request-Id", "Lambda-Runtime-Deadline-Ms")
        guard let id = answer.header(idName), !id.isEmpty, id.allSatisfy(Self.isPlain) else {
            throw .malformed(url: url, header: idName)
        }
        guard let deadline = answer.header(deadlineName).flatMap(Double.init), deadline.isFinite else {
            throw .malformed(url: url, header: deadlineName)
        }
        return Invocation(id: id, deadline: Date(timeIntervalSince1970: deadline / 1000), event: answer.body)
    }

    /// Hands in an invocation's JSON.
    ///
    /// - Returns: Whether Lambda took it; it does not once the deadline has passed.
    /// - Throws: ``RuntimeAPIError``, where no answer came.
    public func respond(to invocation: Invocation, with json: [UInt8]) async throws(RuntimeAPIError) -> Bool {
        try await post(base + "/invocation/\(invocation.id)/response", json)
    }

    /// Reports that an invocation failed; the next one may follow.
    ///
    /// - Returns: Whether Lambda took it; it does not once the deadline has passed.
    /// - Throws: ``RuntimeAPIError``, where no answer came.
    public func report(_ failure: InvocationFailure, of invocation: Invocation) async throws(RuntimeAPIError) -> Bool {
        try await post(base + "/invocation/\(invocation.id)/error", failure)
    }

    /// Reports that the process cannot start work; it must end after this.
    ///
    /// - Returns: Whether Lambda took it.
    /// - Throws: ``RuntimeAPIError``, where no answer came.
    public func reportInit(_ failure: InvocationFailure) async throws(RuntimeAPIError) -> Bool {
        try await post(base + "/init/error", failure)
    }

    private func post(_ url: String, _ failure: InvocationFailure) async throws(RuntimeAPIError) -> Bool {
        let body: JSON = ["errorType": .string(failure.type), "errorMessage": .string(failure.message)]
        return try await post(url, body.bytes, ["Lambda-Runtime-Function-Error-Type: Cuecard.\(failure.type)"])
    }

    private func post(_ url: String, _ body: [UInt8], _ headers: [String] = []) async throws(RuntimeAPIError) -> Bool {
        var call = call(url)
        call.body = body
        call.headers = headers
        call.deadline = .seconds(10)
        return try await answer(to: call).status == 202
    }

    /// The API is on this machine, whatever proxy the others go through; an event may have 6 MB.
    private func call(_ url: String) -> HTTPCall {
        var call = HTTPCall(url: url)
        call.bypassesProxy = true
        call.longestAnswer = 8 << 20
        return call
    }

    private func answer(to call: HTTPCall) async throws(RuntimeAPIError) -> HTTPCall.Answer {
        switch await call.send() {
        case .success(let answer): return answer
        case .failure(let failure): throw .unreachable(url: call.url, detail: failure.reason)
        }
    }

    /// An id becomes part of a path.
    private static func isPlain(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "-")
    }
}
