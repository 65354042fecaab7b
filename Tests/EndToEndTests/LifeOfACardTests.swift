import Foundation
import LiveActivity
import Simulator
import TestSupport
import Testing

/// One card from its start to its end, as the built binary plays it: every header and every byte that matters.
@Suite struct LifeOfACardTests {
    /// The event is at 06:00 to 07:00 UTC, so its window opens at 05:00.
    @Test func startsOnceExactlyAtTheLead() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let ids = try await world.addEvent()

        #expect(try await world.tick("2026-03-02T04:58:00Z").isEmpty)
        #expect(try await world.tick("2026-03-02T04:59:59Z").isEmpty)
        let sent = try await world.tick("2026-03-02T05:00:00Z")
        #expect(sent.kinds == [.start])
        for later in ["2026-03-02T05:00:00Z", "2026-03-02T05:01:00Z", "2026-03-02T05:02:00Z"] {
            #expect(try await world.tick(later).isEmpty)
        }

        let start = try #require(sent.first)
        let phone = try #require(world.simulator.phone(Device.mina))
        let token = try #require(phone.startTokens[World.attributesType])
        let run = try #require(try await world.value("select id from cuecard.run"))
        #expect(start.header(":method") == "POST")
        #expect(start.header(":path") == "/3/device/\(token)")
        #expect(start.header("apns-push-type") == "liveactivity")
        #expect(start.header("apns-topic") == "com.example.family.push-type.liveactivity")
        #expect(start.header("apns-priority") == "10")
        // It expires when the occurrence starts, at 06:00.
        #expect(start.header("apns-expiration") == "1772431200")
        #expect(start.header("apns-collapse-id") == run)
        #expect(start.header("apns-id")?.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil)
        #expect(start.header("authorization")?.hasPrefix("bearer ") == true)
        #expect(start.header("content-type") == nil)

