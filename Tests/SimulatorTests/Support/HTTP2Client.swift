import CNghttp2
import COpenSSL
import Foundation
import Glibc
import LiveActivity
import Simulator

/// A small blocking HTTP/2 client over TLS that owes nothing to the worker's.
final class HTTP2Client {
    struct Request {
        var fields: [HeaderField]
        var body: [UInt8]
    }

    enum Outcome: Equatable {
        case answered(status: Int, fields: [HeaderField], body: String)
        case reset(code: UInt32)
        /// The connection ended, or the wait, before an answer came.
        case unanswered

        var status: Int? { if case .answered(let status, _, _) = self { status } else { nil } }
        var reason: String? {
            guard case .answered(_, _, let body) = self else { return nil }
            return (try? JSON(parsing: body))?["reason"]?.string
        }
        func field(_ name: String) -> String? {
            guard case .answered(_, let fields, _) = self else { return nil }
            return fields.first { $0.name == name }?.value
        }
    }

    struct ConnectFailure: Error, CustomStringConvertible {
        var description: String
    }

    fileprivate struct Stream {
        var fields: [HeaderField] = []
        var body: [UInt8] = []
        var request: [UInt8] = []
        var sent = 0
        var outcome: Outcome?
    }

    fileprivate var streams: [Int32: Stream] = [:]
    fileprivate(set) var goAwayStream: Int32?
    /// The newest SETTINGS_MAX_CONCURRENT_STREAMS of the server.
    fileprivate(set) var streamLimits: [UInt32] = []
    fileprivate(set) var pings = 0
    private(set) var isClosed = false
    private let descriptor: Int32
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private var session: OpaquePointer?

