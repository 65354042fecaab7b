internal import Foundation
internal import LiveActivity

/// All phones, their cards, and the tokens that reach them.
struct PhoneWorld: Sendable {
    var tokens = TokenRegistry()
    private let options: SimulatorOptions

    init(_ options: SimulatorOptions) { self.options = options }

    func now(for push: PushRequest) -> Date { options.wallClock() }

    func owner(of push: PushRequest) throws(Rejection) -> TokenRegistry.Entry? {
        if let entry = try tokens.check(push) { return entry }
        guard options.unknownTokens != .reject else { throw Rejection(400, "BadDeviceToken") }
        return nil
    }

    mutating func deliver(_ push: PushRequest, to owner: TokenRegistry.Entry?, request: ReceivedRequest) -> PushFate {
        guard owner != nil else { return .dropped(.noPhone) }
        return .delivered
    }
}
