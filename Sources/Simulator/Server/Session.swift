internal import CNghttp2
internal import Foundation
internal import LiveActivity

/// One HTTP/2 server session over bytes: frames in, whole requests out, answers and faults back into frames.
///
/// It knows no socket. ``Connection`` moves the bytes.
final class Session {
    /// A request that is still coming in, or an answer that is still going out.
    struct Stream {
        var headers: [HeaderField] = []
        var body: [UInt8] = []
        var answer: [UInt8] = []
        var sent = 0
    }

    /// A stream's body is cut here; APNs would have answered 413 long before.
    static let bodyLimit = 1 << 20

    var streams: [Int32: Stream] = [:]
    /// Called with each whole request, in the order in which they were completed.
    var onRequest: ((_ stream: Int32, _ headers: [HeaderField], _ body: [UInt8], _ isAfterGoAway: Bool) -> Void)?
    private(set) var pointer: OpaquePointer?
    private(set) var lastStream: Int32 = 0
    private var goAwayStream: Int32?
    private let traits: ConnectionTraits
    private var isLimitRaised = false

    init(traits: ConnectionTraits) throws(SimulatorError) {
        self.traits = traits
        guard let callbacks = Self.makeCallbacks() else { throw .cryptography("make an HTTP/2 session") }
        defer { nghttp2_session_callbacks_del(callbacks) }
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard nghttp2_session_server_new(&pointer, callbacks, context) == 0 else {
            throw .cryptography("make an HTTP/2 session")
        }
        submitSettings(limit: traits.firstStreamLimit ?? traits.streamLimit)
        if !traits.hasNarrowWindow { nghttp2_session_set_local_window_size(pointer, 0, 0, 16 << 20) }
    }

    deinit { nghttp2_session_del(pointer) }

    /// Neither side has anything left to say.
    var isOver: Bool { nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0 }

