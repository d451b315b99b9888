import Plumb
import PlumbExpressions
import PlumbIO

/// The selection of a layer's rows and the requested result.
struct RowQuery: Sendable {
  enum Output: Sendable {
    case features, count, ids, uniqueIDs, extent, statistics, distinct
  }

  var output = Output.features
  /// Whether to count distinct values.
  var countsDistinct = false
  var isGeoJSON = false
  /// The condition; nil for all rows.
  var condition: String?
  var ids: [Int64]?
  /// The time filter; nil for all rows.
  var time: TimeExtent?
  var geometry: Geometry?
  var relation = SpatialRelation.intersects
  /// The distance in metres; 0 if there is no distance.
  var distance = 0.0
  /// The names of the fields, or `*`.
  var outFields: [String] = []
  var returnsGeometry = true
  var outReference: SpatialReference?
  /// The number of decimals of coordinates; nil for full precision.
  var precision: Int?
  /// The maximum deviation of generalized shapes, in units of the output CRS.
  var deviation = 0.0
  var returnsZ = false
  var returnsM = false
  var order: [RowOrder] = []
  var offset = 0
  var limit = ServiceLimits.records
  var statistics: [RowStatistic] = []
  var groups: [String] = []
  var having: String?

  /// Creates a query of all rows.
  init() {}

  /// - Parameter reference: the service's CRS, for geometries without a CRS.
  init(_ parameters: Parameters, form: ReplyForm, reference: SpatialReference?) throws(ServiceError)
  {
    if case .geoJSON = form { isGeoJSON = true }
    if let condition = parameters["where"], condition.trimmingASCIISpace() != "1=1" {
      self.condition = condition
    }
    ids = try parameters.integers("objectIds")
    if let unique = try parameters.uniqueIDs() {
      // If both parameters are present, an id must be in both lists.
      let both = ids.map { Set($0).intersection(unique) }
      ids = both.map { $0.sorted() } ?? unique
    }
    time = try parameters.time()
    let inReference = try parameters.reference("inSR") ?? reference
    geometry = try parameters.geometry("geometry", reference: inReference)
    try readRelation(parameters)
    outFields = (parameters.words("outFields") ?? []).map(\.unquoted)
    returnsGeometry = try parameters.flag("returnGeometry", default: true)
    outReference = try parameters.reference("outSR") ?? (isGeoJSON ? .wgs84 : nil)
    precision = try parameters.integer("geometryPrecision", 0...17)
    if let deviation = try parameters.number("maxAllowableOffset") {
      guard deviation >= 0 else { throw ServiceError("'maxAllowableOffset' parameter is invalid") }
      self.deviation = deviation
    }
    returnsZ = try parameters.flag("returnZ")
    returnsM = try parameters.flag("returnM")
    try readOrder(parameters)
    offset = try parameters.integer("resultOffset", 0...Int.max) ?? 0
    limit = min(
      ServiceLimits.records,
      try parameters.integer("resultRecordCount", 0...Int.max).flatMap { $0 == 0 ? nil : $0 }
        ?? ServiceLimits.records)
    try readStatistics(parameters)
    try readOutput(parameters)
  }

  private mutating func readOutput(_ parameters: Parameters) throws(ServiceError) {
    // All values are checked, even if another parameter takes precedence.
    let count = try parameters.flag("returnCountOnly")
    let ids = try parameters.flag("returnIdsOnly")
    let unique = try parameters.flag("returnUniqueIdsOnly")
    let extent = try parameters.flag("returnExtentOnly")
    let distinct = try parameters.flag("returnDistinctValues")
    if !statistics.isEmpty {
      output = .statistics
      let others = [
        ("returnCountOnly", count), ("returnIdsOnly", ids), ("returnUniqueIdsOnly", unique),
        ("returnExtentOnly", extent), ("returnDistinctValues", distinct),
      ]
      if let other = others.first(where: { $0.1 }) {
        throw ServiceError("'\(other.0)' parameter cannot be combined with 'outStatistics'")
      }
    } else if count {
      output = extent ? .extent : .count
      countsDistinct = distinct
    } else if ids {
      output = .ids
    } else if unique {
      output = .uniqueIDs
    } else if extent {
      output = .extent
    } else if distinct {
      output = .distinct
    }
  }

