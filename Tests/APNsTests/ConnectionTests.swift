import APNs
import Foundation
import Glibc
import LiveActivity
import Simulator
import Testing

@Suite("Connections that fail") struct ConnectionTests {
    @Test("FR-53: one request without an answer fails by its deadline; the other 49 are accepted")
    func noAnswer() async throws {
        let rig = try Rig { configuration, _ in configuration.requestDeadline = .seconds(2) }
        rig.simulator.add(Fault(.noAnswer(processed: false), token: push(20).token.hex))
        let outcomes = await rig.send(pushes(50))
        #expect(outcomes[19].isUnknown)
        #expect(outcomes.filter { $0 == .accepted }.count == 49)
        #expect(rig.simulator.requests.count == 50)
    }

    @Test("FR-58: 30 pushes, 5 of them hanging: all are accounted for within 15 s", .timeLimit(.minutes(1)))
    func fiveHang() async throws {
        let rig = try Rig()
        for number in 1...5 {
            rig.simulator.add(Fault(.noAnswer(processed: true), token: push(number * 6).token.hex))
        }
        let begin = ContinuousClock.now
        let outcomes = await rig.send(pushes(30))
        #expect(ContinuousClock.now - begin < .seconds(15))
        #expect(outcomes.indices.filter { outcomes[$0].isUnknown } == [5, 11, 17, 23, 29])
        #expect(outcomes.filter { $0 == .accepted }.count == 25)
    }

