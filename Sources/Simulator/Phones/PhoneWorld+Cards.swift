internal import Foundation
internal import LiveActivity

/// The life of a card: birth, token, end, removal.
extension PhoneWorld {
    /// Puts a new card on the screen, looks for its double, and enters what will happen to it.
    mutating func place(_ card: Card, at now: Date) {
        findDouble(of: card)
        cards[card.id] = card
        cardsOfPhone[card.phoneID, default: []].append(card.id)
        agenda.enter(.systemEnd(card: card.id), at: now + options.limits.lifetime)
        watchTimes(of: card, at: now)
        guard let app = phones[card.phoneID]?.app else { return }
        if case .after(let delay) = app.updateToken { agenda.enter(.token(card: card.id), at: now + delay) }
        if app.confirmsStarts { agenda.enter(.confirmation(card: card.id), at: now + 1) }
    }

    /// Enters the moments that the card's newest content names, and looks at its dates.
    mutating func watchTimes(of card: Card, at now: Date) {
        score.failures += strayDates(of: card, at: now)
        if let staleAt = card.staleAt, staleAt > now { agenda.enter(.staleness(card: card.id), at: staleAt) }
        if let close = options.cardKeys.close(of: card) {
            agenda.enter(.overdue(card: card.id), at: max(now, close + options.limits.overdueAfter))
        }
    }

    /// A date that decodes and is decades off is on the screen for all to see.
    private func strayDates(of card: Card, at now: Date) -> [String] {
        let type = phones[card.phoneID]?.attributesTypes[card.attributesType]
        let names =
            (type?.attributes?.strayDates(in: card.attributes, around: now) ?? [])
            + (type?.contentState?.strayDates(in: card.contentState, around: now) ?? [])
        return names.map { "card \(card.id) on \(card.phoneID) shows a date years away in \($0): wrong epoch or unit" }
    }

    /// Two running cards for one occurrence on one phone are what the server must never let happen.
    private mutating func findDouble(of card: Card) {
        guard let occurrence = options.cardKeys.occurrence(of: card) else { return }
        let double = runningCards(on: card.phoneID).first {
            options.cardKeys.occurrence(of: $0) == occurrence
                && Double(card.sentAt - $0.sentAt) < options.limits.renewalAge
        }
        guard let double else { return }
        score.doubled += 1
        score.failures.append("\(card.phoneID) shows two cards for \(occurrence): \(double.id) and \(card.id)")
    }

    /// The system gives a running card its token if it has none, and the app reports it.
    mutating func grantToken(to id: String, at now: Date) {
        guard let card = cards[id], card.isRunning, card.updateToken == nil, let phone = phones[card.phoneID],
            let token = phones[card.phoneID]?.nextSeed("update").hex(bytes: 80)
        else { return }
        cards[id]?.updateToken = token
        tokens.issue(token, .update(activity: id), bundleID: phone.bundleID, phone.environment)
        register(id, at: now)
    }

    /// The start runs the app for a moment, in which it gets the token; not where the person forced it to quit.
    mutating func runForToken(of id: String, at now: Date) {
        guard let card = cards[id], phones[card.phoneID]?.isForceQuit == false else { return }
        grantToken(to: id, at: now)
    }

    /// The app reports the card as it is, unless its token has come and was reported already.
    mutating func confirm(_ id: String, at now: Date) {
        guard let card = cards[id], card.isRunning, card.updateToken == nil else { return }
        register(id, at: now)
    }

    mutating func register(_ id: String, at now: Date) {
        guard let card = cards[id] else { return }
        let registration = PhoneVoice.Registration(
            phoneID: card.phoneID, origin: card.origin, activityID: id, updateToken: card.updateToken)
        words.append(Word(content: .register(registration), spokenAt: now))
    }

    /// The app tells the server what became of a card, if it knows the run.
    mutating func report(_ id: String, _ state: String, at now: Date) {
        guard let card = cards[id], let runID = card.runID else { return }
        let report = PhoneVoice.Report(phoneID: card.phoneID, runID: runID, activityID: id, state: state)
        words.append(Word(content: .report(report), spokenAt: now))
    }

    /// The card is over; it stays on the Lock Screen until `removal`, four hours at most; nil means all of them.
    mutating func finish(_ id: String, removal: Date?, at now: Date) {
        guard let card = cards[id], card.isRunning else { return }
        let latest = now + options.limits.linger
        let until = min(max(removal ?? latest, now), latest)
        cards[id]?.state = until <= now ? .gone : .ended
        cards[id]?.endedAt = now
        cards[id]?.removal = until
        if until > now { agenda.enter(.removal(card: id), at: until) }
        killToken(of: card, at: now)
        if phones[card.phoneID]?.app.reportsEndings ?? false {
            cards[id]?.isOverReported = true
            report(id, "ended", at: now)
        }
    }

    mutating func endBySystem(_ id: String, at now: Date) { finish(id, removal: nil, at: now) }

    /// The app ends its own card and takes it off the screen at once.
    mutating func endByApp(_ id: String, at now: Date) {
        guard let card = cards[id], card.isRunning else { return }
        finish(id, removal: now, at: now)
        guard !card.isOverReported, !(cards[id]?.isOverReported ?? true) else { return }
        cards[id]?.isOverReported = true
        report(id, "ended", at: now)
    }

    mutating func killToken(of card: Card, at now: Date) {
        guard let token = card.updateToken, let phone = phones[card.phoneID],
            var answer = phone.app.answerForDeadTokens
        else { return }
        if answer.status == 410, answer.since == nil { answer.since = options.wallClock() }
        tokens.kill(token, phone.environment, answer)
    }
}

// MARK: - The app's code

extension PhoneWorld {
    /// The app runs for a moment: it picks up tokens, and asks about its cards if that is what it does.
    mutating func runApp(on phoneID: String, at now: Date) {
        guard let phone = phones[phoneID] else { return }
        for card in cards(on: phoneID) {
            if card.isRunning, card.updateToken == nil, phone.app.updateToken.comesWhenRun {
                grantToken(to: card.id, at: now)
            } else if phone.app.wake == .reconciles {
                reconcile(card, at: now)
            }
        }
    }

    /// Ends a card that is over by its own content, and asks the server about any other.
    private mutating func reconcile(_ card: Card, at now: Date) {
        if card.isRunning {
            if let close = options.cardKeys.close(of: card), close <= now { return endByApp(card.id, at: now) }
            register(card.id, at: now)
        } else if !card.isOverReported {
            cards[card.id]?.isOverReported = true
            report(card.id, "ended", at: now)
        }
    }

    /// What the server answered to a word.
    mutating func hear(_ answer: PhoneVoice.Answer, to word: Word) {
        let id = word.activityID
        if let runID = answer.runID, cards[id]?.runID == nil { cards[id]?.runID = runID }
        if answer.end { endByApp(id, at: word.spokenAt) }
    }

    /// A word did not get through; the app tries three times in all.
    mutating func fail(_ word: Word, because reason: String) {
        score.failedCalls += 1
        score.notes.append("a call of \(word.activityID) failed: \(reason)")
        var again = word
        again.attempts += 1
        again.spokenAt += 30
        if again.attempts < 3 { agenda.enter(.repeated(again), at: again.spokenAt) }
    }
}
