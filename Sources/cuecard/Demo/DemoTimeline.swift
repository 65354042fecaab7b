import Foundation
import LiveActivity
import Simulator

/// The day on the terminal: one line a push.
struct DemoTimeline {
    private let world: DemoWorld
    private var seen = 0

    init(world: DemoWorld) { self.world = world }

    /// What a person did.
    mutating func note(_ minute: Date, _ text: String) { Output.line("\(clock(minute))  — \(text)") }

    /// The pushes since the last call, and what they did.
    mutating func show(at minute: Date) {
        let requests = world.simulator.requests
        for request in requests.dropFirst(seen) {
            let phone = request.token.flatMap(owner)
            let name = DemoCalendar.members.first { $0.device == phone }?.phone ?? "unknown phone"
            let answer =
                switch request.verdict {
                case .accepted: "200"
                case .rejected(let rejection): "\(rejection.status) \(rejection.reason)"
                case .unread: "no answer"
                }
            Output.line(
                "\(clock(minute))  \(name.padded(14))  \("\(request.kind)".padded(7)) \(request.title.padded(20)) \(answer.padded(5)) "
                    + (phone.map(screen) ?? ""))
        }
        seen = requests.count
    }

    /// The sums; a doubled or left-over card makes the demo fail.
    mutating func close() -> ExitCode {
        let score = world.simulator.snapshot.scoreboard
        let running = DemoCalendar.members.flatMap { world.simulator.cards(on: $0.device) }.filter(\.isRunning).count
        Output.line("")
        Output.line("started \(score.started), updated \(score.updated), ended \(score.ended), woken \(score.woken)")
        Output.line(
            "doubled \(score.doubled), left over \(score.leftOver + running), refused by APNs \(score.rejected), dropped by a phone \(score.dropped)"
        )
        score.failures.forEach(Output.line)
        let isGood =
            score.started > 0 && score.doubled == 0 && score.leftOver == 0 && running == 0 && score.rejected == 0
        Output.line(isGood ? "No card was doubled, and none was left over." : "This is not as it should be.")
        return isGood ? .done : .findings
    }

    /// The phone that a token leads to.
    private func owner(of token: String) -> String? {
        let snapshot = world.simulator.snapshot
        return snapshot.cards.values.first { $0.updateToken == token }?.phoneID
            ?? snapshot.phones.values.first { $0.wakeToken == token || $0.startTokens.values.contains(token) }?.id
    }

    private func screen(of phone: String) -> String {
        let cards = world.simulator.cards(on: phone).filter(\.isOnScreen)
        if cards.isEmpty { return "Lock Screen: empty" }
        return "Lock Screen: "
            + cards.map { card in
                let state = card.contentState
                let phase = card.isRunning ? state["phase"]?.string ?? "" : "ended"
                return [state["title"]?.string, state["location"]?.string.map { "(\($0))" }, phase].compactMap(\.self)
                    .joined(separator: " ")
            }.joined(separator: ", ")
    }

    private func clock(_ minute: Date) -> String {
        let seconds = Int(minute.timeIntervalSince(DemoCalendar.time(0, 0)))
        return String(format: "%02d:%02d", seconds / 3600, seconds / 60 % 60)
    }
}

extension ReceivedRequest {
    fileprivate var title: String { payload?["aps"]?["content-state"]?["title"]?.string ?? "" }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        count < width ? self + String(repeating: " ", count: width - count) : self
    }
}