    @Test("FR-54: GOAWAY after the tenth of 50: 40 go over a new connection, none twice")
    func goAway() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: nil)) { configuration, _ in
            configuration.connectionsPerKey = 1
        }
        rig.simulator.add(Fault(.goAway(processed: true), skip: 9))
        #expect(await rig.send(pushes(50)).allSatisfy { $0 == .accepted })
        #expect(rig.processed.count == 50)
        #expect(rig.processed.values.allSatisfy { $0 == 1 })
        let served = Dictionary(grouping: rig.simulator.requests.filter(\.isProcessed), by: \.connection)
        #expect(served.mapValues(\.count) == [1: 10, 2: 40])
    }

    @Test("GOAWAY with each request, without end: bounded repeats with the same apns-id, then not processed")
    func goAwayForEver() async throws {
        let rig = try Rig()
        rig.simulator.add(Fault(.goAway(processed: false), times: nil))
        let start = push(1, .start)
        #expect(await rig.send(start).notProcessed != nil)
        #expect((1...3).contains(rig.simulator.requests.count))
        #expect(
            rig.simulator.requests.allSatisfy { $0.header("apns-id") == start.id.uuidString.lowercased() })
    }

    @Test("FR-55: the server closed while idle: the next push is delivered once, over one new connection")
    func closedWhileIdle() async throws {
        let rig = try Rig()
        #expect(await rig.send(push(1)) == .accepted)
        rig.simulator.dropConnections()
        // Whether the close is noticed before the push or together with it, it must not be lost.
        let outcome = await rig.send(push(2))
        if outcome.isUnknown {
            #expect(rig.processed[push(2).token.hex] == nil)
        } else {
            #expect(outcome == .accepted)
            #expect(rig.processed[push(2).token.hex] == 1)
        }
        #expect(await rig.send(push(3)) == .accepted)
        #expect(rig.connections.count == 2)
    }

    @Test("FR-55: a connection that died without a word while idle is found out before a push is lost in it")
    func deadWhileIdle() async throws {
        let rig = try Rig { configuration, _ in configuration.idleProbe = .zero }
        #expect(await rig.send(push(1)) == .accepted)
        rig.simulator.freezeConnections()
        #expect(await rig.send(push(2, .start)) == .accepted)
        #expect(rig.processed[push(2).token.hex] == 1)
        #expect(rig.simulator.requests.map(\.connection) == [1, 2])
    }

    @Test("A live connection that was idle is probed and used again")
    func aliveWhileIdle() async throws {
        let rig = try Rig { configuration, _ in configuration.idleProbe = .zero }
        for number in 1...5 { #expect(await rig.send(push(number)) == .accepted) }
        #expect(rig.connections.count == 1)
    }

    @Test("Closed before the answer is unknown, processed or not, and is never repeated", arguments: [true, false])
    func closedBeforeAnswer(processed: Bool) async throws {
        let rig = try Rig()
        rig.simulator.add(Fault(.close(processed: processed)))
        #expect(await rig.send(push(1, .start)).isUnknown)
        #expect(rig.simulator.requests.count == 1)
        #expect(rig.processed.count == (processed ? 1 : 0))
        #expect(await rig.send(push(2)) == .accepted)
    }

    @Test("Answered, then closed, is answered: the last one before a GOAWAY, and a connection dropped afterwards")
    func answeredThenClosed() async throws {
        let rig = try Rig()
        rig.simulator.add(Fault(.goAway(processed: true)))
        #expect(await rig.send(push(1)) == .accepted)
        #expect(await rig.send(push(2)) == .accepted)
        #expect(rig.processed.values.allSatisfy { $0 == 1 })
        #expect(rig.simulator.requests.map(\.connection) == [1, 2])
    }

    @Test("A refused stream is repeated; one refused for ever is not processed")
    func refusedStream() async throws {
        let rig = try Rig()
        rig.simulator.add(Fault(.reset(code: 7, processed: false), token: push(1).token.hex, times: 2))
        #expect(await rig.send(push(1)) == .accepted)
        #expect(rig.simulator.requests.count == 3)
        rig.simulator.add(Fault(.reset(code: 7, processed: false), token: push(2).token.hex, times: nil))
        #expect(await rig.send(push(2)).notProcessed == "the server refused the stream")
        #expect(rig.simulator.requests.count == 6)
    }

    @Test("A stream reset with any other code is unknown and is not repeated", arguments: [UInt32(0), 2, 8])
    func resetStream(code: UInt32) async throws {
        let rig = try Rig()
        rig.simulator.add(Fault(.reset(code: code, processed: true)))
        #expect(await rig.send(push(1, .start)).isUnknown)
        #expect(rig.simulator.requests.count == 1)
        #expect(await rig.send(push(2)) == .accepted)
        #expect(rig.connections.count == 1)
    }

    @Test("Nobody listens: not processed, within a moment, and the message shows no secret")
    func refusedConnection() async throws {
        let rig = try Rig()
        rig.simulator.stop()
        let outcomes = await rig.send(pushes(20))
        let jwt = try #require(rig.table.history.first?.jwt)
        for (outcome, push) in zip(outcomes, pushes(20)) {
            let reason = try #require(outcome.notProcessed)
            #expect(reason.contains("localhost:\(rig.simulator.productionPort)"))
            #expect(!reason.contains(push.token.hex))
            #expect(!reason.contains(jwt))
        }
    }

    @Test("A server that takes the connection and says nothing: not processed by the connect deadline")
    func silentServer() async throws {
        let listener = try SilentListener()
        let rig = try Rig { configuration, _ in
            configuration.productionURL = URL(string: "https://127.0.0.1:\(listener.port)")
            configuration.connectDeadline = .milliseconds(300)
        }
        #expect(await rig.send(push(1)).notProcessed?.contains("TLS handshake") ?? false)
    }

    @Test("The batch's deadline: what has not gone out by then is not processed, and is never sent")
    func batchDeadline() async throws {
        let listener = try SilentListener()
        let rig = try Rig { configuration, _ in
            configuration.productionURL = URL(string: "https://127.0.0.1:\(listener.port)")
        }
        let outcomes = await rig.sender.send(pushes(3), deadline: .now + .milliseconds(200))
        #expect(outcomes.allSatisfy { $0.notProcessed == "its time ran out before it was sent" })
        let past = await rig.sender.send(pushes(3), deadline: .now - .seconds(1))
        #expect(past.allSatisfy { $0.notProcessed != nil })
    }

    @Test("A stream limit of one behind a request that hangs: the others wait no longer than the batch")
    func hangingFirst() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: 1)) { configuration, _ in
            configuration.requestDeadline = .seconds(12)
        }
        rig.simulator.add(Fault(.noAnswer(processed: false), times: nil))
        let outcomes = await rig.sender.send(pushes(5), deadline: .now + .seconds(8))
        #expect(outcomes[0].isUnknown)
        #expect(outcomes.dropFirst().allSatisfy { $0.notProcessed != nil })
        #expect(rig.simulator.requests.count == 1)
    }

    @Test("A server whose certificate nobody vouches for gets nothing")
    func untrusted() async throws {
        let rig = try Rig(trusted: false)
        #expect(await rig.send(push(1)).notProcessed?.contains("certificate is not trusted") ?? false)
        #expect(rig.simulator.requests.isEmpty)
    }

    @Test("A trusted certificate that does not name the host gets nothing")
    func wrongHost() async throws {
        let rig = try Rig { configuration, simulator in
            // Another spelling of 127.0.0.1, which the certificate does not hold.
            configuration.productionURL = URL(string: "https://127.1:\(simulator.productionPort)")
        }
        #expect(await rig.send(push(1)).notProcessed?.contains("certificate is not trusted") ?? false)
        #expect(rig.simulator.requests.isEmpty)
    }

    @Test("An address that the certificate names will do")
    func addressForHost() async throws {
        let rig = try Rig { configuration, simulator in
            configuration.productionURL = URL(string: "https://127.0.0.1:\(simulator.productionPort)")
        }
        #expect(await rig.send(push(1)) == .accepted)
    }

    @Test("Closed while pushes wait and hang: each gets its outcome; a closed sender sends nothing")
    func closing() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: 1))
        rig.simulator.add(Fault(.noAnswer(processed: false)))
        let sender = rig.sender
        async let outcomes = sender.send(pushes(3), deadline: .now + .seconds(30))
        try await rig.simulator.wait { $0.requests.count == 1 }
        sender.close()
        let got = await outcomes
        #expect(got[0].isUnknown)
        #expect(got.dropFirst().allSatisfy { $0.notProcessed == "the sender was closed" })
        #expect(await rig.send(push(9)).notProcessed == "the sender was closed")
        #expect(rig.simulator.requests.count == 1)
    }
}

