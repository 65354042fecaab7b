import APNs
import Foundation
import LiveActivity
import Simulator
import Testing

@Suite("I1: whatever goes wrong, no push is processed twice and no outcome lies") struct ChaosTests {
    /// SplitMix64: the same faults for the same seed.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }

    private func fault(_ random: inout Generator) -> Fault.Effect {
        let processed = Bool.random(using: &random)
        return switch Int.random(in: 0..<7, using: &random) {
        case 0: .goAway(processed: processed)
        case 1: .close(processed: processed)
        case 2: .reset(code: 7, processed: false)
        case 3: .reset(code: 2, processed: processed)
        case 4: .noAnswer(processed: processed)
        case 5: .reject(Rejection(503, "ServiceUnavailable"))
        default: .delay(.milliseconds(30))
        }
    }

    @Test("3000 pushes through random faults", arguments: [UInt64(1), 2, 3, 4])
    func randomFaults(seed: UInt64) async throws {
        var random = Generator(state: seed)
        let traits = ConnectionTraits(
            firstStreamLimit: Bool.random(using: &random) ? 1 : nil,
            streamLimit: [1, 5, 50].randomElement(using: &random) ?? 50,
            hasNarrowWindow: Bool.random(using: &random))
        let rig = try Rig(traits: traits) { configuration, _ in
            configuration.requestDeadline = .seconds(3)
            configuration.connectionsPerKey = 4
        }
        for _ in 0..<60 {
            rig.simulator.add(Fault(fault(&random), token: push(Int.random(in: 1...3000, using: &random)).token.hex))
        }
        let all = pushes(3000)
        let outcomes = await rig.send(all)
        let processed = rig.processed
        var kinds: [String: Int] = [:]
        for (push, outcome) in zip(all, outcomes) {
            let times = processed[push.token.hex] ?? 0
            switch outcome {
            case .accepted:
                kinds["accepted", default: 0] += 1
                #expect(times == 1, "seed \(seed)")
            case .rejected:
                kinds["rejected", default: 0] += 1
                #expect(times == 0, "seed \(seed)")
            case .failed(.notProcessed(let reason)):
                kinds["not processed: \(reason)", default: 0] += 1
                #expect(times == 0, "seed \(seed): \(reason)")
            case .failed(.unknown(let reason)):
                kinds["unknown", default: 0] += 1
                #expect(times <= 1, "seed \(seed): \(reason)")
            }
        }
        #expect(kinds["accepted", default: 0] > 2000, "seed \(seed): \(kinds)")
        #expect(kinds["unknown", default: 0] > 0, "seed \(seed): \(kinds)")
    }

    @Test("A server that stops reading: what never reached TLS is not processed, what did is unknown")
    func stopsReading() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: nil, streamLimit: 20_000)) { configuration, _ in
            configuration.requestDeadline = .seconds(2)
            configuration.connectionsPerKey = 1
        }
        #expect(await rig.send(push(1)) == .accepted)
        rig.simulator.freezeConnections()
        var all = pushes(4000)
        for index in all.indices { all[index].payload += [UInt8](repeating: 0x20, count: 3900) }
        let outcomes = await rig.sender.send(all, deadline: .now + .seconds(1))
        let unknown = outcomes.filter(\.isUnknown).count
        let notProcessed = outcomes.filter { $0.notProcessed != nil }.count
        #expect(unknown + notProcessed == 4000)
        #expect(unknown > 0)
        #expect(notProcessed > 0)
        #expect(rig.simulator.requests.count == 1)
    }
}
