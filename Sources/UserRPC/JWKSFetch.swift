public import Foundation
internal import HTTPClient

/// One GET of a key set.
public struct JWKSFetch: Sendable {
    private let call: HTTPCall

    /// A fetch from an `https` URL, or `http` where it is this machine's own.
    ///
    /// - Parameters:
    ///   - url: Where the set is.
    ///   - rootsFile: A PEM file of the roots to trust; nil: the system's.
    public init(url: URL, rootsFile: String? = nil) {
        var call = HTTPCall(url: url.absoluteString)
        call.deadline = .seconds(10)
        call.longestAnswer = 256 * 1024
        call.rootsFile = rootsFile
        self.call = call
    }

    /// Within 10 seconds.
    public func run() async -> Result<KeySet, KeySet.Problem> {
        switch await call.send() {
        case .failure(let failure):
            return .failure(KeySet.Problem(description: failure.reason))
        case .success(let answer):
            guard answer.status == 200 else {
                return .failure(KeySet.Problem(description: "the answer is HTTP \(answer.status)"))
            }
            do throws(KeySet.Problem) {
                return .success(try KeySet(json: Data(answer.body), takesSecrets: false))
            } catch {
                return .failure(error)
            }
        }
    }
}