@Suite("Limits of the server") struct LimitTests {
    @Test("A first limit of one: one request goes alone, the rest after it was raised, none refused")
    func firstLimit() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: 1, streamLimit: 100)) { configuration, _ in
            configuration.connectionsPerKey = 1
        }
        rig.simulator.add(Fault(.delay(.milliseconds(200))))
        #expect(await rig.send(pushes(300)).allSatisfy { $0 == .accepted })
        #expect(rig.simulator.requests.count == 300)
        #expect(rig.connections == [1])
    }

    @Test("A limit that stays at one: still every push, each once")
    func lastingLimit() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: 1, streamLimit: 1))
        #expect(await rig.send(pushes(200)).allSatisfy { $0 == .accepted })
        #expect(rig.simulator.requests.count == 200)
        #expect(rig.connections.count <= 8)
    }

    @Test("A narrow window: the pool grows while requests wait, up to its limit, and each push goes once")
    func narrowWindow() async throws {
        let rig = try Rig(traits: ConnectionTraits(firstStreamLimit: 1, hasNarrowWindow: true)) { configuration, _ in
            configuration.connectionsPerKey = 4
        }
        rig.simulator.add(Fault(.delay(.milliseconds(60)), times: nil))
        var large = pushes(1000)
        for index in large.indices { large[index].payload += [UInt8](repeating: 0x20, count: 2000) }
        #expect(await rig.send(large).allSatisfy { $0 == .accepted })
        #expect(rig.processed.values.allSatisfy { $0 == 1 })
        #expect(rig.processed.count == 1000)
        #expect((2...4).contains(rig.connections.count))
    }

    @Test("One connection is enough for what fits into it")
    func noNeedlessConnections() async throws {
        let rig = try Rig()
        for part in 0..<5 {
            #expect(await rig.send((1...50).map { push(part * 50 + $0) }).allSatisfy { $0 == .accepted })
        }
        #expect(rig.connections.count == 1)
    }
}

/// A socket that lets clients connect and never says a word.
final class SilentListener {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        try #require(isListening)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
