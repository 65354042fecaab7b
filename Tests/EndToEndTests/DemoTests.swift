import Foundation
import TestSupport
import Testing

@Suite("cuecard demo")
struct DemoTests {
    @Test("leaves nothing running and nothing behind, however it is ended", arguments: [SIGINT, SIGTERM, SIGKILL])
    func ended(signal: Int32) async throws {
        let files = FileManager.default
        let directory = files.temporaryDirectory.appendingPathComponent("cuecard-demo-\(UUID().uuidString)")
        try files.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { do { try files.removeItem(at: directory) } catch { Issue.record(error) } }
        /// The servers' folders; the demo's own may be gone altogether.
        func clusters() throws -> [String] {
            let demo = directory.appendingPathComponent(".demo").path
            guard files.fileExists(atPath: demo) else { return [] }
            return try files.contentsOfDirectory(atPath: demo).filter { $0.hasPrefix("cuecard-pg.") }
        }
        let demo = try Binary.start(["demo"], directory: directory)
        try await eventually("a card is started: \(demo.errors)", within: .seconds(120)) {
            demo.output.contains(" start ") || !demo.isRunning
        }
        // While it plays, its server is there: what is looked for below can be found.
        #expect(try clusters().count == 1)
        demo.signal(signal)
        try await eventually("its server is gone", within: .seconds(60)) { try clusters().isEmpty }
        let code = try await demo.result().code
        #expect(signal == SIGKILL ? code == 128 + SIGKILL : code != 128 + SIGKILL)
    }
}
