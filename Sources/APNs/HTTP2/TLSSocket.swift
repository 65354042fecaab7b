import COpenSSL
import Glibc

/// A connected, non-blocking socket under TLS, as a client.
///
/// Loop thread only.
final class TLSSocket {
    /// How far a call got.
    enum Progress {
        case done(Int)
        /// The socket has to become readable or writable first.
        case blocked(forWriting: Bool)
        /// The peer closed its side in order, or without a word.
        case ended(String)
    }

    let descriptor: Int32
    private let ssl: OpaquePointer

    /// Takes over the descriptor and closes it in the end; nil, with the descriptor closed, where OpenSSL fails.
    init?(descriptor: Int32, host: String, context: TLSContext) {
        ERR_clear_error()
        guard let trusting = context.trusting(), let ssl = SSL_new(trusting) else {
            Glibc.close(descriptor)
            return nil
        }
        guard SSL_set_fd(ssl, descriptor) == 1, Self.expect(host, of: ssl) else {
            SSL_free(ssl)
            Glibc.close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.ssl = ssl
    }

    deinit {
        SSL_free(ssl)
        Glibc.close(descriptor)
    }

    /// The certificate must be this host's; an address has no server name to send (RFC 6066 section 3).
    private static func expect(_ host: String, of ssl: OpaquePointer) -> Bool {
        if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1 { return true }
        ERR_clear_error()
        return SSL_set1_host(ssl, host) == 1 && cuecard_ssl_set_server_name(ssl, host) == 1
    }

    /// Goes on with the handshake; done once TLS stands and HTTP/2 was agreed on.
    func handshake() -> Progress {
        ERR_clear_error()
        let result = SSL_connect(ssl)
        guard result == 1 else { return progress(result) }
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        let chosen = String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
        return chosen == "h2" ? .done(0) : .ended("the server did not agree on HTTP/2")
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        ERR_clear_error()  // Another connection's error would otherwise be taken for this one's.
        let count = SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
        return count > 0 ? .done(Int(count)) : progress(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Progress {
        ERR_clear_error()
        let count = SSL_write(ssl, bytes.baseAddress, Int32(bytes.count))
        return count > 0 ? .done(Int(count)) : progress(count)
    }

    /// Tells the peer, as far as the socket takes it, that nothing more will come.
    func farewell() {
        ERR_clear_error()
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func progress(_ result: Int32) -> Progress {
        let code = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .blocked(forWriting: false)
        case SSL_ERROR_WANT_WRITE: return .blocked(forWriting: true)
        case SSL_ERROR_ZERO_RETURN: return .ended("the server closed the connection")
        case SSL_ERROR_SYSCALL where code != 0: return .ended(String(cString: strerror(code)))
        case SSL_ERROR_SYSCALL: return .ended("the server closed the connection")
        default:
            let verdict = SSL_get_verify_result(ssl)
            guard verdict != Int(X509_V_OK), let text = X509_verify_cert_error_string(verdict) else {
                return .ended("TLS failed: \(TLSContext.lastError())")
            }
            return .ended("the server's certificate is not trusted: \(String(cString: text))")
        }
    }
}
