import CNghttp2
import LiveActivity

/// One attempt at a request.
///
/// It outlives its verdict: nghttp2 may still ask for the body until the stream is closed.
private final class Stream {
    let request: Request
    var answer = Answer()
    var isSettled = false
    var packed = 0
    /// Where its last byte lies in what the connection puts out; nil while nghttp2 has not packed that byte, the
    /// largest number while it has, at a place not yet known.
    var end: UInt64?

    init(_ request: Request) { self.request = request }
}

/// The HTTP/2 protocol of one connection (RFC 9113), without its socket: nghttp2, and what became of each request.
///
/// Loop thread only.
final class HTTP2Session {
    /// What became of a request on this connection.
    enum Verdict {
        case answered(PushOutcome)
        /// Proven: refused, cancelled or lost before its last byte went out.
        case notProcessed(String)
        case unknown(String)
    }

    private var session: OpaquePointer?
    private var streams: [Int32: Stream] = [:]
    private var verdicts: [(Request, Verdict)] = []
    /// What nghttp2 gave and the caller's buffer had no room for.
    private var overflow: [UInt8] = []
    private var produced: UInt64 = 0
    /// Bytes of bodies that are submitted and not yet packed into frames.
    private var unpacked = 0
    /// The server's first SETTINGS are here; before that APNs refuses requests.
    private(set) var isReady = false
    /// The server wants no more requests; with its reason.
    private(set) var goAway: String?

    /// Requests without a verdict.
    private(set) var openRequests = 0

    /// Nil where nghttp2 has no memory.
    init?() {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else { return nil }
        defer { nghttp2_session_callbacks_del(callbacks) }
        Self.register(callbacks)
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_client_new(&session, callbacks, context) == 0 else { return nil }
        var noPush = nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
        guard nghttp2_submit_settings(session, 0, &noPush, 1) == 0 else { return nil }
    }

    deinit { nghttp2_session_del(session) }

    /// Whether a request with a body of this size can go out whole, now.
    ///
    /// The limit moves with the server's SETTINGS, the window with what it has read.
    func hasRoom(for bytes: Int) -> Bool {
        let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return streams.count < Int(limit)
            && Int(nghttp2_session_get_remote_window_size(session)) - unpacked >= bytes
    }

    /// Queues a request.
    ///
    /// Where nghttp2 refuses, it is not processed and the session takes no more.
    func submit(_ request: Request) {
        let stream = Stream(request)
        var provider = nghttp2_data_provider()
        provider.source.ptr = Unmanaged.passUnretained(stream).toOpaque()  // `streams` keeps it alive.
        provider.read_callback = { _, _, buffer, length, flags, source, context in
            guard let source = source?.pointee.ptr, let session = HTTP2Session.from(context), let buffer, let flags
            else { return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue) }
            return session.pack(Unmanaged.fromOpaque(source).takeUnretainedValue(), into: buffer, length, flags)
        }
        let number = request.head.withFields(of: request.push) { fields, count in
            nghttp2_submit_request(session, nil, fields, count, &provider, nil)
        }
        guard number > 0 else {
            verdicts.append((request, .notProcessed(Self.text(number))))
            goAway = goAway ?? "the connection takes no more requests"
            return
        }
        streams[number] = stream
        openRequests += 1
        unpacked += request.push.payload.count
    }

    private func pack(
        _ stream: Stream, into buffer: UnsafeMutablePointer<UInt8>, _ length: Int, _ flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        let payload = stream.request.push.payload
        let part = payload[stream.packed...].prefix(length)
        part.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { buffer.update(from: base, count: bytes.count) }
        }
        stream.packed += part.count
        unpacked -= part.count
        if stream.packed == payload.count {
            flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue
            stream.end = .max
        }
        return part.count
    }

    /// Takes in what the server sent; a text where it broke the protocol.
    func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
        let result = nghttp2_session_mem_recv(
            session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        return result < 0 ? Self.text(Int32(result)) : nil
    }

    /// Fills an empty buffer with what is to be sent, up to one TLS record.
    func produce(into buffer: inout [UInt8]) {
        buffer.append(contentsOf: overflow)
        overflow.removeAll()
        while true {
            var chunk: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(session, &chunk)
            guard count > 0 else { return }
            let bytes = UnsafeBufferPointer(start: chunk, count: count)
            produced += UInt64(count)
            guard buffer.count + count <= 16_384 || buffer.isEmpty else { return overflow.append(contentsOf: bytes) }
            buffer.append(contentsOf: bytes)
        }
    }

    func ping() { nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

    /// Nothing more will be sent or awaited.
    func terminate() { nghttp2_session_terminate_session(session, NGHTTP2_NO_ERROR.rawValue) }

    /// Gives up the requests whose time has run out.
    ///
    /// What is already packed can still reach the server.
    func cancel(where isLate: (Request) -> Bool) {
        for (number, stream) in streams where !stream.isSettled && isLate(stream.request) {
            nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), number, NGHTTP2_CANCEL.rawValue)
            settle(stream, stream.end == nil ? .notProcessed("its deadline passed") : .unknown("no answer in time"))
        }
    }

    /// The connection is gone, and of its output no byte from `offered` on was ever given to TLS.
    func abandon(offered: UInt64, reason: String) {
        for stream in streams.values {
            let isWritten = stream.end.map { $0 <= offered } ?? false
            settle(stream, isWritten ? .unknown(reason) : .notProcessed(reason))
        }
    }

    /// What has become of requests since the last call.
    func takeVerdicts() -> [(Request, Verdict)] {
        defer { verdicts.removeAll() }
        return verdicts
    }

    private func settle(_ stream: Stream, _ verdict: Verdict) {
        guard !stream.isSettled else { return }
        stream.isSettled = true
        openRequests -= 1
        verdicts.append((stream.request, verdict))
    }

    private static func text(_ code: Int32) -> String { String(cString: nghttp2_strerror(code)) }
}

