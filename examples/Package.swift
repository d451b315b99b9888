// swift-tools-version: 6.2
import PackageDescription

// Short programs that show the use of the library, in a separate package so that packages that depend on
// Plumb do not build them. Each program is a folder of Sources.
func program(_ name: String) -> Target {
  .executableTarget(name: name, dependencies: [.product(name: "Plumb", package: "plumb")])
}

let package = Package(
  name: "plumb-examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "plumb", path: "..")],
  targets: [
    program("raster-cell"),
    program("identify-layers"),
    program("buffer-list"),
    program("valve-isolation"),
    program("geotriggers"),
  ],
  swiftLanguageModes: [.v6]
)
