// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "plumb",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Plumb", targets: ["Plumb"]),
    .executable(name: "plumb", targets: ["PlumbCommand"]),
    // The helper process that opens formats for programs other than Plumb's; it is installed next
    // to their library.
    .executable(name: "plumb-reader", targets: ["PlumbReader"]),
    // `Sources/PlumbC/link-library` links this library into a shared library with the C interface.
    .library(name: "PlumbC", type: .static, targets: ["PlumbC"]),
    // Modules that are useful separately, each with the modules of the types in its interface.
    .library(name: "PlumbGDAL", targets: ["PlumbGDAL", "PlumbRaster", "PlumbCore"]),
    .library(name: "PlumbGeometry", targets: ["PlumbGeometry", "PlumbCore"]),
    .library(name: "PlumbRaster", targets: ["PlumbRaster", "PlumbCore"]),
    .library(name: "PlumbFormats", targets: ["PlumbFormats", "PlumbIO", "PlumbCore"]),
    .library(
      name: "PlumbExpressions", targets: ["PlumbExpressions", "PlumbGeometry", "PlumbCore"]),
    .library(
      name: "PlumbLayers",
      targets: ["PlumbLayers", "PlumbExpressions", "PlumbGeometry", "PlumbRaster", "PlumbCore"]),
    .library(
      name: "PlumbNetwork",
      targets: ["PlumbNetwork", "PlumbExpressions", "PlumbGeometry", "PlumbCore"]),
    .library(
      name: "PlumbGeotriggers",
      targets: ["PlumbGeotriggers", "PlumbExpressions", "PlumbGeometry", "PlumbCore"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
  ],
  targets: [
    // One target per C library.
    .systemLibrary(
      name: "CTIFF", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"]), .brew(["libtiff"])]),
    // libgdal-dev installs the SQLite that GDAL uses; the sandbox restricts its connections.
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // Used by libtiff; its headers are installed with those of libtiff.
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Also used by libtiff: decodes most tiles.
    .systemLibrary(
      name: "CDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .target(name: "CKernels"),
    .target(name: "CFault"),
    // libcurl, loaded on first use: not needed to build.
    .target(
      name: "CCurl", dependencies: ["CLoader"],
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // Loads libraries on first use; detects whether the process has been forked since.
    .target(
      name: "CLoader", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    // The kernel's sandbox (empty on systems other than Linux) and helper processes.
    .target(
      name: "CSandbox", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),

    .target(name: "PlumbCore"),
    .target(
      name: "PlumbIO",
      dependencies: [
        "PlumbCore", "CDeflate", "CZlib", "CZstd", "CFault", "CCurl", "CLoader", "CKernels",
      ]),
    .target(
      name: "PlumbGeometry", dependencies: ["PlumbCore", "CGEOS", "CPROJ", "CKernels"]),
    .target(name: "PlumbRaster", dependencies: ["PlumbCore", "CKernels"]),
    .target(name: "PlumbSandbox", dependencies: ["PlumbCore", "PlumbIO", "CSandbox"]),
    .target(name: "PlumbFormats", dependencies: ["PlumbCore", "PlumbIO"]),
    // Flat Parquet and GeoParquet.
    .target(name: "PlumbParquet", dependencies: ["PlumbCore", "PlumbIO"]),
    .target(name: "PlumbExpressions", dependencies: ["PlumbCore", "PlumbIO", "PlumbGeometry"]),
    .target(
      name: "PlumbGDAL",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbRaster", "PlumbGeometry", "PlumbSandbox", "CGDAL", "CSQLite",
      ]),
    // The helper process for programs other than Plumb's.
    .executableTarget(name: "PlumbReader", dependencies: ["PlumbGDAL"]),
    .target(
      name: "PlumbTIFF",
      dependencies: ["PlumbCore", "PlumbIO", "PlumbRaster", "CTIFF", "CKernels"]),
    .target(
      name: "PlumbLayers",
      dependencies: ["PlumbCore", "PlumbGeometry", "PlumbRaster", "PlumbExpressions"]),
    .target(
      name: "PlumbDrawing",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbLayers", "CCairo",
      ]),
    .target(
      name: "PlumbNetwork",
      dependencies: [
        "PlumbCore", "PlumbGeometry", "PlumbExpressions",
        .product(name: "HeapModule", package: "swift-collections"),
      ]),
    .target(
      name: "PlumbGeotriggers", dependencies: ["PlumbCore", "PlumbGeometry", "PlumbExpressions"]),
    // Opens paths in the sandbox and returns their contents.
    .target(
      name: "PlumbSources",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
        "PlumbTIFF", "PlumbParquet",
      ]),
    .target(
      name: "PlumbDocuments",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
        "PlumbExpressions", "PlumbLayers", "PlumbNetwork", "PlumbSources",
      ]),
    .target(
      name: "PlumbFeeds",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
        "PlumbExpressions", "PlumbLayers", "PlumbGeotriggers", "PlumbSources",
      ]),
    .target(
      name: "PlumbBatch",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
        "PlumbExpressions", "PlumbLayers", "PlumbParquet", "PlumbSources",
      ]),
    .target(
      name: "Plumb",
      dependencies: [
        "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
        "PlumbTIFF", "PlumbExpressions", "PlumbLayers", "PlumbDrawing", "PlumbNetwork",
        "PlumbGeotriggers", "PlumbSources", "PlumbDocuments", "PlumbFeeds", "PlumbBatch",
      ]),
    // A type for each verb, with the options, the rules for them, and the code that runs the verb.
    .target(
      name: "PlumbVerbs",
      dependencies: [
        "Plumb", "PlumbCore", "PlumbIO", "PlumbRaster", "PlumbFormats", "PlumbExpressions",
        "PlumbLayers", "PlumbNetwork", "PlumbGeotriggers", "PlumbDocuments", "PlumbFeeds",
        "PlumbBatch",
      ]),
    // The header of the C interface, which PlumbC implements.
    .systemLibrary(name: "CPlumb", path: "Sources/PlumbC/include"),
    .target(
      name: "PlumbC", dependencies: ["PlumbVerbs", "Plumb", "CLoader", "CPlumb"],
      exclude: ["include", "link-library"]),
    .executableTarget(
      name: "PlumbCommand",
      dependencies: [
        "PlumbVerbs", "Plumb", "PlumbSandbox",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // The embedded files of the server's page.
    .target(name: "CPage", exclude: ["page"]),
    // Turns requests into replies, without sockets.
    .target(
      name: "PlumbService",
      dependencies: [
        "CPage", "PlumbVerbs", "Plumb", "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster",
        "PlumbFormats", "PlumbExpressions", "PlumbLayers", "PlumbDrawing", "PlumbNetwork",
        "PlumbDocuments", "PlumbBatch", "PlumbParquet",
      ]),
    .target(
      name: "PlumbTestSupport",
      dependencies: ["PlumbGDAL", "PlumbCore", "CSQLite", "CForkClient"],
      path: "Tests/PlumbTestSupport"),
    // Runs the commands of tests in forks of a loaded program instead of loading the program for
    // each command.
    .target(name: "CForkClient", path: "Tests/CForkClient"),
    // Runs all parsers of bytes on damaged input. `Tests/fuzz-parsers` runs this program.
    .executableTarget(
      name: "PlumbFuzz",
      dependencies: [
        "Plumb", "PlumbCore", "PlumbIO", "PlumbFormats", "PlumbGDAL", "PlumbTIFF", "PlumbRaster",
        "PlumbExpressions", "PlumbGeometry", "PlumbGeotriggers", "PlumbLayers", "PlumbSources",
        "PlumbDocuments", "PlumbParquet", "PlumbFeeds", "PlumbService", "PlumbTestSupport",
      ],
      path: "Tests/PlumbFuzz"),
    .testTarget(name: "PlumbFuzzTests", dependencies: ["PlumbFuzz"]),
    // Generates the committed samples and the large rasters of the benchmarks.
    .executableTarget(
      name: "plumb-rasters",
      dependencies: [
        "PlumbGDAL", "PlumbRaster", "PlumbCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "rasters/Sources/PlumbRasters"),
    // Plumb's part of the array workloads in the benchmarks that compare it with other libraries.
    .executableTarget(
      name: "plumb-workload", dependencies: ["Plumb"], path: "benchmarks/Sources/PlumbWorkload"),
    .testTarget(
      name: "PlumbIOTests", dependencies: ["PlumbIO", "PlumbCore", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbFormatsTests",
      dependencies: ["PlumbFormats", "PlumbIO", "PlumbCore", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbParquetTests",
      dependencies: ["PlumbParquet", "PlumbIO", "PlumbCore", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbLayersTests",
      dependencies: [
        "PlumbLayers", "PlumbExpressions", "PlumbGeometry", "PlumbRaster", "PlumbCore", "CGEOS",
        "PlumbTestSupport",
      ]),
    .testTarget(
      name: "PlumbExpressionsTests",
      dependencies: ["PlumbExpressions", "PlumbCore", "PlumbGDAL", "CGDAL", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbNetworkTests",
      dependencies: [
        "PlumbNetwork", "PlumbExpressions", "PlumbGeometry", "PlumbCore", "PlumbTestSupport",
      ]),
    .testTarget(
      name: "PlumbGeotriggersTests",
      dependencies: [
        "PlumbGeotriggers", "PlumbExpressions", "PlumbGeometry", "PlumbCore", "CGEOS",
        "PlumbTestSupport",
      ]),
    .testTarget(
      name: "PlumbGDALTests",
      dependencies: ["PlumbGDAL", "PlumbGeometry", "PlumbCore", "CGDAL", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbGeometryTests",
      dependencies: ["PlumbGeometry", "PlumbCore", "CGEOS", "CPROJ", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbRasterTests", dependencies: ["PlumbRaster", "PlumbCore", "PlumbTestSupport"]),
    .testTarget(
      name: "PlumbTests",
      dependencies: [
        "Plumb", "PlumbVerbs", "PlumbBatch", "PlumbFeeds", "PlumbGDAL", "PlumbIO", "PlumbSources",
        "PlumbTIFF", "PlumbDrawing",
        "CCairo", "CGDAL", "CSQLite", "PlumbTestSupport",
      ]),
    .testTarget(
      name: "PlumbServiceTests",
      dependencies: [
        "PlumbService", "PlumbVerbs", "Plumb", "PlumbDocuments", "PlumbFormats", "PlumbGDAL",
        "PlumbCommand", "PlumbTestSupport",
      ]),
    .testTarget(
      name: "PlumbCTests",
      dependencies: ["PlumbC", "CPlumb", "Plumb", "PlumbTestSupport"]),
    .testTarget(
      name: "ParityTests",
      dependencies: [
        "PlumbC", "CPlumb", "PlumbService", "PlumbCommand", "PlumbVerbs", "Plumb", "PlumbIO",
        "PlumbTestSupport",
      ], exclude: ["points.csv", "requests.jsonl"]),
    .testTarget(
      name: "PlumbCommandTests",
      dependencies: ["PlumbCommand", "PlumbGDAL", "CLoader", "PlumbTestSupport"]),
  ],
  swiftLanguageModes: [.v6]
)

// The server is part of the package only if PLUMB_WITH_SERVER is set, because its packages take minutes to
// compile. Setting it does not recompile the other modules.
if Context.environment["PLUMB_WITH_SERVER"] != nil {
  package.products.append(.executable(name: "plumb-server", targets: ["PlumbServer"]))
  package.dependencies += [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0", traits: []),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.20.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
  ]
  package.targets += [
    .executableTarget(
      name: "PlumbServer",
      dependencies: [
        "PlumbService", "Plumb", "PlumbSandbox", "PlumbIO", "PlumbCore",
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "TLSClient",
      dependencies: [
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
      ], path: "Tests/TLSClient"),
    .testTarget(
      name: "PlumbServerTests",
      dependencies: [
        "PlumbServer", "PlumbCommand", "Plumb", "PlumbTestSupport", "TLSClient",
      ]),
  ]
}

// Warnings are errors if PLUMB_STRICT is set, as in CI; not in tests, because the macros of Swift Testing
// expand to code with warnings.
if Context.environment["PLUMB_STRICT"] != nil {
  for target in package.targets
  where target.type == .regular || target.type == .executable {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
  }
}

// Loaded on first use on Linux, so that a run that does not need them is not delayed, and so that a
// process may contain other versions of them; linked on other systems.
#if os(Linux)
  package.targets += [
    .target(name: "CGDAL", dependencies: ["CLoader"]),
    .target(name: "CPROJ", dependencies: ["CLoader"]),
    .target(name: "CGEOS", dependencies: ["CLoader"]),
    .target(name: "CCairo", dependencies: ["CLoader"]),
  ]
#else
  package.targets += [
    .systemLibrary(
      name: "CGDAL", path: "Sources/CGDAL/include", pkgConfig: "gdal", providers: [.brew(["gdal"])]),
    .systemLibrary(
      name: "CPROJ", path: "Sources/CPROJ/include", pkgConfig: "proj", providers: [.brew(["proj"])]),
    .systemLibrary(
      name: "CGEOS", path: "Sources/CGEOS/include", pkgConfig: "geos", providers: [.brew(["geos"])]),
    .systemLibrary(
      name: "CCairo", path: "Sources/CCairo/include", pkgConfig: "cairo",
      providers: [.brew(["cairo"])]),
  ]
#endif

let modules = package.targets.filter {
  [.regular, .executable].contains($0.type)
    && ![
      "CKernels", "CFault", "CSandbox", "CCurl", "CLoader", "CGDAL", "CPROJ", "CGEOS", "CCairo",
      "CPage", "CForkClient",
    ].contains($0.name)
}
// Features of a later language mode that can be enabled now at no cost. Not included:
// NonisolatedNonsendingByDefault, with which a monitor would prepare its fences on the caller's
// actor; InternalImportsByDefault and MemberImportVisibility, which would add an import to most
// files.
for target in modules {
  target.swiftSettings =
    (target.swiftSettings ?? []) + [
      .enableUpcomingFeature("ExistentialAny"),
      .enableUpcomingFeature("InferIsolatedConformances"),
      .enableUpcomingFeature("ImmutableWeakCaptures"),
    ]
}
// Lets tests of a release build access internal declarations if PLUMB_TESTS is set. Programs and
// tests are compiled with the same options, so each module is built only once.
if Context.environment["PLUMB_TESTS"] != nil {
  for target in modules {
    target.swiftSettings =
      (target.swiftSettings ?? []) + [
        .unsafeFlags(["-enable-testing"], .when(configuration: .release))
      ]
  }
  // Optimizing the tests would take longer than it would save when they run.
  for target in package.targets where target.type == .test {
    target.swiftSettings = [.unsafeFlags(["-Onone"], .when(configuration: .release))]
  }
}
// In these modules every unsafe use of memory is marked with `unsafe`.
let marked = ["PlumbExpressions", "PlumbLayers", "PlumbNetwork", "PlumbGeotriggers"]
for target in modules where marked.contains(target.name) {
  target.swiftSettings = (target.swiftSettings ?? []) + [.strictMemorySafety()]
}
