internal import Foundation
internal import LiveActivity

/// What a phone does with a push, as iOS would.
extension PhoneWorld {
    /// Delivers an accepted push, or keeps it for a phone that is offline.
    mutating func deliver(
        _ push: PushRequest, to owner: TokenRegistry.Entry?, requestID: Int, at now: Date
    ) -> PushFate {
        guard let owner, let phoneID = phoneID(of: owner), let phone = phones[phoneID] else {
            return .dropped(.noPhone)
        }
        if push.kind == .start { noteStart(push, phoneID) }
        guard phone.isOnline else { return store(push, owner, requestID: requestID, on: phoneID, at: now) }
        return apply(push, owner, on: phone, at: now)
    }

    /// The phone is back, or went away; what waited for it is delivered if its time has not passed.
    mutating func setOnline(_ isOnline: Bool, phone id: String, at now: Date) {
        phones[id]?.isOnline = isOnline
        guard isOnline, let phone = phones[id] else { return }
        speak(phone.unsent, of: id, at: now)
        guard let stored = phone.stored else { return }
        phones[id]?.stored = nil
        let isExpired = stored.push.expiration.map { TimeInterval($0) < now.timeIntervalSince1970 } ?? false
        let fate =
            isExpired ? PushFate.dropped(.expired) : apply(stored.push, stored.owner, on: phone, at: now)
        lateFates.append((stored.requestID, fate))
    }

    /// What the app could not say while the phone was offline goes out first.
    private mutating func speak(_ unsent: [Word], of id: String, at now: Date) {
        phones[id]?.unsent = []
        for var word in unsent {
            word.spokenAt = now
            words.append(word)
        }
    }

    private func phoneID(of owner: TokenRegistry.Entry) -> String? {
        switch owner.owner {
        case .start(let phone, _), .wake(let phone): phone
        case .update(let activity): cards[activity]?.phoneID
        case .nobody: nil
        }
    }

    /// APNs accepts one start for a run; a second one is a failure, whatever becomes of it on the phone.
    private mutating func noteStart(_ push: PushRequest, _ phoneID: String) {
        guard let run = push.payload?["aps"]?["attributes"]?[options.cardKeys.runID]?.string else { return }
        guard !startedRuns.insert("\(phoneID) \(run)").inserted else { return }
        score.doubled += 1
        score.failures.append("a second start was accepted for run \(run) on \(phoneID)")
    }

    /// APNs keeps one push for an app on an offline phone; the newest takes the place of the one before.
    private mutating func store(
        _ push: PushRequest, _ owner: TokenRegistry.Entry, requestID: Int, on phoneID: String, at now: Date
    ) -> PushFate {
        if let expiration = push.expiration, TimeInterval(expiration) <= now.timeIntervalSince1970 {
            return .dropped(.expired)
        }
        if let displaced = phones[phoneID]?.stored { lateFates.append((displaced.requestID, .dropped(.displaced))) }
        phones[phoneID]?.stored = StoredPush(push: push, owner: owner, requestID: requestID)
        return .stored
    }

    private mutating func apply(
        _ push: PushRequest, _ owner: TokenRegistry.Entry, on phone: Phone, at now: Date
    ) -> PushFate {
        let isBroken = PayloadRules.violations(of: push).contains(where: \.isFatal)
        guard !isBroken, let aps = push.payload?["aps"] else { return .dropped(.invalidPayload) }
        let reason: DropReason? =
            switch (push.kind, owner.owner) {
            case (.start, .start(_, let type)): start(aps, type, on: phone, at: now)
            case (.update, .update(let activity)): update(aps, activity, on: phone, at: now)
            case (.end, .update(let activity)): end(aps, activity, on: phone, at: now)
            case (.wake, .wake): wake(phone, at: now)
            case (.other, .wake): nil
            default: .wrongTokenKind
            }
        return reason.map { .dropped($0) } ?? .delivered
    }

    private mutating func wake(_ phone: Phone, at now: Date) -> DropReason? {
        let recent = phone.wakes.filter { now.timeIntervalSince($0) < 3600 }
        phones[phone.id]?.wakes = recent
        guard !phone.isForceQuit, recent.count < options.limits.wakesPerHour else { return .wakeHeldBack }
        phones[phone.id]?.wakes.append(now)
        score.woken += 1
        agenda.enter(.run(phone: phone.id), at: now + 1)
        return nil
    }
}

// MARK: - Start, update, end

