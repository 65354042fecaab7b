import COpenSSL
import Synchronization

/// What every connection's TLS shares: versions, trusted roots, checks that no setting turns off.
///
/// `@unchecked Sendable`: `hasRoots` guards what changes after the init, and OpenSSL counts references to the context
/// atomically.
final class TLSContext: @unchecked Sendable {
    private let context: OpaquePointer
    /// Reading the system's roots takes longer than a whole tick with nothing to send.
    private let hasRoots = Mutex(false)

    /// Sets TLS up.
    ///
    /// - Parameter caFile: PEM roots to trust beside the system's.
    /// - Throws: ``APNsError/setting(_:)`` where the file cannot be read.
    init(caFile: String?) throws(APNsError) {
        ERR_clear_error()
        guard let context = SSL_CTX_new(TLS_client_method()) else {
            throw .setting("OpenSSL cannot be set up: \(Self.lastError())")
        }
        if let problem = Self.problem(settingUp: context, caFile: caFile) {
            SSL_CTX_free(context)
            throw .setting(problem)
        }
        self.context = context
    }

    /// The context with the system's roots, for a connection; nil where OpenSSL has no memory for them.
    func trusting() -> OpaquePointer? {
        hasRoots.withLock { hasRoots in
            if !hasRoots { hasRoots = SSL_CTX_set_default_verify_paths(context) == 1 }
            return hasRoots ? context : nil
        }
    }

    private static func problem(settingUp context: OpaquePointer, caFile: String?) -> String? {
        cuecard_ssl_ctx_set_nonblocking_modes(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        // A server that closes without a TLS alert has closed; HTTP/2 itself tells whether an answer was whole.
        SSL_CTX_set_options(context, cuecard_ssl_op_ignore_unexpected_eof())
        let protocols: [UInt8] = [2] + Array("h2".utf8)
        guard cuecard_ssl_ctx_require_tls12(context) == 1,
            SSL_CTX_set_alpn_protos(context, protocols, UInt32(protocols.count)) == 0
        else { return "OpenSSL cannot be set up: \(lastError())" }
        guard let caFile, SSL_CTX_load_verify_locations(context, caFile, nil) != 1 else { return nil }
        return "the CA file \(caFile) cannot be read as PEM certificates: \(lastError())"
    }

    deinit { SSL_CTX_free(context) }

    /// OpenSSL's newest error on this thread in words; empties its queue.
    static func lastError() -> String {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard let text = ERR_reason_error_string(code) else { return "no reason given" }
        return String(cString: text)
    }
}