    /// Feeds received bytes; false means that the peer broke the protocol beyond repair.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        nghttp2_session_mem_recv(pointer, bytes.baseAddress, bytes.count) >= 0
    }

    /// Appends frames that wait to be sent until `output` holds `limit` bytes; false on a fatal error.
    func gather(into output: inout [UInt8], limit: Int) -> Bool {
        while output.count < limit {
            var data: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(pointer, &data)
            guard count >= 0 else { return false }
            guard count > 0, let data else { return true }
            output.append(contentsOf: UnsafeBufferPointer(start: data, count: count))
        }
        return true
    }

    func respond(_ response: HTTPResponse, on stream: Int32) {
        guard streams[stream] != nil else { return }
        streams[stream]?.answer = response.body
        let headers = [HeaderField(":status", String(response.status))] + response.headers
        var provider = nghttp2_data_provider()
        provider.read_callback = readAnswer
        withNameValues(headers) { pairs in
            if response.body.isEmpty {
                nghttp2_submit_response(pointer, stream, pairs.baseAddress, pairs.count, nil)
            } else {
                nghttp2_submit_response(pointer, stream, pairs.baseAddress, pairs.count, &provider)
            }
        }
    }

    func reset(_ stream: Int32, code: UInt32) {
        nghttp2_submit_rst_stream(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code)
    }

    /// Says that streams above the last processed one will not be processed; the open ones below go on.
    ///
    /// Without `including`, the stream itself was not processed; streams above it that were raise the limit.
    func goAway(at stream: Int32, including: Bool, processedUpTo processed: Int32) {
        let last = including ? max(stream, processed) : processed
        goAwayStream = last
        nghttp2_submit_goaway(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, NGHTTP2_NO_ERROR.rawValue, nil, 0)
    }

    func raiseStreamLimit() {
        guard traits.firstStreamLimit != nil, !isLimitRaised else { return }
        isLimitRaised = true
        submitSettings(limit: traits.streamLimit)
    }

    private func submitSettings(limit: Int) {
        let settings = [
            nghttp2_settings_entry(
                settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: UInt32(clamping: limit))
        ]
        nghttp2_submit_settings(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count)
    }

    fileprivate func began(_ stream: Int32) {
        streams[stream] = Stream()
        lastStream = max(lastStream, stream)
    }

    fileprivate func add(_ header: HeaderField, to stream: Int32) { streams[stream]?.headers.append(header) }

    fileprivate func add(_ bytes: UnsafeBufferPointer<UInt8>, to stream: Int32) {
        let room = Self.bodyLimit - (streams[stream]?.body.count ?? 0)
        streams[stream]?.body.append(contentsOf: bytes.prefix(max(0, room)))
    }

    fileprivate func completed(_ stream: Int32) {
        guard let request = streams[stream] else { return }
        streams[stream] = Stream()
        onRequest?(stream, request.headers, request.body, goAwayStream.map { stream > $0 } ?? false)
    }

    fileprivate func closed(_ stream: Int32) { streams[stream] = nil }

    /// Copies the next part of an answer's body; the flag says whether it was the last.
    fileprivate func read(_ stream: Int32, into buffer: UnsafeMutablePointer<UInt8>, limit: Int) -> (Int, isLast: Bool)
    {
        guard let state = streams[stream] else { return (0, true) }
        let count = min(limit, state.answer.count - state.sent)
        state.answer.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { buffer.update(from: base + state.sent, count: count) }
        }
        streams[stream]?.sent += count
        return (count, state.sent + count == state.answer.count)
    }

    private static func makeCallbacks() -> OpaquePointer? {
        var callbacks: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
            if let frame { session(context)?.began(frame.pointee.hd.stream_id) }
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _, frame, name, nameLength, value, valueLength, _, context in
            guard let frame, let name, let value else { return 0 }
            let field = HeaderField(
                String(decoding: UnsafeBufferPointer(start: name, count: nameLength), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(start: value, count: valueLength), as: UTF8.self))
            session(context)?.add(field, to: frame.pointee.hd.stream_id)
            return 0
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, data, count, context in
            session(context)?.add(UnsafeBufferPointer(start: data, count: count), to: stream)
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
            guard let header = frame?.pointee.hd else { return 0 }
            let carriesRequest =
                UInt32(header.type) == NGHTTP2_HEADERS.rawValue || UInt32(header.type) == NGHTTP2_DATA.rawValue
            if carriesRequest, UInt32(header.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
                session(context)?.completed(header.stream_id)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, context in
            session(context)?.closed(stream)
            return 0
        }
        return callbacks
    }
}

/// The session behind a callback's context pointer; it outlives every callback, for it owns the nghttp2 session.
private func session(_ context: UnsafeMutableRawPointer?) -> Session? {
    context.map { Unmanaged<Session>.fromOpaque($0).takeUnretainedValue() }
}

private func readAnswer(
    _ pointer: OpaquePointer?, _ stream: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ length: Int,
    _ flags: UnsafeMutablePointer<UInt32>?, _ source: UnsafeMutablePointer<nghttp2_data_source>?,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let session = session(context) else { return 0 }
    let (count, isLast) = session.read(stream, into: buffer, limit: length)
    if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
}

/// Lends the fields as nghttp2's pairs for the length of one call; nghttp2 copies them.
private func withNameValues(_ fields: [HeaderField], _ body: (UnsafeBufferPointer<nghttp2_nv>) -> Void) {
    var bytes: [UInt8] = []
    for field in fields {
        bytes += field.name.utf8
        bytes += field.value.utf8
    }
    bytes.withUnsafeMutableBufferPointer { buffer in
        guard var cursor = buffer.baseAddress else { return }
        let pairs = fields.map { field in
            let (nameLength, valueLength) = (field.name.utf8.count, field.value.utf8.count)
            defer { cursor += nameLength + valueLength }
            return nghttp2_nv(
                name: cursor, value: cursor + nameLength, namelen: nameLength, valuelen: valueLength,
                flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
        }
        pairs.withUnsafeBufferPointer(body)
    }
}
