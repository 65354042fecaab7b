public import Foundation
public import LiveActivity

/// What the person in front of a phone does, and what befalls tokens.
extension PhoneWorld {
    /// The person swipes a card away.
    mutating func dismiss(_ id: String, at now: Date) {
        guard let card = cards[id], card.isOnScreen else { return }
        cards[id]?.state = .dismissed
        cards[id]?.endedAt = card.endedAt ?? now
        cards[id]?.removal = now
        killToken(of: card, at: now)
        guard phones[card.phoneID]?.app.reportsDismissals ?? false else { return }
        cards[id]?.isOverReported = true
        report(id, "dismissed", at: now)
    }

    /// The person taps Allow on a card that asks for it: the system gives the token now.
    mutating func allow(_ id: String, at now: Date) { grantToken(to: id, at: now) }

    /// The person opens the app, by its icon or by tapping a card.
    mutating func open(_ phoneID: String, card: String?, at now: Date) {
        phones[phoneID]?.isForceQuit = false
        if let card { report(card, "opened", at: now) }
        runApp(on: phoneID, at: now)
    }

    /// The person switches Live Activities off: the running cards vanish, and no app is told.
    mutating func removeCards(of phoneID: String, at now: Date) {
        for card in runningCards(on: phoneID) {
            killToken(of: card, at: now)
            cards[card.id]?.state = .gone
            cards[card.id]?.endedAt = now
            cards[card.id]?.removal = now
        }
    }

    /// The app starts a card itself, in the foreground; it has a token at once.
    mutating func startCard(_ draft: LocalCard, on phone: Phone, at now: Date) -> String {
        let id = phones[phone.id]?.nextSeed("activity").activityID ?? ""
        let card = Card(
            id: id, phoneID: phone.id, origin: .app(eventID: draft.eventID, occurrence: draft.occurrence),
            attributesType: draft.attributesType, attributes: draft.attributes, startedAt: now,
            sentAt: Int64(now.timeIntervalSince1970), contentState: draft.contentState,
            timestamp: Int64(now.timeIntervalSince1970), staleAt: draft.staleAt,
            relevance: 0, runID: nil)
        place(card, at: now)
        return id
    }

    /// The system gives a running card another token; the old one dies.
    mutating func rotateUpdateToken(of id: String, at now: Date) {
        guard let card = cards[id], card.isRunning, let old = card.updateToken, let phone = phones[card.phoneID] else {
            return
        }
        tokens.kill(old, phone.environment, Rejection(410, "ExpiredToken", since: options.wallClock()))
        cards[id]?.updateToken = nil
        grantToken(to: id, at: now)
    }

    /// The system gives the app another start token for a type; pushes to the old one come to nothing.
    mutating func rotateStartToken(of phone: Phone, _ type: String, isOldSilent: Bool) -> String {
        if let old = phone.startTokens[type] {
            if isOldSilent {
                tokens.disown(old, phone.environment)
            } else {
                tokens.kill(old, phone.environment, Rejection(410, "ExpiredToken", since: options.wallClock()))
            }
        }
        let token = phones[phone.id]?.nextSeed("start/\(type)").hex(bytes: 80) ?? ""
        phones[phone.id]?.startTokens[type] = token
        let owner = TokenRegistry.Owner.start(phone: phone.id, attributesType: type)
        tokens.issue(token, owner, bundleID: phone.bundleID, phone.environment)
        return token
    }

    /// The app is deleted: its cards are gone, its tokens dead.
    mutating func uninstall(_ phone: Phone, at now: Date) {
        let death = Rejection(410, "Unregistered", since: options.wallClock())
        let cardTokens = cards(on: phone.id).compactMap(\.updateToken)
        for token in [phone.wakeToken] + phone.startTokens.values + cardTokens {
            tokens.kill(token, phone.environment, death)
        }
        for card in cards(on: phone.id) where card.isOnScreen {
            cards[card.id]?.state = .gone
            cards[card.id]?.removal = now
        }
    }
}

/// A card that the app starts itself.
public struct LocalCard: Sendable {
    /// The event, as the server names it.
    public var eventID: String
    /// The occurrence's local start, as the server names it.
    public var occurrence: String
    /// The name of the attributes type.
    public var attributesType: String
    /// The fixed part.
    public var attributes: JSON
    /// The first content.
    public var contentState: JSON
    /// When it turns stale; nil means never.
    public var staleAt: Date?

    /// A card with its two parts; they should hold what ``CardKeys`` names.
    public init(
        eventID: String, occurrence: String, attributesType: String, attributes: JSON,
        contentState: JSON, staleAt: Date? = nil
    ) {
        self.eventID = eventID
        self.occurrence = occurrence
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.staleAt = staleAt
    }
}
