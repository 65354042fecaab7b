import Foundation
import LiveActivity

/// One event at Unix 1700000000 (2023-11-14T22:13:20Z), an hour long.
enum Sample {
    static let runID = UUID(uuidString: "0B5E1A44-6A0E-4C60-9A43-0D3E1D2C3B4A")!
    static let eventID = UUID(uuidString: "E7B1C0DE-1111-4222-8333-944455556666")!

    static func context(
        title: String = "Dentist", location: String? = "Main St 5/3", details: JSON = .null, phase: Phase = .upcoming,
        minutes: Int = 60, locale: String? = "en-US"
    ) -> CardContext {
        CardContext(
            runID: runID, eventID: eventID, title: title, location: location, details: details,
            start: Date(timeIntervalSince1970: 1_700_000_000), end: Date(timeIntervalSince1970: 1_700_003_600),
            phase: phase, minutes: minutes, locale: locale)
    }

    static func template(_ contentState: JSON? = nil, alert: JSON? = nil) throws -> CardTemplate {
        try CardTemplate(attributesType: "EventAttributes", contentState: contentState, alert: alert)
    }

    /// The content state of a template for the sample's context.
    static func content(_ contentState: JSON, _ context: CardContext = context()) throws -> JSON {
        try template(contentState).render(context).contentState
    }

    static func start(
        _ template: CardTemplate, _ context: CardContext = context(), timestamp: Int64 = 1_699_996_400,
        staleDate: Int64? = nil, inputPushToken: Bool = false
    ) throws -> [UInt8] {
        try CardPayload.start(
            template: template, context: context, timestamp: timestamp, staleDate: staleDate,
            inputPushToken: inputPushToken)
    }

    static func update(
        _ template: CardTemplate, _ context: CardContext = context(), timestamp: Int64 = 1_700_000_000,
        staleDate: Int64? = nil
    ) throws -> [UInt8] {
        try CardPayload.update(template: template, context: context, timestamp: timestamp, staleDate: staleDate)
    }
}

/// What a phone reads: the whole body, through a decoder that nobody touched.
struct Received<Attributes: Decodable, State: Decodable>: Decodable {
    struct APS: Decodable {
        var timestamp: Int64
        var event: String
        var attributes: Attributes?
        var state: State

        enum CodingKeys: String, CodingKey {
            case timestamp
            case event
            case attributes
            case state = "content-state"
        }
    }

    var aps: APS
}

func received<Attributes: Decodable, State: Decodable>(
    _ bytes: [UInt8], _: Attributes.Type, _: State.Type
) throws -> Received<Attributes, State>.APS {
    try JSONDecoder().decode(Received<Attributes, State>.self, from: Data(bytes)).aps
}

/// The structs that the README tells an app to declare for the product's own templates.
struct DefaultAttributes: Decodable, Equatable {
    var runId: UUID
    var eventId: UUID
}

struct DefaultState: Decodable, Equatable {
    var title: String
    var location: String?
    var startsAt: Date
    var endsAt: Date
    var phase: String
    var details: [String: String]?
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
