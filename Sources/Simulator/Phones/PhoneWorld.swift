internal import Foundation
internal import LiveActivity

/// All phones, their cards, the tokens that reach them, and what is going to happen.
///
/// A pure state machine: pushes and people change it, time passes through ``nextWord(by:)``, and what the apps
/// want to say comes out as words for somebody else to deliver.
struct PhoneWorld: Sendable {
    let options: SimulatorOptions
    var time: PhoneTime
    var tokens = TokenRegistry()
    var phones: [String: Phone] = [:]
    var cards: [String: Card] = [:]
    /// The activity ids on each phone, oldest first.
    var cardsOfPhone: [String: [String]] = [:]
    var score = Scoreboard()
    var agenda = Agenda()
    /// What the apps want to say, in order.
    var words: [Word] = []
    /// Fates that became known after the push was logged: of stored pushes.
    var lateFates: [(requestID: Int, fate: PushFate)] = []
    /// The runs that a start was accepted for, to find repeated ones.
    var startedRuns: Set<String> = []

    init(_ options: SimulatorOptions) {
        self.options = options
        time = PhoneTime(options.phoneClock ?? .reads(options.wallClock), wallClock: options.wallClock)
    }

    /// The phones' time when a push arrives, with all that was due by then behind it.
    mutating func arrive(_ push: PushRequest) -> Date {
        let now = time.now(at: push)
        pass(until: now)
        return now
    }

    /// Adds a phone, or replaces the one with its id, and makes its tokens known to APNs.
    mutating func add(_ phone: Phone) {
        phones[phone.id] = phone
        tokens.issue(phone.wakeToken, .wake(phone: phone.id), bundleID: phone.bundleID, phone.environment)
        for (type, token) in phone.startTokens {
            let owner = TokenRegistry.Owner.start(phone: phone.id, attributesType: type)
            tokens.issue(token, owner, bundleID: phone.bundleID, phone.environment)
        }
    }

    /// Whose token it is; nil where nobody has it and the simulator was told to accept that.
    mutating func owner(of push: PushRequest) throws(Rejection) -> TokenRegistry.Entry? {
        if let entry = try tokens.check(push) { return entry }
        switch options.unknownTokens {
        case .accept: return nil
        case .adopt where push.kind == .wake: return nil
        case .adopt where push.kind == .start:
            adopt(push)
            return try tokens.check(push)
        case .adopt, .reject: throw Rejection(400, "BadDeviceToken")
        }
    }

    /// Makes a phone for a start token that came from nowhere.
    private mutating func adopt(_ push: PushRequest) {
        guard let token = push.token, let bundleID = push.bundleID,
            let type = push.payload?["aps"]?["attributes-type"]?.string
        else { return }
        var phone = Phone(
            id: "phone-\(options.firstAdopted + phones.count)", environment: push.environment, bundleID: bundleID,
            attributesTypes: [type: Phone.AttributesType()])
        phone.startTokens[type] = token
        add(phone)
    }

    /// The cards of one phone, oldest first.
    func cards(on phoneID: String) -> [Card] { (cardsOfPhone[phoneID] ?? []).compactMap { cards[$0] } }

    /// The cards of one phone that still run.
    func runningCards(on phoneID: String) -> [Card] {
        cards(on: phoneID).filter(\.isRunning)
    }
}

// MARK: - Time

extension PhoneWorld {
    /// Lets everything happen that is due by then; what the apps want to say waits in ``words``.
    mutating func pass(until moment: Date) {
        while let (due, item) = agenda.take(by: moment) { happen(item, at: due) }
    }

    /// The next thing an app wants to say by then, with all before it done; nil where there is none.
    mutating func nextWord(by moment: Date) -> Word? {
        while true {
            while words.isEmpty, let (due, item) = agenda.take(by: moment) {
                time.advance(to: due)
                happen(item, at: due)
            }
            guard !words.isEmpty else { return nil }
            let word = words.removeFirst()
            guard phones[word.phoneID]?.isOnline == false else { return word }
            phones[word.phoneID]?.unsent.append(word)
        }
    }

    private mutating func happen(_ item: Agenda.Item, at now: Date) {
        switch item {
        case .token(let id): runForToken(of: id, at: now)
        case .confirmation(let id): confirm(id, at: now)
        case .staleness(let id): if cards[id]?.staleAt == now, cards[id]?.state == .active { cards[id]?.state = .stale }
        case .systemEnd(let id): endBySystem(id, at: now)
        case .removal(let id): if cards[id]?.removal == now, cards[id]?.state == .ended { cards[id]?.state = .gone }
        case .overdue(let id): checkOverdue(id, at: now)
        case .run(let id): runApp(on: id, at: now)
        case .repeated(let word): words.append(word)
        }
    }

    /// A card that runs well past the close that its own content names.
    private mutating func checkOverdue(_ id: String, at now: Date) {
        guard let card = cards[id], card.isRunning, !card.isLeftOver, let close = options.cardKeys.close(of: card),
            close + options.limits.overdueAfter <= now
        else { return }
        cards[id]?.isLeftOver = true
        score.leftOver += 1
        score.notes.append(
            "card \(id) on \(card.phoneID) still ran \(Int(now.timeIntervalSince(close))) s past its close")
    }
}
