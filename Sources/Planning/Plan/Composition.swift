public import Foundation
internal import LiveActivity

/// Plans of one batch with everything they send.
public struct Composition: Sendable {
    /// What is recorded, and sent where it has a push; in the order of the plans.
    public var intents: [Intent] = []
    /// Cards that could not be made, each with its device and why; nothing is recorded for them.
    public var faults: [(device: DeviceID, step: Step, text: String)] = []

    /// Gives every step its ids and its bytes.
    ///
    /// - Parameters:
    ///   - plans: Each with the snapshot that it was made of.
    ///   - newID: A fresh UUID with each call: ids of runs and of attempts.
    public init(_ plans: [(plan: DevicePlan, snapshot: DeviceSnapshot)], newID: () -> UUID) {
        for (plan, snapshot) in plans {
            for step in plan.steps {
                let composer = Composer(snapshot: snapshot, revision: plan.revision, step: step)
                do throws(PayloadError) {
                    if let intent = try composer.intent(newID: newID) { intents.append(intent) }
                } catch {
                    faults.append((plan.device, step, "\(error)"))
                }
            }
        }
    }
}

/// One step of one device.
private struct Composer {
    let snapshot: DeviceSnapshot
    let revision: Int64
    let step: Step

    func intent(newID: () -> UUID) throws(PayloadError) -> Intent? {
        switch step.action {
        case .start(let start): try intent(start, newID: newID)
        case .update(let update): try intent(update, id: newID())
        case .end(let end): try intent(end, id: newID())
        case .wake(let runs, let cause): wake(runs, cause, id: newID())
        case .settle(let run, _), .rekey(let run, _, _): bare(run: run)
        case .hold, .skip: nil
        }
    }

    private var device: Device { snapshot.device }

    private var template: CardTemplate? {
        guard case .success(let template) = snapshot.app?.template else { return nil }
        return template
    }

    private func bare(run: RunID?, usefulUntil: Date = .distantPast) -> Intent {
        let failures = snapshot.runs.first { $0.id == run }?.failures ?? 0
        return Intent(
            device: device.id, revision: revision, step: step, run: run, failures: failures, usefulUntil: usefulUntil)
    }

    private func intent(_ start: Start, newID: () -> UUID) throws(PayloadError) -> Intent? {
        guard let template, let token = device.startToken else { return nil }
        let run = start.run ?? RunID(newID())
        var context = start.context
        context.runID = run.uuid
        let card = template.render(context)
        var intent = bare(run: run, usefulUntil: start.closesAt)
        intent.content = card.contentState
        intent.contentKey = card.contentKey
        intent.phase = context.phase
        intent.mayTryOtherEnvironment = device.mayTryOtherEnvironment
        intent.push = push(
            .start, id: newID(), to: token, priority: 10, expires: start.expiresAt, collapseID: run.description,
            try CardPayload.start(
                template: template, context: context, timestamp: start.timestamp, staleDate: start.staleAt.unix,
                inputPushToken: device.takesInputPushToken))
        return intent
    }

    private func intent(_ update: Update, id: UUID) throws(PayloadError) -> Intent? {
        guard let template else { return nil }
        var intent = bare(run: update.run, usefulUntil: update.closesAt)
        intent.content = update.card.contentState
        intent.contentKey = update.card.contentKey
        intent.phase = update.context.phase
        intent.push = push(
            .update, id: id, to: update.token, priority: update.isUrgent ? 10 : 5, expires: update.staleAt,
            try CardPayload.update(
                template: template, context: update.context, timestamp: update.timestamp,
                staleDate: update.staleAt.unix))
        return intent
    }

    private func intent(_ end: End, id: UUID) throws(PayloadError) -> Intent {
        var intent = bare(run: end.run, usefulUntil: end.expiresAt)
        intent.push = push(
            .end, id: id, to: end.token, priority: 10, expires: end.expiresAt,
            try CardPayload.end(
                contentState: end.content, timestamp: end.timestamp,
                dismissalDate: min(end.dismissAt.unix, end.timestamp + CardPayload.longestDismissal)))
        return intent
    }

    /// Through APNs where the app has a device token, through Expo where that is all there is.
    private func wake(_ runs: [RunID], _ cause: WakeCause, id: UUID) -> Intent {
        var intent = bare(run: nil)
        let reason: CardPayload.WakeReason = cause == .takeDown ? .end : .update
        if let token = device.wakeToken {
            // Not stored: it must not displace a start that waits for an offline phone.
            intent.push = push(
                .wake, id: id, to: token, priority: 5, expires: nil,
                CardPayload.wake(reason: reason, runIDs: runs.map(\.uuid)))
        } else if let token = device.expoToken {
            let runs = runs.prefix(64).map(\.description).joined(separator: ",")
            intent.expoWake = ExpoWake(id: id, token: token, data: ["reason": reason.rawValue, "runs": runs])
        }
        return intent
    }

    private func push(
        _ event: Push.Event, id: UUID, to token: PushToken, priority: Int, expires: Date?, collapseID: String? = nil,
        _ payload: [UInt8]
    ) -> Push {
        Push(
            id: id, event: event, environment: event == .start ? device.startEnvironment : device.environment,
            bundleID: device.bundleID, token: token,
            priority: priority, expiration: expires?.unix ?? 0, collapseID: collapseID, payload: payload)
    }
}

extension Date {
    /// Whole Unix seconds, rounded up: what expires or goes stale does not do so early.
    var unix: Int64 { Int64(timeIntervalSince1970.rounded(.up)) }
}
