import Foundation
import PlumbTestSupport
import Testing

/// The `import` lines of Sources, and of the generator of samples, against the module table of the
/// design.
@Suite struct ImportTests {
  /// What each module may import. Beside it: the platform's C library and Synchronization, and
  /// Foundation except in PlumbCore.
  private static let allowed: [String: Set<String>] = [
    "PlumbCore": [],
    "PlumbGeometry": ["PlumbCore", "CGEOS", "CPROJ", "CKernels"],
    "PlumbRaster": ["PlumbCore", "CKernels"],
    "PlumbIO": ["PlumbCore", "CZlib", "CFault"],
    "PlumbFormats": ["PlumbCore", "PlumbIO"],
    "PlumbExpressions": ["PlumbCore", "PlumbGeometry"],
    "PlumbGDAL": [
      "PlumbCore", "PlumbIO", "PlumbRaster", "PlumbGeometry", "CGDAL", "CSQLite",
    ],
    "PlumbTIFF": ["PlumbCore", "PlumbRaster", "CTIFF"],
    "PlumbLayers": ["PlumbCore", "PlumbGeometry", "PlumbRaster", "PlumbExpressions"],
    "PlumbNetwork": ["PlumbCore", "PlumbGeometry", "PlumbExpressions"],
    "PlumbGeotriggers": ["PlumbCore", "PlumbGeometry", "PlumbExpressions"],
    "PlumbSources": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
      "PlumbTIFF",
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
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbGDAL",
      "PlumbLayers", "PlumbSources",
    ],
    "Plumb": [
      "PlumbCore", "PlumbIO", "PlumbGeometry", "PlumbRaster", "PlumbFormats", "PlumbExpressions",
      "PlumbGDAL", "PlumbTIFF", "PlumbLayers", "PlumbNetwork", "PlumbGeotriggers", "PlumbSources",
      "PlumbDocuments", "PlumbFeeds", "PlumbBatch",
    ],
    "PlumbCommand": ["Plumb", "CSandbox", "ArgumentParser", "Logging"],
    "PlumbRasters": ["PlumbGDAL", "PlumbCore", "ArgumentParser"],
  ]
  private static let platform: Set<String> = ["Glibc", "Darwin", "Synchronization"]
  private static let systemLibraries: Set<String> = [
    "CGDAL", "CTIFF", "CGEOS", "CPROJ", "CSandbox", "CSQLite", "CZlib", "CFault",
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
      if module != "PlumbCore" { rest.remove("Foundation") }
      #expect(rest.isEmpty, "\(module) imports \(rest.sorted().joined(separator: ", "))")
    }
    // That the lines were read at all.
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
}