        #expect(start.aps?["event"]?.string == "start")
        #expect(start.integer("timestamp") == 1_772_427_600)
        // Stale after two hours, which is when it closes too: 07:00.
        #expect(start.integer("stale-date") == 1_772_434_800)
        #expect(start.aps?["attributes-type"]?.string == World.attributesType)
        #expect(start.aps?["attributes"]?["runId"]?.string == run)
        #expect(start.aps?["attributes"]?["eventId"]?.string == ids.event)
        #expect(start.integer("input-push-token") == 1)
        #expect(start.content("title") == "Dentist")
        #expect(start.content("phase") == "upcoming")
        // Swift dates: seconds since 2001.
        #expect(start.date("startsAt") == 1_772_431_200)
        #expect(start.date("endsAt") == 1_772_434_800)
        #expect(start.aps?["alert"]?["title"]?.string?.isEmpty == false)
        #expect(start.aps?["alert"]?["body"]?.string?.isEmpty == false)
        #expect(start.violations.isEmpty)
        #expect(try await world.value("select state from cuecard.run") == "confirmed")
    }

    @Test func updatesOnAChangeAndAtEachPhaseAndEndsAtTheClose() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent()
        try await world.tick("2026-03-02T05:00:00Z")

        try await world.backend("update cuecard.event set title = 'Dentist, Dr. Han'")
        let retitled = try await world.tick("2026-03-02T05:10:00Z")
        #expect(retitled.kinds == [.update])
        #expect(retitled.first?.content("title") == "Dentist, Dr. Han")
        #expect(retitled.first?.aps?["alert"] == nil)
        #expect(retitled.first?.header("apns-collapse-id") == nil)
        #expect(retitled.first?.header("apns-priority") == "5")
        let token = try #require(world.simulator.cards(on: Device.mina).first?.updateToken)
        #expect(retitled.first?.header(":path") == "/3/device/\(token)")

        #expect(try await world.tick("2026-03-02T05:59:00Z").isEmpty)
        let active = try await world.tick("2026-03-02T06:00:00Z")
        #expect(active.kinds == [.update])
        #expect(active.first?.content("phase") == "active")
        #expect(active.first?.header("apns-priority") == "10")
        #expect(try await world.tick("2026-03-02T06:44:00Z").isEmpty)
        let ending = try await world.tick("2026-03-02T06:45:00Z")
        #expect(ending.kinds == [.update])
        #expect(ending.first?.content("phase") == "ending")
        #expect(try await world.tick("2026-03-02T06:59:00Z").isEmpty)

        let ended = try await world.tick("2026-03-02T07:00:00Z")
        #expect(ended.kinds == [.end])
        #expect(ended.first?.content("title") == "Dentist, Dr. Han")
        #expect(ended.first?.integer("timestamp") == 1_772_434_800)
        #expect(try #require(ended.first?.integer("dismissal-date")) <= 1_772_434_800)
        #expect(ended.first?.header("apns-priority") == "10")
        #expect(try await world.value("select state || ' ' || reason from cuecard.run") == "ended over")
        #expect(try await world.tick("2026-03-02T07:01:00Z").isEmpty)
        #expect(world.simulator.cards(on: Device.mina).allSatisfy { !$0.isOnScreen })
        #expect(world.simulator.snapshot.scoreboard.doubled == 0)
    }

    @Test func aLateTickStartsWhatIsStillUsefulAndSkipsWhatIsOver() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent("Over by then", startsAt: "2026-03-02 13:00")
        try await world.addEvent("Still useful")
        let sent = try await world.tick("2026-03-02T05:37:00Z")
        #expect(sent.kinds == [.start])
        #expect(sent.first?.content("title") == "Still useful")
    }

    /// I4: a plan made by a clock that was ahead, or by somebody who played a later minute, keeps nobody from today.
    @Test func aPlanOfTheFutureIsVoidToday() async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        try await world.addEvent(startsAt: "2026-02-02 15:00", rrule: "FREQ=WEEKLY")
        try await world.tick("2027-03-03T05:00:00Z")
        #expect(try await world.tick("2026-03-02T05:00:00Z").kinds == [.start])
        // And what is planned today stays planned: the next tick finds nothing due.
        let idle = try await Binary.run(
            ["tick", "--now", "2026-03-02T05:01:00Z", "--json"], environment: world.environment())
        #expect(idle.output.contains(#""claimed":0"#))
    }

    /// The event ends at 07:00; what happens at 05:30 takes its card down at once.
    @Test(arguments: Ending.allCases)
    func endsWhenItIsNoLongerWanted(_ ending: Ending) async throws {
        let world = try await World.make()
        try await world.register(Device.mina, of: "mina")
        let ids = try await world.addEvent(owner: "ben", kind: "shared", members: ["mina"])
        #expect(try await world.tick("2026-03-02T05:00:00Z").kinds == [.start])

        try await ending.happen(in: world, ids)
        let sent = try await world.tick("2026-03-02T05:30:00Z")
        #expect(sent.kinds == [.end])
        let end = try #require(sent.first)
        #expect(try #require(end.integer("dismissal-date")) <= (try #require(end.integer("timestamp"))))
        #expect(world.simulator.cards(on: Device.mina).allSatisfy { !$0.isOnScreen })
        #expect(try await world.value("select state || ' ' || reason from cuecard.run") == "ended \(ending.reason)")
        for later in ["2026-03-02T05:31:00Z", "2026-03-02T05:32:00Z", "2026-03-02T06:00:00Z"] {
            #expect(try await world.tick(later).isEmpty)
        }
    }

    enum Ending: CaseIterable {
        case softDelete, hardDelete, moveOut, cancelled, memberLeft, kindSwitchedOff, liveActivitiesOff, logOut,
            accountChange

        var reason: String {
            switch self {
            case .softDelete, .hardDelete: "deleted"
            case .moveOut: "moved"
            case .cancelled: "cancelled"
            case .memberLeft: "unshared"
            case .kindSwitchedOff: "switched_off"
            case .liveActivitiesOff: "live_activities_off"
            case .logOut: "logged_out"
            case .accountChange: "account_changed"
            }
        }

        func happen(in world: World, _ ids: (calendar: String, event: String)) async throws {
            switch self {
            case .softDelete: try await world.backend("update cuecard.event set deleted_at = now()")
            case .hardDelete: try await world.backend("delete from cuecard.event")
            case .moveOut:
                try await world.backend("update cuecard.event set starts_at = starts_at + interval '5 hours'")
            case .cancelled:
                try await world.backend(
                    "insert into cuecard.event_override (event_id, occurrence, cancelled) values ('\(ids.event)', '2026-03-02 15:00', true)"
                )
            case .memberLeft: try await world.backend("delete from cuecard.calendar_member where user_id = 'mina'")
            case .kindSwitchedOff:
                try await world.rpc("mina", "register_device('\(Device.mina)', shows_shared => false)")
            case .liveActivitiesOff:
                try await world.rpc("mina", "register_device('\(Device.mina)', live_activities_enabled => false)")
                #expect(try await world.value("select push_to_start_token from cuecard.device") == nil)
            case .logOut: try await world.rpc("mina", "unregister_device('\(Device.mina)')")
            case .accountChange:
                let phone = try #require(world.simulator.phone(Device.mina))
                try await world.rpc("zoe", "register_device('\(Device.mina)', wake_token => '\(phone.wakeToken)')")
            }
        }
    }
}
