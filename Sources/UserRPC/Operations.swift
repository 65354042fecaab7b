public import HTTPEndpoint

extension RPCOperation {
    /// The apps' functions of `sql/rpc/app`, with the arguments that they have there.
    public static let all = [
        RPCOperation(
            "register_device", summary: "Tells of a device: tokens, zone, locale, wishes.",
            arguments: [
                .init("device_id", "uuid", isRequired: true), .init("bundle_id", "text"),
                .init("apns_environment", "text"), .init("time_zone", "text"), .init("locale", "text"),
                .init("push_to_start_token", "text"), .init("wake_token", "text"), .init("expo_token", "text"),
                .init("shows_personal", "boolean"), .init("shows_shared", "boolean"),
                .init("live_activities_enabled", "boolean"), .init("frequent_pushes_enabled", "boolean"),
                .init("os_version", "text"), .init("app_version", "text"),
            ]),
        RPCOperation(
            "unregister_device", summary: "Log-out: the device's cards are taken down.",
            arguments: [.init("device_id", "uuid", isRequired: true)], answersObject: false),
        RPCOperation(
            "register_activity", summary: "Tells of a card on the screen, and its token.",
            arguments: [
                .init("run_id", "uuid"), .init("activity_id", "text"), .init("update_token", "text"),
                .init("device_id", "uuid"), .init("event_id", "uuid"), .init("occurrence", "timestamp"),
            ]),
        RPCOperation(
            "report_activity", summary: "Tells what became of a card.",
            arguments: [
                .init("run_id", "uuid", isRequired: true), .init("activity_id", "text"), .init("state", "text"),
            ]),
    ]
}
