internal import Foundation

extension CardTemplate {
    /// What `aps` holds beside the content state of an update or an end, in bytes and generously.
    static let envelope = 128

    /// The card with as little of its text cut as it takes to bring its size to ``Push/maximumPayload``.
    ///
    /// The texts that go in are cut, never the ones that come out, so that what the template says stays whole. The
    /// longest are cut first: all are held to one length, the greatest that fits. Long words without a blank are cut
    /// only where nothing else helps. Where no length fits, the card is the one with the shortest texts.
    func fitted(_ context: CardContext, size: (Card) -> Int) -> (card: Card, size: Int) {
        // Of the whole context: what is cut may depend on the digits of `minutes`, and the key must not.
        let key = contentKey(context)
        func attempt(_ context: CardContext) -> (card: Card, size: Int) {
            let card = fill(context, contentKey: key)
            return (card, size(card))
        }
        let limit = Push.maximumPayload
        let whole = attempt(context)
        if whole.size <= limit { return whole }

        func longest(longWordsToo: Bool) -> (card: Card, size: Int) {
            var fitting = CardContext.shortestText
            var best = attempt(context.shortened(to: fitting, longWordsToo: longWordsToo))
            let longestText = context.longestText(longWordsToo: longWordsToo)
            var failing = best.size <= limit ? min(longestText, limit) : fitting
            while failing - fitting > 1 {
                let middle = (fitting + failing) / 2
                let next = attempt(context.shortened(to: middle, longWordsToo: longWordsToo))
                if next.size <= limit { (fitting, best) = (middle, next) } else { failing = middle }
            }
            return best
        }
        let sparing = longest(longWordsToo: false)
        return sparing.size <= limit ? sparing : longest(longWordsToo: true)
    }

    /// The bytes that a start takes with the emptiest event; nil where they fit in every language.
    var excess: Int? {
        let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let epoch = Date(timeIntervalSince1970: 0)
        for language in alert.words.keys.sorted() {
            let context = CardContext(
                runID: nobody, eventID: nobody, title: "", start: epoch, end: epoch, phase: .active, minutes: 0,
                locale: language)
            do throws(PayloadError) {
                _ = try CardPayload.start(
                    template: self, context: context, timestamp: 1_000_000_000, staleDate: 1_000_000_001,
                    inputPushToken: true)
            } catch {
                if case .tooLarge(let bytes, _) = error { return bytes }
            }
        }
        return nil
    }
}

extension Card {
    /// What ActivityKit counts: static and changing data together may take 4 KB, also where a push carries one of them.
    var dataSize: Int { attributes.bytes.count + contentState.bytes.count }
}
