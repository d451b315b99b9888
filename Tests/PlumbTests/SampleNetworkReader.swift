import CGDAL
import Foundation
import PlumbGDAL
import PlumbTestSupport
import Testing

/// The files of the sample network: features and associations are read by OGR, the document by
/// Foundation.
struct SampleNetworkReader {
  struct Feature {
    var source: Int
    var id: String
    /// Source, asset group and asset type.
    var type: String
    /// The fields that are not null.
    var fields: [String: String]
    var vertices: [SIMD2<Double>]
  }

  struct Association {
    struct End {
      var source: Int
      var id: String
      var terminal: Int?
    }

    var kind: Int
    var from: End
    var to: End
    var percentAlong: Double?
  }

  struct Configuration {
    var isDirectional: Bool
    var terminals: [Int]
    var paths: [String: [(Int, Int)]]
    var defaultPath: String
  }

  private(set) var features: [Feature] = []
  private(set) var associations: [Association] = []
  private(set) var byID: [String: Feature] = [:]
  /// The devices and junctions at each point.
  private(set) var sites: [SIMD2<Double>: [String]] = [:]
  private(set) var fieldNames: [Int: Set<String>] = [:]
  private(set) var types: [String: (categories: Set<String>, configuration: Int?)] = [:]
  private(set) var configurations: [Int: Configuration] = [:]
  private(set) var categories: Set<String> = []
  private(set) var tiers: Set<String> = []
  private(set) var assignments: [(source: Int, field: String)] = []

  init() throws {
    GDALLibrary.start()
    let data = try Data(contentsOf: URL(fileURLWithPath: TestPaths.rasters + "/gas.json"))
    let document = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    try readDefinition(document)
    for entry in try Self.list(document, "sources") {
      try readSource(
        Self.value(entry, "sourceId"), Self.value(entry, "path"), Self.value(entry, "layer"))
    }
    let table: [String: Any] = try Self.value(document, "associations")
    try readAssociations(Self.value(table, "path"), Self.value(table, "layer"))
    for feature in features {
      byID[feature.id] = feature
      if [9, 10].contains(feature.source), let point = feature.vertices.first {
        sites[point, default: []].append(feature.id)
      }
    }
  }

  /// The ids of a feature's terminals; empty if it has none.
  func terminals(of id: String) throws -> [Int] {
    let feature = try #require(byID[id], "\(id)")
    guard let configuration = types[feature.type]?.configuration else { return [] }
    return try #require(configurations[configuration]).terminals
  }

  private static func value<Value>(_ object: [String: Any], _ key: String) throws -> Value {
    try #require(object[key] as? Value, "\(key)")
  }

  private static func list(_ object: [String: Any], _ key: String) throws -> [[String: Any]] {
    try value(object, key)
  }

  private mutating func readDefinition(_ document: [String: Any]) throws {
    let layers = try Self.list(document, "layerDataElements")
    let element: [String: Any] = try Self.value(try #require(layers.first), "dataElement")
    for domain in try Self.list(element, "domainNetworks") {
      for tier in try Self.list(domain, "tiers") { tiers.insert(try Self.value(tier, "name")) }
      let sources = try ["junctionSources", "edgeSources"].flatMap { try Self.list(domain, $0) }
      for source in sources {
        let id: Int = try Self.value(source, "sourceId")
        for group in try Self.list(source, "assetGroups") {
          let code: Int = try Self.value(group, "assetGroupCode")
          for type in try Self.list(group, "assetTypes") {
            let names: [String] = try Self.value(type, "categories")
            let key = "\(id)/\(code)/\(try Self.value(type, "assetTypeCode") as Int)"
            #expect(types[key] == nil, "\(key) twice")
            types[key] = (Set(names), type["terminalConfigurationId"] as? Int)
          }
        }
      }
    }
    for category in try Self.list(element, "categories") {
      categories.insert(try Self.value(category, "name"))
    }
    for attribute in try Self.list(element, "networkAttributes") {
      for assignment in try Self.list(attribute, "assignments") {
        let evaluator: [String: Any] = try Self.value(assignment, "evaluator")
        assignments.append(
          (try Self.value(assignment, "networkSourceId"), try Self.value(evaluator, "fieldName")))
      }
    }
    for entry in try Self.list(element, "terminalConfigurations") {
      var paths: [String: [(Int, Int)]] = [:]
      for path in try Self.list(entry, "validConfigurationPaths") {
        paths[try Self.value(path, "name")] = try Self.list(path, "terminalPaths").map {
          (try Self.value($0, "fromTerminalId"), try Self.value($0, "toTerminalId"))
        }
      }
      let model: String = try Self.value(entry, "traversabilityModel")
      configurations[try Self.value(entry, "terminalConfigurationId")] = Configuration(
        isDirectional: model == "esriUNTMDirectional",
        terminals: try Self.list(entry, "terminals").map { try Self.value($0, "terminalId") },
        paths: paths, defaultPath: try Self.value(entry, "defaultConfiguration"))
    }
  }

  /// The rows of a layer by the names of their non-null fields, with their shapes.
  private static func rows(
    _ path: String, _ layer: String, _ body: ([String: String], OGRGeometryH?) throws -> Void
  ) throws -> Set<String> {
    let dataset = try #require(
      GDALOpenEx(TestPaths.rasters + "/" + path, UInt32(GDAL_OF_VECTOR), nil, nil, nil), "\(path)")
    defer { GDALClose(dataset) }
    let handle = try #require(GDALDatasetGetLayerByName(dataset, layer), "\(layer)")
    let definition = try #require(OGR_L_GetLayerDefn(handle))
    let names = (0..<OGR_FD_GetFieldCount(definition)).map {
      String(cString: OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(definition, $0)))
    }
    while let feature = OGR_L_GetNextFeature(handle) {
      defer { OGR_F_Destroy(feature) }
      var fields: [String: String] = [:]
      for (index, name) in names.enumerated()
      where OGR_F_IsFieldSetAndNotNull(feature, Int32(index)) != 0 {
        fields[name] = String(cString: OGR_F_GetFieldAsString(feature, Int32(index)))
      }
      try body(fields, OGR_F_GetGeometryRef(feature))
    }
    return Set(names)
  }

  private mutating func readSource(_ source: Int, _ path: String, _ layer: String) throws {
    fieldNames[source] = try Self.rows(path, layer) { fields, shape in
      let codes = try ["ASSETGROUP", "ASSETTYPE"].map { try #require(fields[$0]) }
      features.append(
        Feature(
          source: source, id: try #require(fields["GLOBALID"]),
          type: "\(source)/\(codes[0])/\(codes[1])", fields: fields,
          vertices: (0..<OGR_G_GetPointCount(shape)).map {
            SIMD2(OGR_G_GetX(shape, $0), OGR_G_GetY(shape, $0))
          }))
    }
  }

  private mutating func readAssociations(_ path: String, _ layer: String) throws {
    _ = try Self.rows(path, layer) { fields, _ in
      func number(_ name: String) throws -> Int {
        try #require(fields[name].flatMap { Int($0) }, "\(name)")
      }
      func end(_ side: String) throws -> Association.End {
        Association.End(
          source: try number("\(side)NETWORKSOURCEID"),
          id: try #require(fields["\(side)GLOBALID"]),
          terminal: fields["\(side)TERMINALID"].flatMap { Int($0) })
      }
      associations.append(
        Association(
          kind: try number("ASSOCIATIONTYPE"), from: try end("FROM"), to: try end("TO"),
          percentAlong: fields["PERCENTALONG"].flatMap { Double($0) }))
    }
  }
}
