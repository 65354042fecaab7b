import Foundation
import HTTPClient
import LiveActivity

/// Expo's push service, for wakes of devices that have only an Expo token.
///
/// Source: "Send notifications with the Expo Push Service" (docs.expo.dev).
public struct ExpoPushClient: Sendable {
    /// Where Expo listens; `…/send` and `…/getReceipts` lie below it.
    public static let defaultURL = "https://exp.host/--/api/v2/push"
    /// The most messages in one request; they must be of one project.
    public static let batchSize = 100
    /// The most receipts in one request.
    public static let receiptBatchSize = 1000
    /// Connections at once, as Expo asks.
    public static let connections = 6

    private let base: String
    private let accessToken: String?
    private let deadline: Duration
    private let rootsFile: String?

    /// A client; it connects when there is something to send.
    ///
    /// - Parameters:
    ///   - url: The service's base, or the address of its `send`.
    ///   - accessToken: Needed where the project has Expo's enhanced security; nil sends none.
    ///   - deadline: For one request from dialling to the end of its answer.
    ///   - rootsFile: A PEM file of the roots to trust; nil: the system's.
    public init(
        url: String = defaultURL, accessToken: String? = nil, deadline: Duration = .seconds(10),
        rootsFile: String? = nil
    ) {
        var base = url[...]
        if base.hasSuffix("/send") { base = base.dropLast(5) }
        while base.hasSuffix("/") { base = base.dropLast() }
        self.base = String(base)
        self.accessToken = accessToken
        self.deadline = deadline
        self.rootsFile = rootsFile
    }

    /// Sends each message once and gives the outcomes in the same order.
    ///
    /// Nothing is sent again, save the messages of one's own project when a foreign token made Expo refuse them all.
    public func send(_ messages: [ExpoMessage]) async -> [ExpoOutcome] {
        let batches = stride(from: 0, to: messages.count, by: Self.batchSize).map {
            Array(messages[$0..<min($0 + Self.batchSize, messages.count)])
        }
        return await withTaskGroup(of: (Int, [ExpoOutcome]).self) { group in
            var outcomes = [[ExpoOutcome]](repeating: [], count: batches.count)
            for (index, batch) in batches.enumerated() {
                if index >= Self.connections, let (done, result) = await group.next() { outcomes[done] = result }
                group.addTask { (index, await sendBatch(batch, maySplit: true)) }
            }
            for await (done, result) in group { outcomes[done] = result }
            return outcomes.flatMap(\.self)
        }
    }

    /// Looks up what became of accepted messages; sensible once, between 15 and 60 minutes after.
    public func receipts(_ ids: [String]) async -> ExpoReceipts {
        var receipts = ExpoReceipts()
        for start in stride(from: 0, to: ids.count, by: Self.receiptBatchSize) {
            let batch = Array(ids[start..<min(start + Self.receiptBatchSize, ids.count)])
            switch await call("getReceipts", ["ids": batch], [String: ExpoTicket].self) {
            case .success(let tickets):
                receipts.known.merge(tickets.mapValues { $0.rejection.map { .rejected($0) } ?? .accepted }) { $1 }
            case .failure(let failure):
                receipts.problems.append(failure.reason)
            }
        }
        return receipts
    }

    private func sendBatch(_ batch: [ExpoMessage], maySplit: Bool) async -> [ExpoOutcome] {
        switch await call("send", batch, [ExpoTicket].self) {
        case .success(let tickets):
            // The tickets name no token: only their position tells whose they are.
            guard tickets.count == batch.count else {
                return batch.map { _ in .failed(.unknown("Expo gave \(tickets.count) tickets for \(batch.count)")) }
            }
            return tickets.map { ticket in
                if let rejection = ticket.rejection { return .rejected(rejection) }
                return ticket.id.map { .accepted(receipt: $0) } ?? .failed(.unknown("a ticket without an id"))
            }
        case .failure(.unsent(let failure)):
            return batch.map { _ in .failed(failure) }
        case .failure(.refused(let rejection, let projects)):
            guard maySplit, projects.count > 1 else { return batch.map { _ in .rejected(rejection) } }
            return await sendOwn(batch, projects: projects, rejection)
        case .failure(.unreadable):
            return batch.map { _ in .failed(.unknown(CallFailure.unreadable.reason)) }
        }
    }

    /// Sends again without the tokens of other projects, once; the largest group is taken for ours.
    private func sendOwn(
        _ batch: [ExpoMessage], projects: [String: [String]], _ rejection: ExpoRejection
    ) async -> [ExpoOutcome] {
        let own = projects.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key
        let foreign = Set(projects.filter { $0.key != own }.flatMap(\.value))
        let kept = batch.filter { !foreign.contains($0.token) }
        var sent = (kept.isEmpty ? [] : await sendBatch(kept, maySplit: false))[...]
        return batch.map { foreign.contains($0.token) ? .rejected(rejection) : sent.removeFirst() }
    }

    private func call<Content: Decodable & Sendable>(
        _ name: String, _ body: some Encodable, _ content: Content.Type
    ) async -> Result<Content, CallFailure> {
        let bytes: [UInt8]
        do {
            bytes = Array(try JSONEncoder().encode(body))
        } catch {
            return .failure(.unsent(.notProcessed("a message cannot be written as JSON")))
        }
        var headers = ["Accept: application/json"]
        if let accessToken { headers.append("Authorization: Bearer \(accessToken)") }
        var call = HTTPCall(url: "\(base)/\(name)")
        call.headers = headers
        call.body = bytes
        call.connectDeadline = deadline / 2
        call.deadline = deadline
        call.rootsFile = rootsFile
        switch await call.send() {
        case .failure(let failure):
            return .failure(.unsent(failure.isUnsent ? .notProcessed(failure.reason) : .unknown(failure.reason)))
        case .success(let answer): return answer.content(content)
        }
    }
}
