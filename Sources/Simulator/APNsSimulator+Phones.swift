public import Foundation

// MARK: - Phones and people

extension APNsSimulator {
    /// Adds a phone, or replaces the one with its id, and makes its tokens known to APNs.
    public func add(_ phone: Phone) { state.access { $0.phones.add(phone) } }

    /// The phone as it is now; nil where there is none of that id.
    public func phone(_ id: String) -> Phone? { state.access { $0.phones.phones[id] } }

    /// The cards of one phone, oldest first, those that are over included.
    public func cards(on phoneID: String) -> [Card] { state.access { $0.phones.cards(on: phoneID) } }

    /// Changes a phone's settings or its app's behaviour.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func change(phone id: String, _ body: @Sendable (inout Phone) -> Void) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            var phone = try world.known(phone: id)
            body(&phone)
            world.phones[id] = phone
            if !phone.allowsLiveActivities { world.removeCards(of: id, at: now) }
        }
    }

    /// Connects or disconnects a phone; what APNs keeps for it is delivered when it comes back.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func setOnline(_ isOnline: Bool, phone id: String) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            _ = try world.known(phone: id)
            world.setOnline(isOnline, phone: id, at: now)
        }
    }

    /// The person swipes a card away.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func dismiss(card id: String) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            _ = try world.known(card: id)
            world.dismiss(id, at: now)
        }
    }

    /// The person taps Allow on a card, and the system gives it its token.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func allow(card id: String) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            _ = try world.known(card: id)
            world.allow(id, at: now)
        }
    }

    /// The person opens the app; through a card where one is named.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func open(phone id: String, card: String? = nil) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            _ = try world.known(phone: id)
            world.open(id, card: card, at: now)
        }
    }

    /// The app starts a card itself.
    ///
    /// - Returns: the activity id.
    /// - Throws: ``SimulatorError/unknown(_:)``.
    @discardableResult
    public func start(_ card: LocalCard, on phoneID: String) throws(SimulatorError) -> String {
        try act { world, now throws(SimulatorError) in
            world.startCard(card, on: try world.known(phone: phoneID), at: now)
        }
    }

    /// Another update token for a running card: the app reports it, the old one is answered with 410.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func rotateUpdateToken(card id: String) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in
            _ = try world.known(card: id)
            world.rotateUpdateToken(of: id, at: now)
        }
    }

    /// Another start token for an attributes type; the old one is answered with 410.
    ///
    /// Where `isOldSilent`, APNs goes on accepting the old one and no phone sees its pushes, as has happened.
    ///
    /// - Returns: the new token, for the app to register.
    /// - Throws: ``SimulatorError/unknown(_:)``.
    @discardableResult
    public func rotateStartToken(
        phone id: String, attributesType: String, isOldSilent: Bool = false
    ) throws(SimulatorError) -> String {
        try act { world, _ throws(SimulatorError) in
            world.rotateStartToken(of: try world.known(phone: id), attributesType, isOldSilent: isOldSilent)
        }
    }

    /// Deletes the app: its cards are gone, its tokens are answered with 410.
    ///
    /// - Throws: ``SimulatorError/unknown(_:)``.
    public func uninstall(phone id: String) throws(SimulatorError) {
        try act { world, now throws(SimulatorError) in world.uninstall(try world.known(phone: id), at: now) }
    }

    private func act<Result: Sendable>(
        _ body: (inout PhoneWorld, Date) throws(SimulatorError) -> sending Result
    ) throws(SimulatorError) -> Result {
        try state.access { state throws(SimulatorError) in
            let now = state.phones.time.now()
            state.phones.pass(until: now)
            let result = try body(&state.phones, now)
            state.learnFates()
            state.signal?.yield()
            return result
        }
    }
}

extension PhoneWorld {
    fileprivate func known(phone id: String) throws(SimulatorError) -> Phone {
        guard let phone = phones[id] else { throw .unknown("phone \(id)") }
        return phone
    }

    fileprivate func known(card id: String) throws(SimulatorError) -> Card {
        guard let card = cards[id] else { throw .unknown("card \(id)") }
        return card
    }
}

// MARK: - Time

extension APNsSimulator {
    /// The phones' time.
    public var phoneTime: Date { state.access { $0.phones.time.now() } }

    /// When the next thing is due on a phone; nil where nothing is.
    public var nextDue: Date? { state.access { $0.phones.agenda.nextDue } }

    /// Lets everything happen that is due by `moment`, each thing at its own time and one after the other.
    ///
    /// The apps' calls are made, and their answers obeyed, before what comes after them. Nil means the phones' own
    /// time; a later moment turns their time forward.
    public func settle(at moment: Date? = nil) async {
        let target = moment ?? phoneTime
        while let word = state.access({ $0.phones.nextWord(by: target) }) { await deliver(word) }
        state.access { state in
            state.phones.time.advance(to: target)
            state.learnFates()
        }
    }

    /// How the apps reach their server from now on; nil means that nobody listens.
    public func setVoice(_ voice: PhoneVoice?) { state.access { $0.voice = voice } }

    /// Lets the phones live by their own time until the task is cancelled.
    public func live() async {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        state.access { $0.signal = signal }
        signal.yield()
        var alarm: Task<Void, any Error>?
        for await _ in signals {
            alarm?.cancel()
            await settle()
            guard let due = nextDue else { continue }
            let wait = max(0.01, due.timeIntervalSince(phoneTime))
            alarm = Task {
                try await Task.sleep(for: .seconds(min(wait, 3600)))
                signal.yield()
            }
        }
        alarm?.cancel()
    }

    private func deliver(_ word: Word) async {
        guard let voice = state.access({ $0.voice }) else { return }
        do {
            let answer = try await voice.say(word)
            state.access { $0.phones.hear(answer, to: word) }
        } catch {
            state.access { $0.phones.fail(word, because: "\(error)") }
        }
    }
}
