internal import Foundation

/// What will happen on the phones, soonest first; what was entered first goes first at one moment.
struct Agenda: Sendable {
    enum Item: Sendable {
        /// The system gives the card its update token and the app reports it.
        case token(card: String)
        /// The app reports the card without a token.
        case confirmation(card: String)
        case staleness(card: String)
        /// The system's limit of eight hours.
        case systemEnd(card: String)
        case removal(card: String)
        /// The card should have been over for a while.
        case overdue(card: String)
        /// The app runs in the background.
        case run(phone: String)
        /// The app says again what did not get through.
        case repeated(Word)
    }

    private struct Entry {
        var due: Date
        var number: Int
        var item: Item

        static func < (left: Entry, right: Entry) -> Bool {
            left.due != right.due ? left.due < right.due : left.number < right.number
        }
    }

    /// A binary heap: each entry comes before its two children.
    private var heap: [Entry] = []
    private var entered = 0

    var nextDue: Date? { heap.first?.due }

    mutating func enter(_ item: Item, at due: Date) {
        entered += 1
        heap.append(Entry(due: due, number: entered, item: item))
        var child = heap.count - 1
        while child > 0, heap[child] < heap[(child - 1) / 2] {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the first item that is due by then.
    mutating func take(by time: Date) -> (due: Date, item: Item)? {
        guard let first = heap.first, first.due <= time else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0] < heap[$1] }), heap[least] < heap[parent] else { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return (first.due, first.item)
    }
}
