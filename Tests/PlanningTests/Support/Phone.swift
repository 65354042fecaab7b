import Foundation
import LiveActivity
import Planning
import TestSupport

/// The phone behind the ledger's device: cards as the system keeps them, an app that may or may not answer, a person who
/// may swipe.
struct Phone {
    struct Card {
        var run: RunID
        var shownAt: Date
        var token: PushToken
        /// When the app will tell its token; nil: never.
        var speaksAt: Date?
        var hasSpoken = false
    }

    var cards: [Card] = []
    /// Starts that never became a card, and when the app will say so.
    var lost: [(run: RunID, saysAt: Date)] = []
    private var tokens = 0

    /// A push that reached it.
    mutating func receive(_ intent: Intent, at now: Date, using random: inout SplitMix64) {
        switch intent.step.action {
        case .start:
            guard let run = intent.run else { return }
            guard Int.random(in: 0..<10, using: &random) > 0 else {
                lost.append((run, now + Double.random(in: 3600...20_000, using: &random)))
                return
            }
            tokens += 1
            let speaks: Date? =
                switch Int.random(in: 0..<10, using: &random) {
                case 0...5: now + Double.random(in: 1...90, using: &random)
                case 6...7: now + Double.random(in: 300...30_000, using: &random)
                default: nil
                }
            let digits = String(tokens, radix: 16)
            let token = "dd" + String(repeating: "0", count: 6 - digits.count) + digits
            cards.append(Card(run: run, shownAt: now, token: PushToken(token)!, speaksAt: speaks))
        case .end(let end):
            cards.removeAll { $0.token == end.token }
        default: break
        }
    }

    /// What happens by itself up to a moment.
    mutating func live(until now: Date, ledger: inout Ledger, using random: inout SplitMix64) {
        cards.removeAll { now >= $0.shownAt + 12 * hour }
        for index in cards.indices {
            if let speaksAt = cards[index].speaksAt, speaksAt <= now, !cards[index].hasSpoken {
                cards[index].hasSpoken = true
                ledger.register(cards[index].run, token: cards[index].token)
            }
        }
        for start in lost where start.saysAt <= now { ledger.reportMissing(start.run) }
        lost.removeAll { $0.saysAt <= now }
        // About one swipe in four hours of a card.
        if let swiped = cards.indices.first(where: { _ in Int.random(in: 0..<240, using: &random) == 0 }) {
            ledger.dismiss(cards[swiped].run)
            cards.remove(at: swiped)
        }
    }
}