// MARK: - What nghttp2 tells

extension HTTP2Session {
    private static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
        context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func register(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, length, _, context in
            let name = UnsafeBufferPointer(start: name, count: nameLength)
            let value = UnsafeBufferPointer(start: value, count: length)
            if let frame { HTTP2Session.from(context)?.header(frame.pointee.hd.stream_id, name, value) }
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, length, context in
            HTTP2Session.from(context)?.streams[stream]?.answer.take(UnsafeBufferPointer(start: data, count: length))
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            if let frame { HTTP2Session.from(context)?.received(frame.pointee) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, context in
            if let frame { HTTP2Session.from(context)?.sent(frame.pointee.hd) }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, code, context in
            if let frame { HTTP2Session.from(context)?.notSent(frame.pointee.hd, code) }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
            HTTP2Session.from(context)?.streamClosed(stream, code)
            return 0
        }
    }

    private func header(_ number: Int32, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        guard let stream = streams[number] else { return }
        if name.elementsEqual(":status".utf8) {
            stream.answer.status = Int(String(decoding: value, as: UTF8.self)) ?? 0
        } else if name.elementsEqual("retry-after".utf8) {
            stream.answer.retryAfter = Int(String(decoding: value, as: UTF8.self))
        }
    }

    private func received(_ frame: nghttp2_frame) {
        let isAcknowledgement = frame.hd.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(frame.hd.type) {
        case NGHTTP2_SETTINGS.rawValue where !isAcknowledgement:
            isReady = true
        case NGHTTP2_GOAWAY.rawValue:
            let bytes = UnsafeBufferPointer(start: frame.goaway.opaque_data, count: frame.goaway.opaque_data_len)
            let reason = ErrorBody(Array(bytes)).reason
            goAway = "the server sent GOAWAY" + (reason.isEmpty ? "" : " (\(reason))")
        case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
            guard frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
            // Answered, whatever becomes of the connection.
            guard let stream = streams[frame.hd.stream_id], stream.answer.status > 0 else { return }
            settle(stream, .answered(stream.answer.outcome))
        default: break
        }
    }

    /// Called when nghttp2 is asked for the next bytes, so that `produced` is where this frame ended.
    private func sent(_ frame: nghttp2_frame_hd) {
        guard frame.type == NGHTTP2_DATA.rawValue, frame.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else {
            return
        }
        streams[frame.stream_id]?.end = produced
    }

    private func notSent(_ frame: nghttp2_frame_hd, _ code: Int32) {
        guard frame.type == NGHTTP2_HEADERS.rawValue, let stream = remove(frame.stream_id) else { return }
        settle(stream, .notProcessed(goAway ?? Self.text(code)))
    }

    private func streamClosed(_ number: Int32, _ code: UInt32) {
        guard let stream = remove(number) else { return }
        if code == NGHTTP2_REFUSED_STREAM.rawValue {
            settle(stream, .notProcessed(goAway ?? "the server refused the stream"))
        } else {
            let text = "the stream was reset: \(String(cString: nghttp2_http2_strerror(code)))"
            settle(stream, stream.end == nil ? .notProcessed(text) : .unknown(text))
        }
    }

    private func remove(_ number: Int32) -> Stream? {
        guard let stream = streams.removeValue(forKey: number) else { return nil }
        unpacked -= stream.request.push.payload.count - stream.packed
        return stream
    }
}
