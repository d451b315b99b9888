import Foundation
import PlumbTestSupport
import Testing

/// Compares the `import` lines of Sources and of the sample generator with the module table of the
/// design, and the types named in a module's files with the order of its folders.
@Suite struct ImportTests {
  /// The allowed imports of each module, in addition to the platform's C library, Synchronization
  /// and, except in PlumbCore, Foundation.
  private static let allowed: [String: Set<String>] = [
    "PlumbCore": [],
    "PlumbGeometry": ["PlumbCore", "CGEOS", "CPROJ", "CKernels"],
    "PlumbRaster": ["PlumbCore", "CKernels"],
    "PlumbIO": [
      "PlumbCore", "CDeflate", "CZlib", "CZstd", "CFault", "CCurl", "CLoader", "CKernels",
    ],
    "PlumbSandbox": ["PlumbCore", "PlumbIO", "CSandbox"],
    "PlumbFormats": ["PlumbCore", "PlumbIO"],
    "PlumbParquet": ["PlumbCore", "PlumbIO"],
    "PlumbExpressions": ["PlumbCore", "PlumbIO", "PlumbGeometry"],
    "PlumbGDAL": [
      "PlumbCore", "PlumbIO", "PlumbRaster", "PlumbGeometry", "PlumbSandbox", "CGDAL", "CSQLite",
    ],
    "PlumbReader": ["PlumbGDAL"],
    "PlumbTIFF": ["PlumbCore", "PlumbIO", "PlumbRaster", "CTIFF", "CKernels"],
    "PlumbLayers": ["PlumbCore", "PlumbGeometry", "PlumbRaster", "PlumbExpressions"],
    "PlumbDrawing": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbLayers", "CCairo",
    ],
    "PlumbNetwork": ["PlumbCore", "PlumbGeometry", "PlumbExpressions", "HeapModule"],
    "PlumbGeotriggers": ["PlumbCore", "PlumbGeometry", "PlumbExpressions"],
    "PlumbSources": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
      "PlumbTIFF", "PlumbParquet",
    ],
    "PlumbDocuments": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
      "PlumbExpressions", "PlumbLayers", "PlumbNetwork", "PlumbSources",
    ],
    "PlumbFeeds": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
      "PlumbExpressions", "PlumbLayers", "PlumbGeotriggers", "PlumbSources",
    ],
    "PlumbBatch": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbParquet",
      "PlumbGDAL", "PlumbExpressions", "PlumbLayers", "PlumbSources",
    ],
    "Plumb": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbExpressions",
      "PlumbGDAL", "PlumbTIFF", "PlumbLayers", "PlumbDrawing", "PlumbNetwork", "PlumbGeotriggers",
      "PlumbSources",
      "PlumbDocuments", "PlumbFeeds", "PlumbBatch",
    ],
    "PlumbVerbs": [
      "Plumb", "PlumbCore", "PlumbIO", "PlumbRaster", "PlumbFormats", "PlumbExpressions",
      "PlumbLayers", "PlumbNetwork", "PlumbGeotriggers", "PlumbDocuments", "PlumbFeeds",
      "PlumbBatch",
    ],
    "PlumbC": ["PlumbVerbs", "Plumb", "PlumbIO", "CLoader", "CPlumb"],
    "PlumbCommand": ["PlumbVerbs", "Plumb", "PlumbSandbox", "ArgumentParser", "Logging"],
    "PlumbService": [
      "CPage", "Plumb", "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats",
      "PlumbExpressions", "PlumbLayers", "PlumbDrawing", "PlumbNetwork", "PlumbDocuments",
      "PlumbBatch", "PlumbVerbs", "PlumbParquet",
    ],
    "PlumbServer": [
      "PlumbService", "Plumb", "PlumbSandbox", "PlumbIO", "PlumbCore", "Hummingbird",
      "HummingbirdCore", "HTTPTypes", "NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket",
      "NIOExtras",
      "NIOSSL",
      "Logging", "ArgumentParser", "Dispatch",
    ],
    "PlumbRasters": ["PlumbGDAL", "PlumbCore", "ArgumentParser"],
  ]
  /// The folders of a module in order, "" for the files outside of folders. A file may name types
  /// of its folder and of earlier folders. A nested folder is separate. Members that extensions add
  /// to a type of an earlier folder are not checked, except types.
  private static let folders: [String: [String]] = [
    // Geometries; other shared code.
    "PlumbCore": ["Geometry", ""],
    // Grids and the values of cells; the cells and tiles of points; reading tiles; the cache of tiles;
    // rasters of several files; the files of mosaics; interpolation; reading at located points, with
    // interpolation, and of mosaics; the sampler.
    "PlumbRaster": [
      "Grid", "Locate", "Tile", "Cache", "Composite", "Mosaic", "Interpolate", "Sample",
      "Sample/Interpolation", "Sample/Mosaic", "Sampler", "Coverage", "Zonal",
    ],
    // Bytes in and out, errors of formats; numbers as text; text formats; files over a network.
    "PlumbIO": ["", "Text", "Delimited", "JSON", "Time", "XML", "Remote"],
    // The error; indices; CRSs; GEOS; curves on the ellipsoid and the nearest points on them; the
    // operations; buffers, the geodesic ones first; the location of points in many shapes.
    "PlumbGeometry": [
      "", "SpatialIndex", "Reference", "GEOS", "Geodesic", "Nearest", "Engine", "Buffer/Geodesic",
      "Buffer", "Locate",
    ],
    // Values as text; geometries in each encoding; one folder per format.
    "PlumbFormats": [
      "", "Geometry", "Delimited", "GeoJSON", "EsriJSON", "NMEA", "EPANET", "UtilityNetwork",
      "Zarr",
    ],
    // Columns of values; Thrift; the reader and the writer of Parquet; Arrow.
    "PlumbParquet": ["Column", "Thrift", "Read", "Write", "Arrow"],
    // The error; conditions; for Arcade: dates and errors, patterns, values, functions, syntax, the
    // compiler, and the evaluation.
    "PlumbExpressions": [
      "", "SQL", "Cell", "Arcade", "Arcade/Format", "Arcade/Value", "Arcade/Function",
      "Arcade/Parse",
      "Arcade/Check", "Arcade/Evaluate",
    ],
    // GDAL's permissions, and its errors; files over a network; axes of arrays; reading in a helper
    // process; the library's set-up; virtual rasters; side files; rasters; GeoPackages' own
    // tables; databases; features; the replies of the helper.
    "PlumbGDAL": [
      "Access", "Remote", "Axes", "Helper", "Library", "Virtual", "SideFile", "Raster",
      "GeoPackage", "Database", "OGR", "HelperService",
    ],
    // The error; symbols; tables; elements, and their popups; layers and maps; results; several
    // rasters; queries of maps.
    "PlumbLayers": [
      "", "Symbol", "Table", "Element", "Popup", "Layer", "Map", "Result", "Raster", "Identify",
    ],
    // The error; shapes on a surface; the view; layers.
    "PlumbDrawing": ["", "Canvas", "View", "Legend", "Raster", "Layer"],
    // The definitions of networks and traces; the features as columns; nodes, arcs and marks on
    // them; the network; its assembly; results of traces; their traversal; the traces.
    "PlumbNetwork": [
      "Model", "Tables", "Graph", "Network", "Assembly", "Result", "Flood", "Trace",
    ],
    // Locations; fences and the distance to them; events; their detection; messages; monitors;
    // simulated tracks.
    "PlumbGeotriggers": [
      "Location", "Fence", "Event", "Track", "Message", "Monitor", "Simulated",
    ],
    // The type of a path; the folders of documents; tables; their output; points; features, including
    // points; the items of STAC documents; rasters; their dates.
    "PlumbSources": [
      "", "Folder", "Table", "Output", "Point", "Feature", "STAC", "Raster", "Dates",
    ],
    // The content of documents; requests to services; the folders of documents; layers of services;
    // maps; networks, whose features are from such folders and services.
    "PlumbDocuments": ["Document", "Session", "Folder", "Remote", "Map", "Network"],
    // Fences; feeds of locations; notifications; evaluation of expressions on files.
    "PlumbFeeds": ["Fence", "Feed", "Output", "Evaluation"],
    // The output formats of feature files; buffers; values; statistics of areas; stores of stacks.
    "PlumbBatch": ["Output", "Buffer", "Dates", "Identify", "Zonal", "Store"],
    // Opening a path; the description of a path.
    "Plumb": ["", "Info", "Picture"],
    // Options and their rules; a run and its output; the verbs.
    "PlumbVerbs": [
      "Options", "Run", "Trace", "Zonal", "Identify", "Buffer", "Monitor", "Info", "Draw", "Eval",
      "Locate", "Stack", "Names",
    ],
    // Arrow tables; the functions.
    "PlumbC": ["Arrow", ""],
    "PlumbCommand": [""],
    // Requests; operations; replies; features as rows; the catalog; the services; the plain verbs;
    // monitors; the page; the routing.
    "PlumbService": [
      "Request", "Operation", "Reply", "Query", "Catalog", "MapServer", "FeatureServer",
      "ImageServer",
      "GeometryServer", "NetworkServer", "OGC", "API", "Monitor", "Page", "",
    ],
    "PlumbServer": [""],
  ]
  private static let platform: Set<String> = ["Glibc", "Darwin", "Synchronization"]
  private static let systemLibraries: Set<String> = [
    "CGDAL", "CTIFF", "CGEOS", "CPROJ", "CSandbox", "CSQLite", "CZlib", "CFault", "CCurl",
    "CDeflate", "CZstd", "CCairo", "CPage",
  ]

  /// The modules that each Swift module of Sources imports.
  private static func imports() throws -> [String: Set<String>] {
    let line =
      /^\s*(?:@\w+(?:\(\w+\))?\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:struct|class|enum|protocol|func|var|let|typealias)\s+)?(\w+)/
    var result: [String: Set<String>] = [:]
    for sources in ["/Sources", "/rasters/Sources"].map({ TestPaths.root + $0 }) {
      for name in try FileManager.default.subpathsOfDirectory(atPath: sources)
      where name.hasSuffix(".swift") {
        let module = String(name.prefix { $0 != "/" })
        result[module, default: []].formUnion([])
        let text = try String(contentsOfFile: sources + "/" + name, encoding: .utf8)
        for row in text.split(separator: "\n") {
          if let match = try line.prefixMatch(in: row) {
            result[module, default: []].insert(String(match.1))
          }
        }
      }
    }
    return result
  }

  @Test func everyImportIsInTheTable() throws {
    let imports = try Self.imports()
    #expect(imports.count >= 9)
    for (module, found) in imports.sorted(by: { $0.key < $1.key }) {
      guard let allowed = Self.allowed[module] else {
        Issue.record("\(module) is not in the table of modules")
        continue
      }
      var rest = found.subtracting(allowed).subtracting(Self.platform)
      if module != "PlumbCore" { rest.subtract(["Foundation", "FoundationEssentials"]) }
      #expect(rest.isEmpty, "\(module) imports \(rest.sorted().joined(separator: ", "))")
    }
    // Checks that the lines were read.
    #expect(imports["PlumbTIFF"]?.contains("CTIFF") == true)
    #expect(imports["Plumb"]?.contains("PlumbRaster") == true)
    #expect(imports["PlumbRasters"]?.contains("PlumbGDAL") == true)
  }

  @Test func oneDoorForEachSystemLibrary() throws {
    let imports = try Self.imports()
    for library in Self.systemLibraries {
      let doors = imports.filter { $0.value.contains(library) }.keys.sorted()
      #expect(doors.count <= 1, "\(library) is imported by \(doors.joined(separator: " and "))")
    }
    #expect(
      Self.systemLibraries.contains { library in
        imports.values.contains { $0.contains(library) }
      })
  }

  // MARK: Folders

  /// Uses of later folders in files of earlier ones, and files in folders that are not in the
  /// order.
  private static func faults(
    _ files: [(path: String, text: String)], order: [String]
  ) -> [String] {
    var result: [String] = []
    var folderOf: [String: Int] = [:]
    var outlines: [(path: String, folder: Int, outline: SourceOutline)] = []
    for (path, text) in files.sorted(by: { $0.path < $1.path }) {
      let folderPath = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
      guard let folder = order.firstIndex(of: folderPath) else {
        let names = order.map(name).joined(separator: ", ")
        result.append("\(path) is in none of the folders \(names)")
        continue
      }
      let outline = SourceOutline(text)
      outlines.append((path, folder, outline))
      for type in outline.declared.sorted() {
        if let other = folderOf.updateValue(folder, forKey: type), other != folder {
          result.append(
            "\(type) is declared in \(name(order[other])) and in \(name(order[folder]))")
        }
      }
    }
    for (path, folder, outline) in outlines {
      for type in outline.named.sorted() {
        guard let other = folderOf[type], other > folder else { continue }
        result.append("\(path) uses \(type), which \(name(order[other])) declares")
      }
    }
    for (index, folder) in order.enumerated()
    where !outlines.contains(where: { $0.folder == index }) {
      result.append("\(name(folder)) has no file")
    }
    return result
  }

  /// The name of a folder in messages.
  private static func name(_ folder: String) -> String { folder.isEmpty ? "the root" : folder }

  /// The Swift files of a module, by their paths within the module.
  private static func files(of module: String) throws -> [(path: String, text: String)] {
    let sources = TestPaths.root + "/Sources/" + module
    return try FileManager.default.subpathsOfDirectory(atPath: sources)
      .filter { $0.hasSuffix(".swift") }
      .map { ($0, try String(contentsOfFile: sources + "/" + $0, encoding: .utf8)) }
  }

  @Test func foldersUseOnlyTypesOfThoseBefore() throws {
    for (module, order) in Self.folders {
      for fault in Self.faults(try Self.files(of: module), order: order) {
        Issue.record("\(module): \(fault)")
      }
    }
  }

  @Test func everyModuleWithFoldersHasAnOrder() throws {
    let modules = Self.allowed.keys.filter { $0 != "PlumbRasters" }
    for module in modules.sorted() where Self.folders[module] == nil {
      let nested = try Self.files(of: module).map(\.path).filter { $0.contains("/") }
      #expect(nested.isEmpty, "\(module) has folders, and no order of them")
    }
  }

  @Test func typesOfLaterFoldersAreFound() {
    let later = """
      // enum Remark {}
      struct Later { enum Inner {} }
      extension Early { final class Added {}; private struct Hidden {} }
      fileprivate enum Secret {}
      enum Kind { case first }
      """
    func faults(_ early: String) -> [String] {
      Self.faults([("A/Early.swift", early), ("B/Later.swift", later)], order: ["A", "B"])
    }
    #expect(faults("struct Early {}").isEmpty)
    #expect(
      faults("struct Early { var a: [Later] }") == [
        "A/Early.swift uses Later, which B declares"
      ])
    #expect(faults("struct Early { func a() -> Added? { nil } }").count == 1)
    #expect(faults("let text = \"\\(Later())\"; struct Early {}").count == 1)
    #expect(faults("let text = #\"\\(Later())\"#; struct Early {}").isEmpty)
    // A comment, a string, a member, and names that other files cannot use.
    #expect(faults("/// Later\nlet text = \"Later\"; let kind = Own.Kind()").isEmpty)
    #expect(faults("var a: Inner; var b: Hidden; var c: Secret; var d: Remark").isEmpty)
    #expect(faults("struct Later {}") == ["Later is declared in A and in B"])
    #expect(
      Self.faults([("C/Other.swift", "")], order: ["A", ""]) == [
        "C/Other.swift is in none of the folders A, the root", "A has no file",
        "the root has no file",
      ])
    // Files of the root, and a nested folder.
    let files: [(path: String, text: String)] = [
      ("Root.swift", "let a: Late"), ("A/Early.swift", "enum Early { case a(Root) }"),
      ("A/B/Late.swift", "struct Late {}; func b(_ early: Early) {}"),
    ]
    #expect(
      Self.faults(files + [("Other.swift", "enum Root {}")], order: ["A", "A/B", ""]) == [
        "A/Early.swift uses Root, which the root declares"
      ])
    #expect(
      Self.faults(files, order: ["", "A", "A/B"]) == [
        "Root.swift uses Late, which A/B declares"
      ])
    #expect(Self.faults(files, order: ["A", ""]).count == 1)
  }
}
