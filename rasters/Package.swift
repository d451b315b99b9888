// swift-tools-version: 6.2
import PackageDescription

// Makes the committed samples and the large rasters of the benchmarks. A package of its own, so
// that nobody who depends on Plumb builds it.
let package = Package(
  name: "plumb-rasters",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "plumb-rasters", targets: ["PlumbRasters"])],
  dependencies: [
    .package(name: "plumb", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "PlumbRasters",
      dependencies: [
        .product(name: "PlumbGDAL", package: "plumb"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
