import Simulator

/// What the product calls a card is its content; here it is the thing on a phone.
typealias Card = Simulator.Card
