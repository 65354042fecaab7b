public import Foundation
internal import LiveActivity
internal import Planning

/// One pass over everything due at `now`, batch by batch, until nothing is due or the budget is spent.
///
/// Postgres is the only coordinator: any number of these may run at once, and any of them may be killed at any line.
/// The order of the lines is what makes that safe.
///
/// - Throws: What the store throws; what was recorded stands, and the next tick goes on from there.
public func tick(at now: Date, with clients: TickClients, settings: TickSettings = TickSettings()) async throws
    -> TickReport
{
    let pass = clients.newID()
    var report = TickReport(now: now)
    let opening = try await clients.begin(pass, now)
    report.unserved = opening.unserved
    var massInvalidation = MassInvalidation()
    if !opening.receipts.isEmpty { report.add(faults: try await clients.checkReceipts(opening.receipts)) }

    while true {
        // A change committed before the claim is seen by this pass; one committed later leaves its devices due.
        let isFannedOut = try await fanOut(with: clients, within: settings.budget)
        let claims = try await clients.claim(pass, now, settings.batch)
        if claims.isEmpty {
            report.isWorkLeft = !isFannedOut
            break
        }
        let snapshots = try await clients.load(claims, now)

        let plans = snapshots.map { decide($0, at: now) }
        let composition = Composition(Array(zip(plans, snapshots)), newID: clients.newID)

        // The intent is committed before anything is sent: a kill leaves it behind, and nothing is sent twice.
        let cleared = try await clients.recordIntent(pass, now, composition.intents)
        var outcomes = await send(
            composition.intents.filter { $0.attempt.map(cleared.contains) ?? false }, at: now, with: clients)
        report.add(sparedTokens: massInvalidation.spareTokens(in: &outcomes, at: now))
        if !outcomes.isEmpty { report.add(suspects: try await clients.recordOutcomes(now, outcomes)) }
        try await clients.reschedule(pass, plans)

        report.add(claims: claims.count, plans: plans, composition: composition, outcomes: outcomes)
        if clients.elapsed() >= settings.budget || Task.isCancelled {
            let isMoreDue = try await !clients.peek(now, nil, 1).isEmpty
            report.isWorkLeft = isMoreDue || !isFannedOut
            break
        }
    }
    report.duration = clients.elapsed()
    try await clients.finish(pass, report)
    return report
}

/// What a tick would do; nothing is written and nothing is sent.
public func dryRun(at now: Date, with clients: TickClients, settings: TickSettings = TickSettings()) async throws
    -> TickReport
{
    var report = TickReport(now: now)
    report.unserved = try await clients.unserved(now)
    var last: DeviceID?
    while true {
        let claims = try await clients.peek(now, last, settings.batch)
        if claims.isEmpty { break }
        let snapshots = try await clients.load(claims, now)
        let plans = snapshots.map { decide($0, at: now) }
        let composition = Composition(Array(zip(plans, snapshots)), newID: clients.newID)
        report.add(claims: claims.count, plans: plans, composition: composition, outcomes: nil)
        last = claims.last?.device
    }
    report.duration = clients.elapsed()
    return report
}

/// Hands the queued changes to their devices; false where the time was up before the last one.
private func fanOut(with clients: TickClients, within budget: Duration) async throws -> Bool {
    while clients.elapsed() < budget, !Task.isCancelled {
        guard try await clients.fanOut() else { return true }
    }
    return false
}

/// All at once, through APNs and Expo; each intent with its outcome.
private func send(_ intents: [Intent], at now: Date, with clients: TickClients) async -> [Outcome] {
    let viaAPNs = intents.filter { $0.push != nil }
    let viaExpo = intents.filter { $0.expoWake != nil }
    async let pushed = viaAPNs.isEmpty ? [] : clients.send(viaAPNs.compactMap(\.push))
    async let woken = viaExpo.isEmpty ? [] : clients.wakeThroughExpo(viaExpo.compactMap(\.expoWake))
    let answered = await zip(viaAPNs, pushed).map { Outcome($0, $1, at: now) }
    return await answered
        + zip(viaExpo, woken).map { wake, answer in
            var outcome = Outcome(wake, answer.outcome, at: now)
            outcome.receipt = answer.receipt
            return outcome
        }
}