    /// Connects and waits for the server's SETTINGS; `offering` is the ALPN list.
    init(port: Int, authorityPEM: String, host: String = "localhost", offering: String = "h2") throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        context = SSL_CTX_new(TLS_client_method())
        ssl = SSL_new(context)
        try connect(port: port)
        try shakeHands(authorityPEM: authorityPEM, host: host, offering: offering)
        startSession()
        try pump(until: ContinuousClock.now + .seconds(5)) { !self.streamLimits.isEmpty }
        guard !streamLimits.isEmpty else { throw ConnectFailure(description: "no SETTINGS came") }
    }

    deinit {
        nghttp2_session_del(session)
        SSL_free(ssl)
        SSL_CTX_free(context)
        close(descriptor)
    }

    var remoteWindow: Int { Int(nghttp2_session_get_remote_window_size(session)) }

    /// Sends all requests at once and waits until each has an outcome, or `limit` passed.
    func send(_ requests: [Request], within limit: Duration = .seconds(5)) throws -> [Outcome] {
        let ids = requests.map(submit)
        try pump(until: ContinuousClock.now + limit) { ids.allSatisfy { self.streams[$0]?.outcome != nil } }
        return ids.map { streams[$0]?.outcome ?? .unanswered }
    }

    func send(_ request: Request, within limit: Duration = .seconds(5)) throws -> Outcome {
        try send([request], within: limit)[0]
    }

    private func submit(_ request: Request) -> Int32 {
        var provider = nghttp2_data_provider()
        provider.read_callback = { _, stream, buffer, length, flags, _, context in
            client(context).read(stream, into: buffer!, limit: length, flags: flags!)
        }
        var bytes = request.fields.flatMap { Array($0.name.utf8) + Array($0.value.utf8) }
        let id = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress!
            let pairs = request.fields.map { field in
                let pair = nghttp2_nv(
                    name: cursor, value: cursor + field.name.utf8.count, namelen: field.name.utf8.count,
                    valuelen: field.value.utf8.count, flags: 0)
                cursor += field.name.utf8.count + field.value.utf8.count
                return pair
            }
            return request.body.isEmpty
                ? nghttp2_submit_request(session, nil, pairs, pairs.count, nil, nil)
                : nghttp2_submit_request(session, nil, pairs, pairs.count, &provider, nil)
        }
        streams[id] = Stream(request: request.body)
        return id
    }

    private func read(
        _ stream: Int32, into buffer: UnsafeMutablePointer<UInt8>, limit: Int, flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard let state = streams[stream] else { return 0 }
        let part = state.request[state.sent...].prefix(limit)
        for (index, byte) in part.enumerated() { buffer[index] = byte }
        streams[stream]!.sent += part.count
        if state.sent + part.count == state.request.count { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
        return part.count
    }

    private func connect(port: Int) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = UInt16(port).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw ConnectFailure(description: "connect: \(errno)") }
        var noDelay: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    }

    private func shakeHands(authorityPEM: String, host: String, offering: String) throws {
        let pem = Array(authorityPEM.utf8)
        let bio = BIO_new_mem_buf(pem, Int32(pem.count))
        defer { BIO_free(bio) }
        let authority = PEM_read_bio_X509(bio, nil, nil, nil)
        defer { X509_free(authority) }
        X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority)
        SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
        let parameters = SSL_get0_param(ssl)
        if host.first!.isNumber {
            X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
        } else {
            X509_VERIFY_PARAM_set1_host(parameters, host, 0)
        }
        let protocols = [UInt8(offering.utf8.count)] + Array(offering.utf8)
        SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count))
        SSL_set_fd(ssl, descriptor)
        guard SSL_connect(ssl) == 1 else {
            throw ConnectFailure(description: "handshake, verification \(SSL_get_verify_result(ssl))")
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    private func startSession() {
        var callbacks: OpaquePointer?
        nghttp2_session_callbacks_new(&callbacks)
        defer { nghttp2_session_callbacks_del(callbacks) }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            let field = HeaderField(
                String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self))
            client(context).streams[frame!.pointee.hd.stream_id]?.fields.append(field)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, context in
            client(context).streams[stream]?.body += UnsafeBufferPointer(start: data, count: count)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            client(context).received(frame!.pointee)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            client(context).closed(stream, code: code)
            return 0
        }
        nghttp2_session_client_new(&session, callbacks, Unmanaged.passUnretained(self).toOpaque())
        nghttp2_submit_settings(session, 0, nil, 0)
    }

    private func received(_ frame: nghttp2_frame) {
        switch UInt32(frame.hd.type) {
        case NGHTTP2_SETTINGS.rawValue where frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
            streamLimits.append(nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
        case NGHTTP2_GOAWAY.rawValue: goAwayStream = frame.goaway.last_stream_id
        default: break
        }
    }

    private func closed(_ id: Int32, code: UInt32) {
        guard let stream = streams[id] else { return }
        let status = stream.fields.first { $0.name == ":status" }.flatMap { Int($0.value) }
        if let status, code == 0 {
            streams[id]!.outcome = .answered(
                status: status, fields: stream.fields, body: String(decoding: stream.body, as: UTF8.self))
        } else {
            streams[id]!.outcome = .reset(code: code)
        }
    }

    /// Moves bytes until the condition holds, the connection ends or time is up.
    func pump(until deadline: ContinuousClock.Instant, condition: () -> Bool) throws {
        while !condition(), !isClosed {
            flush()
            let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
            guard left > 0 else { return }
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            Glibc.poll(&poll, 1, Int32(min(left.rounded(.up), 50)))
            receive()
        }
    }

    private func flush() {
        var data: UnsafePointer<UInt8>?
        while case let count = nghttp2_session_mem_send(session, &data), count > 0 {
            var rest = Array(UnsafeBufferPointer(start: data, count: count))
            while !rest.isEmpty {
                let written = SSL_write(ssl, rest, Int32(rest.count))
                if written > 0 { rest.removeFirst(Int(written)) } else if !waits(written) { return }
            }
        }
    }

    private func receive() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            guard count > 0 else {
                isClosed = !waits(count)
                return
            }
            nghttp2_session_mem_recv(session, buffer, Int(count))
        }
    }

    private func waits(_ result: Int32) -> Bool {
        let reason = SSL_get_error(ssl, result)
        ERR_clear_error()
        return reason == SSL_ERROR_WANT_READ || reason == SSL_ERROR_WANT_WRITE
    }
}

private func client(_ context: UnsafeMutableRawPointer?) -> HTTP2Client {
    Unmanaged<HTTP2Client>.fromOpaque(context!).takeUnretainedValue()
}
