internal import Foundation

extension CardPayload {
    /// The body of a card that fits, with as little of its text cut as that takes.
    ///
    /// The texts that go in are cut, never the ones that come out, so that what the template says stays whole. The
    /// longest are cut first: all are held to one length, the greatest that fits.
    static func fitted(
        _ template: CardTemplate, _ context: CardContext, _ body: (Card) -> [UInt8]
    ) throws(PayloadError) -> [UInt8] {
        func attempt(_ context: CardContext) -> (body: [UInt8], size: Int) {
            let card = template.render(context)
            let body = body(card)
            // ActivityKit holds what is static and what changes to 4 KB together, also where a push carries one of them.
            return (body, max(body.count, card.attributes.bytes.count + card.contentState.bytes.count))
        }
        let limit = Push.maximumPayload
        let whole = attempt(context)
        if whole.size <= limit { return whole.body }

        var fitting = CardContext.shortestText
        var best = attempt(context.shortened(to: fitting))
        guard best.size <= limit else { throw .tooLarge(bytes: best.size, limit: limit) }
        var failing = min(context.longestText, limit)
        while failing - fitting > 1 {
            let middle = (fitting + failing) / 2
            let next = attempt(context.shortened(to: middle))
            if next.size <= limit { (fitting, best) = (middle, next) } else { failing = middle }
        }
        return best.body
    }
}

extension CardTemplate {
    /// The bytes of a start with the emptiest event, in the language that takes most.
    var leastBytes: Int {
        let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        let epoch = Date(timeIntervalSince1970: 0)
        var context = CardContext(
            runID: nobody, eventID: nobody, title: "", start: epoch, end: epoch, phase: .active, minutes: 0)
        let sizes = alert.words.keys.map { language in
            context.locale = language
            let card = render(context)
            return [card.attributes, card.contentState, card.alert].map(\.bytes.count).reduce(0, +)
        }
        return sizes.max() ?? 0
    }
}
