import Foundation
import PostgresStore
import Simulator

/// A family's calendar, and what happens to it on the day that the demo plays.
enum DemoCalendar {
    /// Seoul has no clock changes and lies nine hours ahead.
    static let timeZone = "Asia/Seoul"
    static let bundleID = "com.example.family"
    static let attributesType = "FamilyEventAttributes"

    /// Every minute from 06:00 until just after midnight on 2026-06-30 in Seoul: a Tuesday, and the last of its month.
    static var minutes: [Date] { (0...1085).map { time(6, 0) + TimeInterval($0) * 60 } }

    /// So late on that day in Seoul.
    static func time(_ hour: Int, _ minute: Int) -> Date {
        Date(timeIntervalSince1970: 1_782_745_200 + TimeInterval(hour * 3600 + minute * 60))
    }

    /// The family: who has which phone.
    struct Member {
        var user: String
        var phone: String
        var device: String
        var locale: String
    }

    static let mina = Member(
        user: "mina", phone: "Mina's iPhone", device: "11111111-1111-4111-8111-111111111111", locale: "ko-KR")
    static let ben = Member(
        user: "ben", phone: "Ben's iPhone", device: "22222222-2222-4222-8222-222222222222", locale: "en-GB")
    static let aoi = Member(
        user: "aoi", phone: "Aoi's iPad", device: "33333333-3333-4333-8333-333333333333", locale: "ja-JP")
    static let members = [mina, ben, aoi]

    /// The rows that the app's backend writes.
    static let rows = """
        insert into cuecard.app (bundle_id, attributes_type, all_day_at, max_cards)
        values ('com.example.family', 'FamilyEventAttributes', '08:00', 1);
        insert into cuecard.calendar (id, owner_id, kind, name) values
            ('aaaaaaaa-0000-4000-8000-000000000001', 'mina', 'personal', 'Mina'),
            ('aaaaaaaa-0000-4000-8000-000000000002', 'mina', 'shared', 'Family');
        insert into cuecard.calendar_member (calendar_id, user_id) values
            ('aaaaaaaa-0000-4000-8000-000000000002', 'ben'), ('aaaaaaaa-0000-4000-8000-000000000002', 'aoi');
        insert into cuecard.event (id, calendar_id, title, location, starts_at, duration, time_zone, all_day, rrule) values
            ('eeeeeeee-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000001', 'Rent',
                null, '2026-01-31 09:00', '30 min', 'Asia/Seoul', false, 'FREQ=MONTHLY;BYMONTHDAY=-1'),
            ('eeeeeeee-0000-4000-8000-000000000002', 'aaaaaaaa-0000-4000-8000-000000000002', 'Swimming class',
                'City pool', '2026-03-03 17:00', '1 hour', 'Asia/Seoul', false, 'FREQ=WEEKLY;BYDAY=TU'),
            ('eeeeeeee-0000-4000-8000-000000000003', 'aaaaaaaa-0000-4000-8000-000000000002', 'Grandpa''s birthday',
                null, '1956-06-30 00:00', '1 day', null, true, 'FREQ=YEARLY'),
            ('eeeeeeee-0000-4000-8000-000000000004', 'aaaaaaaa-0000-4000-8000-000000000001', 'Dentist',
                'Dr. Han', '2026-06-30 11:00', '45 min', 'Asia/Seoul', false, null),
            ('eeeeeeee-0000-4000-8000-000000000005', 'aaaaaaaa-0000-4000-8000-000000000002', 'Dinner at home',
                null, '2026-06-30 19:30', '90 min', 'Asia/Seoul', false, null);
        """

    /// Something that a person does.
    struct Change {
        var minute: Date
        var text: String
        var make: @Sendable (DemoWorld) async throws -> Void
    }

    static func changes(at minute: Date) -> [Change] { story.filter { $0.minute == minute } }

    private static let story = [
        Change(minute: time(10, 20), text: "Mina moves the dentist ten minutes back") {
            try await $0.backend("update cuecard.event set starts_at = '2026-06-30 11:10' where title = 'Dentist'")
        },
        Change(minute: time(13, 0), text: "Ben swipes his card away") { world in
            for card in world.simulator.cards(on: ben.device) where card.isOnScreen {
                try world.simulator.dismiss(card: card.id)
            }
        },
        Change(minute: time(16, 30), text: "The pool changes its name") {
            try await $0.backend("update cuecard.event set location = 'Han River pool' where title = 'Swimming class'")
        },
        Change(minute: time(18, 50), text: "Ben deletes the dinner while Mina's app is shut") {
            try await $0.backend("delete from cuecard.event where title = 'Dinner at home'")
        },
    ]
}
