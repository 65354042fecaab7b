public import Foundation
internal import Planning

extension Store {
    /// How things stand for this worker's lanes; see `cuecard.worker_status`.
    public struct WorkerStatus: Sendable, Decodable {
        /// A lane that is overdue or paused.
        public struct Lane: Sendable, Decodable {
            /// `sandbox` or `production`.
            public var environment: String
            /// The app.
            public var bundleID: String
            /// For how many minutes no tick came by; nil: not overdue.
            public var minutes: Int?
            /// Why it is paused, in APNs's word; nil: not paused.
            public var reason: String?

            private enum CodingKeys: String, CodingKey {
                case environment, minutes, reason
                case bundleID = "bundle_id"
            }
        }

        /// Lanes with due devices that no tick came by for three minutes.
        public var overdue: [Lane]
        /// Changes of the calendar that have waited as long.
        public var waitingChanges: Int
        /// Lanes stopped for a fault of their credential.
        public var paused: [Lane]
        /// How many lanes there are.
        public var lanes: Int
        /// When a tick last came by one of them, in Unix seconds; nil: never.
        public var lastTick: Double?

        private enum CodingKeys: String, CodingKey {
            case overdue, paused, lanes
            case waitingChanges = "waiting_changes"
            case lastTick = "last_tick"
        }
    }

    /// Asks how things stand.
    public func workerStatus(at now: Date) async throws -> WorkerStatus {
        let rows = try await connection.run(
            Statement(
                "worker_status", "select cuecard.worker_status($1::timestamptz, $2::text[], $3::text[])",
                [now.rfc3339, environments, bundles]), timeout: .seconds(5), isRepeatable: true)
        return try decode(WorkerStatus.self, rows, "worker_status")
    }
}
