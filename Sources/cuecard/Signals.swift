import Dispatch
import Foundation

/// SIGTERM and SIGINT as something to wait for.
enum Signals {
    /// Returns once either comes; from the call on neither ends the process by itself.
    static func termination() async {
        let (signals, arrival) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { arrival.yield() }
            source.resume()
            return source
        }
        for await _ in signals { break }
        for source in sources { source.cancel() }
    }
}
