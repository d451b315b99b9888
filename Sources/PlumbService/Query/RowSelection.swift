import Plumb
import PlumbCore
import PlumbExpressions
import PlumbGeometry

/// Finds the rows that match a query.
struct RowSelection {
  let rows: FeatureRows
  let query: RowQuery
  /// The number of rows between two cancellation checks.
  private static let chunk = 1024

  /// Returns the rows in the layer's order.
  func found() throws -> [Int] {
    var found = try byID()
    if let geometry = query.geometry { found = try near(geometry, among: found) }
    let all = found ?? Array(0..<rows.count)
    guard let condition = query.condition else { return all }
    return try meeting(condition, among: all)
  }

  private func byID() throws -> [Int]? {
    guard let ids = query.ids else { return nil }
    var seen: Set<Int> = []
    for id in ids { if let row = rows.row(ofID: id) { seen.insert(row) } }
    return seen.sorted()
  }

  private func meeting(_ text: String, among all: [Int]) throws -> [Int] {
    guard text.utf8.count <= 1 << 20 else {
      throw ServiceError("'where' parameter is invalid: longer than 1 MB", kind: .limit)
    }
    // The number of rows between checks decreases with the length of the condition.
    let chunk = max(1, Self.chunk * 1000 / max(1000, text.utf8.count))
    let condition: Condition
    let bound: BoundCondition
    do {
      condition = try Condition(text)
      bound = try condition.bound(to: rows.conditionFields)
    } catch {
      throw ServiceError(
        "'where' parameter is invalid: \(PlumbError(error).message)", kind: .badCondition)
    }
    let id = rows.objectIDField.lowercased()
    let usesID = condition.fieldNames.contains { $0.lowercased() == id }
    // The condition uses the same current time for all rows.
    let now = WallClock.microseconds
    var result: [Int] = []
    for (count, row) in all.enumerated() {
      if count % chunk == 0 { try WorkCancellation.checkCurrent() }
      let values = usesID ? rows.values(row) : rows.table.features[row].attributes
      if bound.isTrue(values, at: now) { result.append(row) }
    }
    return result
  }

  /// Returns the rows with the query's relation to a shape, ascending.
  private func near(_ geometry: Geometry, among some: [Int]?) throws -> [Int] {
    let allowed = some.map { Set($0) }
    if case .point = geometry, query.relation == .intersects, query.distance == 0 {
      guard case .point(let point) = try GeometryText.projected(geometry, to: rows.reference) else {
        return []
      }
      // The index already considers the period of x, so no copies of the point are needed.
      return rows.table.locator.items(at: point.xy).filter { allowed?.contains($0) ?? true }
        .sorted()
    }
    if case .multipoint(let points) = geometry, query.relation == .intersects, query.distance == 0 {
      guard
        case .multipoint(let points) = try GeometryText.projected(
          .multipoint(points), to: rows.reference)
      else { return [] }
      var found: Set<Int> = []
      for (count, point) in points.vertices.xy.enumerated() {
        if count % 1024 == 0 { try WorkCancellation.checkCurrent() }
        found.formUnion(rows.table.locator.items(at: point))
      }
      return found.filter { allowed?.contains($0) ?? true }.sorted()
    }
    var found: Set<Int> = []
    for copy in try PeriodicShapes.copies(of: geometry, in: rows.reference) {
      found.formUnion(try near(copy, allowed))
    }
    return found.sorted()
  }

  /// Returns the rows near a single shape in the layer's CRS.
  private func near(_ shape: Geometry, _ allowed: Set<Int>?) throws -> [Int] {
    var searched = shape
    if query.distance > 0 {
      guard let reference = rows.reference, reference.isGeoreferenced else {
        throw ServiceError("'distance' needs a spatial reference")
      }
      searched.spatialReference = reference
      let areas = try GeometryEngine.buffer(
        around: [searched], distances: [query.distance], unit: .metre,
        method: ServiceLimits.geodesicBuffer,
        workers: Workers(count: 1))
      guard let area = areas.first, !area.isEmpty else { return [] }
      searched = .polygon(area)
    }
    searched.spatialReference = nil
    // Disjoint parts are searched separately, so that the space between them is not searched.
    if case .polygon(let area) = searched, query.relation == .intersects, area.parts.count > 4 {
      var found: Set<Int> = []
      for part in area.singleParts {
        found.formUnion(try rows(meeting: .polygon(part), allowed))
      }
      return found.sorted()
    }
    return try rows(meeting: searched, allowed)
  }

  /// Returns the rows with the query's relation to a single shape.
  private func rows(meeting shape: Geometry, _ allowed: Set<Int>?) throws -> [Int] {
    var shape = shape
    let window = shape.envelope
    guard !window.isEmpty else { return [] }
    let candidates = rows.index.items(intersecting: window).sorted()
    let isBox = if case .envelope = shape { true } else { false }
    if isBox { shape = .polygon(window.polygon) }
    let prepared = try PreparedGeometry(shape)
    let edges = query.relation == .intersects ? nil : EdgeCrossings([shape])
    var result: [Int] = []
    for row in candidates {
      try WorkCancellation.checkCurrent()
      guard allowed?.contains(row) ?? true, var shape = rows.table.features[row].geometry else {
        continue
      }
      if query.relation == .envelopeIntersects {
        result.append(row)
        continue
      }
      if isBox, query.relation == .intersects, window.holds(shape.envelope) {
        result.append(row)
        continue
      }
      shape.spatialReference = nil
      try edges?.check(with: shape, "geometry")
      if try query.relation.holds(prepared, shape) { result.append(row) }
    }
    return result
  }
}

extension Envelope {
  /// Whether this envelope contains another envelope.
  fileprivate func holds(_ other: Envelope) -> Bool {
    xMin <= other.xMin && yMin <= other.yMin && xMax >= other.xMax && yMax >= other.yMax
  }
}
