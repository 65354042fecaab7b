// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A target of ours.
///
/// Imports point one way; `scripts/check` holds them to this list.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of one module, with what they share.
func tests(_ name: String, _ dependencies: [Target.Dependency], data: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["TestSupport"], exclude: data, swiftSettings: strict)
}

/// A C library as Debian ships it.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "cuecard",
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .library(name: "Recurrence", targets: ["Recurrence"]),
        .library(name: "LiveActivity", targets: ["LiveActivity"]),
        .executable(name: "cuecard", targets: ["cuecard"]),
    ],
    targets: [
        // Pure: no clock, no I/O. The first two also build for iOS.
        module("Recurrence"),
        module("LiveActivity"),
        module("Planning", ["Recurrence", "LiveActivity"]),

        // The story of one pass, told with closures.
        module("Tick", ["Planning", "LiveActivity", "Recurrence"]),

        // Input and output.
        module("APNs", ["LiveActivity", "CNghttp2", "COpenSSL"]),
        module("HTTPClient", ["CLibcurl"]),
        module("ExpoPush", ["LiveActivity", "HTTPClient"]),
        module("PostgresStore", ["Planning", "LiveActivity", "Recurrence", "CLibpq"]),
        module("PrivatePostgres"),
        module("HTTPEndpoint", ["CMicrohttpd"]),
        module("LambdaRuntime", ["LiveActivity", "HTTPClient"]),
        module("UserRPC", ["HTTPEndpoint", "PostgresStore", "COpenSSL", "HTTPClient"]),
        module("Simulator", ["LiveActivity", "CNghttp2", "COpenSSL"]),
        .executableTarget(
            name: "cuecard",
            dependencies: [
                "Recurrence", "LiveActivity", "Planning", "Tick", "APNs", "ExpoPush", "PostgresStore",
                "PrivatePostgres", "HTTPEndpoint", "LambdaRuntime", "UserRPC", "Simulator",
            ],
            exclude: ["sql"],
            swiftSettings: strict,
            plugins: ["EmbedSQL"]),

        // sql/ travels inside the binary.
        .executableTarget(name: "sqlgen", swiftSettings: strict),
        .plugin(name: "EmbedSQL", capability: .buildTool(), dependencies: ["sqlgen"], path: "Sources/EmbedSQL"),

        library("CLibcurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        library("CLibpq", pkgConfig: "libpq", apt: "libpq-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        library("CNghttp2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),

        .target(name: "TestSupport", dependencies: ["PrivatePostgres"], path: "Tests/Support", swiftSettings: strict),
        tests("RecurrenceTests", ["Recurrence", "cuecard"], data: ["Vectors", "Parity"]),
        tests("LiveActivityTests", ["LiveActivity"]),
        tests("PlanningTests", ["Planning", "Recurrence", "LiveActivity"]),
        tests("TickTests", ["Tick", "Planning", "Recurrence", "LiveActivity"]),
        tests("APNsTests", ["APNs", "Simulator", "LiveActivity", "COpenSSL"]),
        tests("PostgresStoreTests", ["PostgresStore", "Tick", "Planning", "LiveActivity", "Recurrence"]),
        tests("HTTPEndpointTests", ["HTTPEndpoint"]),
        tests("UserRPCTests", ["UserRPC", "HTTPEndpoint", "PostgresStore", "LiveActivity", "COpenSSL"]),
        tests("ExpoPushTests", ["ExpoPush", "HTTPEndpoint", "LiveActivity"]),
        tests("PrivatePostgresTests", ["PrivatePostgres"]),
        tests("SimulatorTests", ["Simulator", "LiveActivity", "CNghttp2", "COpenSSL"]),
        tests(
            "EndToEndTests",
            ["cuecard", "APNs", "PostgresStore", "Simulator", "LiveActivity", "Planning", "HTTPEndpoint"]),
        tests(
            "HuntTests",
            ["cuecard", "Tick", "APNs", "PostgresStore", "PrivatePostgres", "Simulator", "LiveActivity", "Planning"]),
    ],
    swiftLanguageModes: [.v6]
)