extension PhoneWorld {
    private mutating func start(_ aps: JSON, _ type: String, on phone: Phone, at now: Date) -> DropReason? {
        guard let name = aps["attributes-type"]?.string, let attributes = aps["attributes"],
            let state = aps["content-state"], let timestamp = aps["timestamp"]?.integer
        else { return .invalidPayload }
        if let reason = refusal(of: name, token: type, aps, on: phone, at: now) { return reason }
        let staleAt = aps["stale-date"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        let recent = phone.starts.filter { now.timeIntervalSince($0) < 3600 }
        guard recent.count < options.limits.startsPerHour else { return .startBudget }
        phones[phone.id]?.starts = recent + [now]
        if let staleAt, staleAt <= now { return .staleAtBirth }
        guard runningCards(on: phone.id).count < options.limits.runningCards else { return .tooManyCards }
        let runID = attributes[options.cardKeys.runID]?.string
        let id = phones[phone.id]?.nextSeed("activity").activityID ?? ""
        var card = Card(
            id: id, phoneID: phone.id, origin: .push(runID: runID), attributesType: name, attributes: attributes,
            startedAt: now, sentAt: timestamp, contentState: state, timestamp: timestamp, staleAt: staleAt,
            relevance: aps["relevance-score"]?.number ?? 0, runID: runID)
        card.alerts = 1
        score.started += 1
        place(card, at: now)
        return nil
    }

    /// Why the system would not start this, before it looks at its budget.
    private func refusal(
        of name: String, token type: String, _ aps: JSON, on phone: Phone, at now: Date
    ) -> DropReason? {
        let needsChannel = aps["input-push-channel"] != nil
        guard phone.allowsLiveActivities, phone.systemVersion >= (needsChannel ? 18 : 17.2) else { return .notAllowed }
        guard name == type, let shapes = phone.attributesTypes[name] else { return .wrongAttributesType }
        guard shapes.attributes?.decodes(aps["attributes"]) ?? true else { return .undecodableAttributes }
        guard shapes.contentState?.decodes(aps["content-state"]) ?? true else { return .undecodableContentState }
        return isAhead(aps, of: now) ? .futureTimestamp : nil
    }

    private mutating func update(
        _ aps: JSON, _ activity: String, on phone: Phone, at now: Date
    ) -> DropReason? {
        if let reason = objection(to: aps, activity, on: phone, at: now) { return reason }
        takeContent(of: aps, activity, at: now)
        cards[activity]?.updates += 1
        score.updated += 1
        return nil
    }

    private mutating func end(_ aps: JSON, _ activity: String, on phone: Phone, at now: Date) -> DropReason? {
        if let reason = objection(to: aps, activity, on: phone, at: now) { return reason }
        takeContent(of: aps, activity, at: now)
        let wanted = aps["dismissal-date"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        finish(activity, removal: wanted, at: now)
        score.ended += 1
        return nil
    }

    /// Why content would not be applied to a card.
    private func objection(
        to aps: JSON, _ activity: String, on phone: Phone, at now: Date
    ) -> DropReason? {
        guard let card = cards[activity], card.isRunning else { return .activityOver }
        guard let timestamp = aps["timestamp"]?.integer else { return .invalidPayload }
        if isAhead(aps, of: now) { return .futureTimestamp }
        // Two different contents of one second have no defined winner: the worst case is that the new one loses.
        let isRepeat = aps["content-state"] == card.contentState && aps["event"]?.string == "update"
        guard timestamp > card.timestamp || (timestamp == card.timestamp && isRepeat) else { return .oldTimestamp }
        let shape = phone.attributesTypes[card.attributesType]?.contentState
        if let state = aps["content-state"], let shape, !shape.decodes(state) { return .undecodableContentState }
        return nil
    }

    private func isAhead(_ aps: JSON, of now: Date) -> Bool {
        guard let timestamp = aps["timestamp"]?.integer else { return false }
        return TimeInterval(timestamp) > now.timeIntervalSince1970 + options.limits.futureTimestamp
    }

    private mutating func takeContent(of aps: JSON, _ activity: String, at now: Date) {
        guard var card = cards[activity] else { return }
        if let state = aps["content-state"] { card.contentState = state }
        card.timestamp = aps["timestamp"]?.integer ?? card.timestamp
        card.relevance = aps["relevance-score"]?.number ?? card.relevance
        card.staleAt = aps["stale-date"]?.integer.map { Date(timeIntervalSince1970: TimeInterval($0)) }
        card.state = card.staleAt.map { $0 <= now } ?? false ? .stale : .active
        if aps["alert"] != nil { card.alerts += 1 }
        cards[activity] = card
        watchTimes(of: card, at: now)
    }
}
