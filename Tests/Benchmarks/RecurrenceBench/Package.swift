// swift-tools-version: 6.2
import PackageDescription

/// Apart from the product's package, so that only the bench builds it.
let package = Package(
    name: "RecurrenceBench",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "cuecard", path: "../../..")],
    targets: [
        .executableTarget(name: "Bench", dependencies: [.product(name: "Recurrence", package: "cuecard")])
    ],
    swiftLanguageModes: [.v6]
)
