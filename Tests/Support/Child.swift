public import Foundation

/// A child process with its output kept; it is killed when the last reference to it goes.
public final class Child: Sendable {
    /// How a child ended and what it wrote.
    public struct Result: Sendable, Equatable {
        /// The exit code; 128 + the signal's number where a signal ended it, as a shell says it.
        public var code: Int32
        public var output: String
        public var errors: String
    }

    private let process: Process
    private let outputFile: FileHandle
    private let errorFile: FileHandle

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: The whole environment but for `PATH`, which is ours.
    ///   - input: What it reads on standard input; nothing follows.
    ///   - directory: Where it runs; nil means where the tests run.
    public init(
        _ program: URL, _ arguments: [String] = [], environment: [String: String] = [:], input: String = "",
        directory: URL? = nil
    ) throws {
        // Files, not pipes: nobody has to drain them, and their text can be read while the child runs.
        outputFile = try Self.unnamedFile()
        errorFile = try Self.unnamedFile()
        let inputFile = try Self.unnamedFile()
        try inputFile.write(contentsOf: Data(input.utf8))
        try inputFile.seek(toOffset: 0)
        process = Process()
        process.executableURL = program
        process.arguments = arguments
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        process.environment = ["PATH": path].merging(environment) { $1 }
        if let directory { process.currentDirectoryURL = directory }
        process.standardInput = inputFile
        process.standardOutput = outputFile
        process.standardError = errorFile
        try process.run()
    }

    deinit { signal(SIGKILL) }

    /// Starts a program and waits for its end.
    public static func run(
        _ program: URL, _ arguments: [String] = [], environment: [String: String] = [:], input: String = ""
    ) async throws -> Result {
        try await Child(program, arguments, environment: environment, input: input).result()
    }

    /// What it wrote on standard output so far.
    public var output: String { Self.text(outputFile) }

    /// What it wrote on standard error so far.
    public var errors: String { Self.text(errorFile) }

    /// The child's process id.
    public var processID: Int32 { process.processIdentifier }

    /// Whether it has not ended yet.
    public var isRunning: Bool { process.isRunning }

    /// Sends a signal, if it still runs.
    public func signal(_ number: Int32) {
        if process.isRunning { kill(process.processIdentifier, number) }
    }

    /// Waits for its end.
    public func result() async throws -> Result {
        while process.isRunning { try await Task.sleep(for: .milliseconds(5)) }
        let code = process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus
        return Result(code: code, output: output, errors: errors)
    }

    private static func unnamedFile() throws -> FileHandle {
        var template = Array((NSTemporaryDirectory() + "/cuecard-child.XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(template)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Reads without moving the offset, which the child shares.
    private static func text(_ file: FileHandle) -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(file.fileDescriptor, &chunk, chunk.count, off_t(bytes.count))
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }
}
