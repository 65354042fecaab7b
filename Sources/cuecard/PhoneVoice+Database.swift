import Foundation
import PostgresStore
import Simulator

extension PhoneVoice {
    /// Lets the simulated apps call the RPCs as the signed-in user of their device, as PostgREST would for them.
    ///
    /// Needs a connection that may read the ledger and become `authenticated`; the worker's may not.
    static func database(_ connection: Connection) -> PhoneVoice {
        PhoneVoice(
            registerActivity: { registration in
                let call: Statement
                let owner: Statement
                switch registration.origin {
                case .push(let run):
                    guard let run else { return Answer(state: "unknown") }
                    owner = Self.owner(ofRun: run)
                    call = Statement(
                        "register_activity",
                        "select cuecard.register_activity(run_id => $1::uuid, activity_id => $2, update_token => $3)",
                        [run, registration.activityID, registration.updateToken])
                case .app(let event, let occurrence):
                    owner = Statement(
                        "owner", "select user_id from cuecard.device where id = $1::uuid", [registration.phoneID])
                    call = Statement(
                        "register_activity",
                        """
                        select cuecard.register_activity(device_id => $1::uuid, event_id => $2::uuid,
                            occurrence => $3::timestamp, activity_id => $4, update_token => $5)
                        """,
                        [registration.phoneID, event, occurrence, registration.activityID, registration.updateToken])
                }
                return try await connection.answer(to: call, as: owner)
            },
            reportActivity: { report in
                let call = Statement(
                    "report_activity", "select cuecard.report_activity($1::uuid, $2, $3)",
                    [report.runID, report.activityID, report.state])
                return try await connection.answer(to: call, as: Self.owner(ofRun: report.runID))
            })
    }

    private static func owner(ofRun run: String) -> Statement {
        Statement(
            "owner",
            "select d.user_id from cuecard.run r join cuecard.device d on d.id = r.device_id where r.id = $1::uuid",
            [run])
    }
}

extension Connection {
    /// What an RPC answers when this user calls it.
    fileprivate func answer(to call: Statement, as owner: Statement) async throws -> PhoneVoice.Answer {
        let text = try await transaction { run in
            guard let user = try run(owner).first?[0] else { return "{\"state\": \"unknown\", \"end\": true}" }
            try Self.signIn(user, run)
            return try run(call)[0][0] ?? "{}"
        }
        struct Answer: Decodable {
            var state: String?
            var end: Bool?
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(text.utf8))
        return PhoneVoice.Answer(state: answer.state ?? "", end: answer.end ?? false)
    }

    /// Runs a statement as a signed-in user, as PostgREST does.
    func run(_ statement: Statement, as user: String) async throws -> Rows {
        try await transaction { run in
            try Self.signIn(user, run)
            return try run(statement)
        }
    }

    private static func signIn(_ user: String, _ run: (Statement) throws -> Rows) throws {
        let claims = try String(decoding: JSONEncoder().encode(["sub": user]), as: UTF8.self)
        _ = try run(Statement("claims", "select set_config('request.jwt.claims', $1, true)", [claims]))
        _ = try run(Statement("role", "set local role authenticated"))
    }
}
