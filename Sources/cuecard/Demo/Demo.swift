import Foundation
import LiveActivity
import PostgresStore
import PrivatePostgres
import Simulator
import Tick

extension Command {
    /// `cuecard demo`: a private Postgres, the simulator, a sample calendar, and a day played in about a minute.
    static func demo(_ words: [String]) async throws -> ExitCode {
        _ = try Arguments(words, command: "demo")
        let demo = Task { try await Demo().play() }
        let interruption = Task {
            await Signals.termination()
            demo.cancel()
        }
        defer { interruption.cancel() }
        return try await demo.value
    }
}

/// The day: its world, its clock and its story.
private struct Demo {
    /// A Tuesday and the last day of a month: the class and the bill meet.
    static let day = DateComponents(
        calendar: Calendar(identifier: .gregorian), timeZone: .gmt, year: 2026, month: 6, day: 30)
    /// Seconds that the day takes.
    static let length: Duration = .seconds(55)

    func play() async throws -> ExitCode {
        let world = try await DemoWorld.make()
        defer { world.close() }
        world.introduction.forEach(Output.line)

        var timeline = DemoTimeline(world: world)
        let minutes = DemoCalendar.minutes
        let began = ContinuousClock.now
        for (index, minute) in minutes.enumerated() {
            if Task.isCancelled { return .done }
            world.clock.set(minute)
            for change in DemoCalendar.changes(at: minute) {
                timeline.note(minute, change.text)
                try await change.make(world)
            }
            _ = try await world.worker.tick(at: minute)
            await world.simulator.settle(at: minute + 30)
            timeline.show(at: minute)
            do { try await Task.sleep(until: began + Self.length * index / minutes.count) } catch { return .done }
        }
        return timeline.close()
    }
}
