import PlumbCore
import PlumbExpressions
import PlumbGDAL
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO
import PlumbSources

/// Fences from the features of a layer, read with OGR or from a service.
public struct FenceFile: Sendable {
  /// The fences, one for each feature, in the layer's order.
  public var fences: [Fence] = []
  /// The names of the fences' attributes.
  public var fields: [String] = []
  /// The layer's name; the file's stem if the format has no layer names.
  public var name: String
  /// The files that were read.
  public var files: [String]

  /// Reads all fences.
  ///
  /// A fence's id is the value of the field `id`, regardless of case, if the field exists and every
  /// feature has a value in this field. Otherwise the id is the number of the feature in the
  /// source. A fence's name is the value of the field `name`, regardless of case, if it exists.
  /// Otherwise the name is the id.
  ///
  /// - Parameters:
  ///   - argument: `FILE`, `FILE:LAYER` or the URL of a service's layer.
  ///   - condition: the condition that selects features; nil for all features.
  ///   - area: an area in longitudes and latitudes on WGS84. Only features that intersect the area
  ///     become fences.
  ///   - access: the other files that the file may refer to.
  ///   - services: sends requests to services; nil if GDAL opens URLs.
  /// - Throws: for an error in the file or the condition.
  public init(
    _ argument: String, where condition: Condition? = nil, area: Envelope? = nil,
    access: DocumentAccess = .folder, services: FeatureServices? = nil
  ) throws {
    let (path, layer) = Self.split(argument)
    let reader = try FeatureFile.open(
      path: path, layer: layer, access: access.named, services: services)
    guard reader.hasGeometry else {
      throw PlumbError("\(path.printable): the features have no geometries for fences")
    }
    name = reader.layerName
    files = reader.files.isEmpty ? [path] : reader.files
    fields = reader.fields.map(\.name)
    let test = try condition?.bound(to: reader.fields)
    if let condition {
      reader.select(
        Condition.databaseFilter(
          condition.text, on: reader.fields, comparable: reader.comparableFields))
    }
    let names = Self.field("name", of: reader)
    let ids = Self.field("id", of: reader)
    let windows = try area.map { try Self.windows($0, reader.spatialReference) }
    var areIDsWhole = ids != nil
    var numbers: [Int64] = []
    while let (features, featureNumbers) = try reader.nextNumbered(limit: 4096) {
      for (feature, number) in zip(features, featureNumbers) {
        if let test, !test.isTrue(feature.attributes) { continue }
        if let windows {
          guard let geometry = feature.geometry,
            try windows.contains(where: { try GeometryEngine.intersects(geometry, $0) })
          else { continue }
        }
        let id = ids.map { feature.attributes[$0].fenceText } ?? ""
        if id.isEmpty { areIDsWhole = false }
        numbers.append(feature.id ?? number)
        fences.append(
          Fence(
            id: id, name: names.map { feature.attributes[$0].fenceText } ?? "",
            geometry: feature.geometry ?? .point(.empty(reader.spatialReference)),
            attributes: feature.attributes))
      }
    }
    for position in fences.indices {
      if !areIDsWhole { fences[position].id = "\(numbers[position])" }
      if fences[position].name.isEmpty { fences[position].name = fences[position].id }
    }
  }

  /// Returns the index of the field with a name, regardless of case. A field with the same case
  /// takes precedence.
  private static func field(_ name: String, of reader: FeatureFile) -> Int? {
    reader.fields.firstIndex { $0.name == name }
      ?? reader.fields.firstIndex { $0.name.lowercased() == name }
  }

  /// Splits an argument into the file and the layer. If the whole argument is the path of an
  /// existing file, the layer is nil.
  package static func split(_ argument: String) -> (path: String, layer: String?) {
    if DatabaseAddress.isAddress(argument) { return splitDatabase(argument) }
    guard FileKind(path: argument) == nil, let colon = argument.lastIndex(of: ":") else {
      return (argument, nil)
    }
    let path = String(argument[..<colon])
    guard FileKind(path: path) != nil else { return (argument, nil) }
    return (path, String(argument[argument.index(after: colon)...]))
  }

  /// Splits a database address and a table's name at `#`. A colon cannot be the separator, because
  /// an address contains colons.
  private static func splitDatabase(_ argument: String) -> (path: String, layer: String?) {
    guard let mark = argument.lastIndex(of: "#") else { return (argument, nil) }
    return (String(argument[..<mark]), String(argument[argument.index(after: mark)...]))
  }

  /// Returns the geometries of an area in the features' CRS. In a geographic CRS, these are the
  /// area and its copies shifted by one period, because features may extend beyond 180 degrees. In
  /// a projected CRS, these are the parts of the area on both sides of 180 degrees.
  private static func windows(
    _ area: Envelope, _ reference: SpatialReference?
  ) throws -> [Geometry] {
    var whole = area
    whole.spatialReference = .wgs84
    whole = try whole.eastward
    var parts: [Envelope] = []
    for shift in [-360.0, 0, 360] {
      var part = whole
      (part.xMin, part.xMax) = (whole.xMin + shift, whole.xMax + shift)
      if let reference, !reference.isGeographic {
        (part.xMin, part.xMax) = (max(-180, part.xMin), min(180, part.xMax))
      }
      if !part.isEmpty { parts.append(part) }
    }
    return try parts.map { part in
      var polygon = part.polygon
      polygon.spatialReference = .wgs84
      guard let reference else { return .polygon(polygon) }
      return try GeometryEngine.project(.polygon(polygon), to: reference)
    }
  }
}

extension FieldValue {
  /// The value as text for a fence's id or name; empty for null.
  package var fenceText: String {
    switch self {
    case .null: ""
    case .text(let text), .json(let text): text
    case .integer(let number): "\(number)"
    case .real(let number):
      number == number.rounded() && number.magnitude < 1e15 ? "\(Int64(number))" : "\(number)"
    case .boolean(let flag): "\(flag)"
    }
  }
}
