import APNs
import HTTPEndpoint
import LambdaRuntime
import PostgresStore
import PrivatePostgres
import Simulator

/// What the process says to whoever started it (sysexits.h).
enum ExitCode: Int32 {
    case done = 0
    case findings = 1
    case usage = 64
    case unreadableInput = 65
    case unavailable = 69
    case internalFault = 70
    case workLeft = 75
    case configuration = 78

    /// SQLSTATE classes of what passes by itself or with the server's repair, such as a lock, a deadlock or a full disk.
    private static let passingClasses: Set<Substring> = ["08", "28", "3D", "40", "53", "55", "57", "58", "XX"]

    /// The code for an error that nobody turned into a ``Failure``.
    static func failure(of error: any Error) -> ExitCode {
        switch error {
        case let error as PostgresError:
            if case .refused(let refusal) = error {
                return Self.passingClasses.contains(refusal.code.prefix(2)) ? .unavailable : .configuration
            }
            if case .malformedURL = error { return .configuration }
            return .unavailable
        case is APNsError, is HTTPEndpointError, is SimulatorError: return .configuration
        case is PrivatePostgresError, is RuntimeAPIError: return .unavailable
        default: return .internalFault
        }
    }
}

/// The end of a command, with one line that names the thing and the mend.
struct Failure: Error {
    var code: ExitCode
    var message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
