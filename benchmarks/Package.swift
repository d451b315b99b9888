// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "plumb-benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "plumb", path: ".."),
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.0", traits: []),
  ],
  targets: [
    // The parts of a lookup, measured separately: `swift package benchmark`.
    .executableTarget(
      name: "RasterParts",
      dependencies: [
        .product(name: "Plumb", package: "plumb"),
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/RasterParts",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
  ],
  swiftLanguageModes: [.v6]
)