  private mutating func readRelation(_ parameters: Parameters) throws(ServiceError) {
    let name = parameters.word("spatialRel") ?? "esriSpatialRelIntersects"
    let isPattern = name.lowercased() == "esrispatialrelrelation"
    if !isPattern, parameters.word("relationParam") != nil {
      throw ServiceError("'relationParam' parameter needs spatialRel=esriSpatialRelRelation")
    }
    if isPattern {
      guard let pattern = parameters.word("relationParam"), pattern.utf8.count == 9,
        pattern.uppercased().utf8.allSatisfy({ "012TF*".utf8.contains($0) })
      else { throw ServiceError("'relationParam' parameter is invalid") }
      relation = .pattern(pattern)
    } else {
      guard let known = SpatialRelation(esri: name) else {
        throw ServiceError("'spatialRel' parameter is invalid: \(name.shown)")
      }
      relation = known
    }
    guard let distance = try parameters.number("distance"), distance != 0 else { return }
    guard distance > 0 else { throw ServiceError("'distance' parameter is invalid: below 0") }
    let units = parameters.word("units") ?? "esriSRUnit_Meter"
    guard let factor = EsriUnit.metres(units) else {
      throw ServiceError("'units' parameter is invalid: \(units.shown)")
    }
    self.distance = distance * factor
    guard self.distance <= 20_100_000 else { throw ServiceError("'distance' parameter is invalid") }
  }

  private mutating func readOrder(_ parameters: Parameters) throws(ServiceError) {
    for part in parameters.words("orderByFields") ?? [] {
      // A field name may contain spaces, so only the last word can be the direction.
      let words = part.split(separator: " ")
      let direction = words.count > 1 ? words[words.count - 1].uppercased() : ""
      let isExplicit = direction == "ASC" || direction == "DESC"
      let name = isExplicit ? words.dropLast().joined(separator: " ") : part
      order.append(RowOrder(field: name.unquoted, isDescending: direction == "DESC"))
    }
    if order.count > 32 { throw ServiceError("'orderByFields' parameter is invalid: too many") }
  }

  private mutating func readStatistics(_ parameters: Parameters) throws(ServiceError) {
    guard let tree = try parameters.json("outStatistics") else {
      for name in ["groupByFieldsForStatistics", "having"] where parameters.word(name) != nil {
        throw ServiceError("'\(name)' parameter needs 'outStatistics'")
      }
      return
    }
    guard let list = tree.list, list.count <= 100 else {
      throw ServiceError("'outStatistics' parameter is invalid: a list is expected")
    }
    for item in list { statistics.append(try RowStatistic(item)) }
    groups = (parameters.words("groupByFieldsForStatistics") ?? []).map(\.unquoted)
    if groups.count > 100 {
      throw ServiceError("'groupByFieldsForStatistics' parameter is invalid: too many")
    }
    having = parameters["having"]
  }
}

/// The spatial relation between the query shape and a feature.
enum SpatialRelation: Sendable, Hashable {
  /// The query shape is the subject of each relation. For example, `contains` means that the query
  /// shape contains the feature.
  case intersects, contains, crosses, envelopeIntersects, overlaps, touches, within
  case pattern(String)

  init?(esri name: String) {
    switch name.lowercased() {
    case "esrispatialrelintersects": self = .intersects
    case "esrispatialrelcontains": self = .contains
    case "esrispatialrelcrosses": self = .crosses
    case "esrispatialrelenvelopeintersects", "esrispatialrelindexintersects":
      self = .envelopeIntersects
    case "esrispatialreloverlaps": self = .overlaps
    case "esrispatialreltouches": self = .touches
    case "esrispatialrelwithin": self = .within
    default: return nil
    }
  }

  /// Whether the query shape has this relation to a feature.
  func holds(_ prepared: PreparedGeometry, _ feature: Geometry) throws(GeometryError) -> Bool {
    switch self {
    case .intersects: try prepared.intersects(feature)
    case .contains: try prepared.contains(feature)
    case .crosses: try prepared.crosses(feature)
    case .envelopeIntersects: true
    case .overlaps: try prepared.overlaps(feature)
    case .touches: try prepared.touches(feature)
    case .within: try prepared.isWithin(feature)
    case .pattern(let pattern): try prepared.relates(to: feature, pattern: pattern)
    }
  }
}

extension Parameters {
  /// Reads `uniqueIds`, which contains object ids. Each id may be quoted or in a separate list.
  fileprivate func uniqueIDs() throws(ServiceError) -> [Int64]? {
    guard let text = word("uniqueIds") else { return nil }
    let tree = try JSONTree.of(
      LenientJSON.quoted(text.hasPrefix("[") ? text : "[\(text)]"), "'uniqueIds' parameter")
    var ids: [Int64] = []
    for item in tree.list ?? [] {
      let single = item.list.map { $0.count == 1 ? $0[0] : .null } ?? item
      guard let id = single.text.flatMap({ Int64($0.trimmingASCIISpace()) }) else {
        throw ServiceError(
          "'uniqueIds' parameter is invalid: \(text.shown) is not a list of whole numbers")
      }
      ids.append(id)
    }
    return ids
  }
}

extension String {
  /// The field name without the quotation marks that conditions use.
  fileprivate var unquoted: String {
    count > 2 && first == "\"" && last == "\"" ? String(dropFirst().dropLast()) : self
  }
}
