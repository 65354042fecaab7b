import Foundation
import Simulator
import Testing

@testable import APNs

@Suite("FR-57: trusted roots") struct TrustTests {
    @Test("A root is found by its subject where its file is given, and not otherwise")
    func findsRoot() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cuecard-\(UUID().uuidString).pem")
        defer { try? FileManager.default.removeItem(at: file) }
        var options = SimulatorOptions { Date() }
        options.caFile = file.path
        let simulator = try APNsSimulator(options)
        defer { simulator.stop() }
        let subject = [(field: "CN", value: "Cuecard simulator CA")]
        #expect(try TLSContext(caFile: file.path).holdsRoot(subject))
        #expect(try !TLSContext(caFile: nil).holdsRoot(subject))
        #expect(try !TLSContext(caFile: file.path).holdsRoot([(field: "CN", value: "Cuecard simulator")]))
    }

    @Test("Apple's root is in Debian's ca-certificates", .enabled(if: FileManager.default.fileExists(atPath: debian)))
    func findsApplesRoot() throws {
        #expect(try PushSender.trustsApple(caFile: debian))
        #expect(try PushSender.trustsApple())
    }
}

private let debian = "/etc/ssl/certs/ca-certificates.crt"
