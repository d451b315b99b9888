import Plumb
import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO

/// Handles a query of a layer's rows.
struct RowReply {
  let rows: FeatureRows
  let query: RowQuery
  /// The display field in replies of map services; nil for feature services.
  var displayField: String?

  func content() throws -> ReplyContent {
    try body().adding(
      [
        rows.warning(from: query.geometry?.spatialReference, to: rows.reference),
        query.output == .extent ? rows.warning(from: rows.reference, to: query.outReference) : nil,
      ].compactMap { $0 })
  }

  private func body() throws -> ReplyContent {
    var found = try RowSelection(rows: rows, query: query).found()
    if let time = query.time { found = try rows.rows(found, in: time) }
    switch query.output {
    case .count:
      return .json(count(query.countsDistinct ? try distinctValues(found).count : found.count))
    case .ids: return .json(try ids(found, "objectIds"))
    case .uniqueIDs: return .json(try ids(found, "uniqueIds"))
    case .extent: return .json(try extent(found))
    case .statistics: return .json(try statistics(found))
    case .distinct: return .json(try distinct(found))
    case .features:
      let ordered = try rows.ordered(found, by: query.order)
      let page = Array(ordered.dropFirst(query.offset).prefix(query.limit))
      let isTruncated = query.offset + page.count < ordered.count
      let shapes = try ShapeMaker(rows, query)
      let bytes =
        try query.isGeoJSON
        ? geoJSON(page, shapes, isTruncated: isTruncated)
        : json(page, shapes, isTruncated: isTruncated)
      return query.isGeoJSON
        ? .geoJSON(bytes, warnings: shapes.warnings) : .json(bytes, warnings: shapes.warnings)
    }
  }

  // MARK: Sums

  private func count(_ count: Int) -> JSONObject {
    var object = JSONObject()
    object.add("count", count)
    return object
  }

  /// - Parameter name: the name of the list.
  private func ids(_ found: [Int], _ name: String) throws -> JSONObject {
    let ordered = try rows.ordered(found, by: query.order)
    var object = JSONObject()
    if query.output == .uniqueIDs {
      object.add("uniqueIdFieldNames", texts: [rows.objectIDField])
    } else {
      object.add("objectIdFieldName", rows.objectIDField)
    }
    object.add(name, list: ordered.map { String(rows.ids[$0]) })
    return object
  }

  private func extent(_ found: [Int]) throws -> JSONObject {
    var extentSum = JoinedExtent(in: rows.reference)
    for row in found {
      if let shape = rows.table.features[row].geometry { extentSum.add(shape) }
    }
    var extent = extentSum.envelope ?? .empty(rows.reference)
    if let target = query.outReference, !extent.isEmpty, let rowReference = rows.reference,
      rowReference != target,
      case .envelope(let projected) = try GeometryEngine.project(.envelope(extent), to: target)
    {
      extent = projected
    }
    extent.spatialReference = query.outReference ?? rows.reference
    var object = JSONObject()
    object.add("extent", extent.json)
    object.add("count", found.count)
    return object
  }

  private func statistics(_ found: [Int]) throws -> JSONObject {
    let groups = try RowGroups(rows, query, found)
    return table(groups.fields, groups.values)
  }

  private func distinct(_ found: [Int]) throws -> JSONObject {
    table(try distinctColumns().map { rows.esriField($0) }, try distinctValues(found))
  }

  /// Returns the indices of the fields whose distinct values are requested. The default is all
  /// fields. The object id is never included.
  private func distinctColumns() throws(ServiceError) -> [Int] {
    let named = try columns().filter { $0 < rows.fields.count }
    return named.isEmpty && query.outFields.isEmpty ? Array(rows.fields.indices) : named
  }

  private func distinctValues(_ found: [Int]) throws -> [[FieldValue]] {
    let columns = try distinctColumns()
    var seen: Set<[FieldValue]> = []
    var values: [[FieldValue]] = []
    for row in try rows.ordered(found, by: query.order) {
      let rowValues = columns.map { rows.value(row, $0) }
      if seen.insert(rowValues).inserted { values.append(rowValues) }
    }
    guard query.order.isEmpty else { return values }
    let keys = columns.indices.map { RowOrder.Key(index: $0) }
    return try RowOrder.sorted(values, by: keys).map { values[$0] }
  }

  /// Returns a page of rows without shapes.
  private func table(_ fields: [EsriField], _ values: [[FieldValue]]) -> JSONObject {
    let page = values.dropFirst(query.offset).prefix(query.limit)
    var object = head(fields)
    if query.offset + page.count < values.count { object.add("exceededTransferLimit", true) }
    object.add(
      "features",
      page.map { row in
        var attributes = JSONObject()
        for (field, value) in zip(fields, row) { attributes.add(field.name, value.esri) }
        var feature = JSONObject()
        feature.add("attributes", attributes)
        return feature
      })
    return object
  }

  private func head(_ fields: [EsriField]) -> JSONObject {
    var object = JSONObject()
    addAliases(of: fields, to: &object)
    object.add("fields", fields.map(\.briefJSON))
    return object
  }

  private func addAliases(of fields: [EsriField], to object: inout JSONObject) {
    object.add("displayFieldName", displayField ?? "")
    var aliases = JSONObject()
    for field in fields { aliases.add(field.name, field.name) }
    object.add("fieldAliases", aliases)
  }

  // MARK: Features

  /// Returns the indices of the requested fields, including the object id at its position.
  private func columns() throws(ServiceError) -> [Int] {
    if query.outFields.contains("*") { return [rows.fields.count] + Array(rows.fields.indices) }
    var columns: [Int] = []
    for name in query.outFields {
      guard let column = rows.field(name) else {
        throw ServiceError(
          "'outFields' parameter is invalid: there is no field \(name.shown)")
      }
      if !columns.contains(column) { columns.append(column) }
    }
    return columns
  }

  private func json(_ page: [Int], _ shapes: ShapeMaker, isTruncated: Bool) throws -> [UInt8] {
    var columns = try columns()
    if columns.isEmpty, displayField != nil, let usual = rows.field(rows.displayField) {
      columns = [usual]
    }
    if columns.isEmpty { columns = [rows.fields.count] }
    let fields = columns.map { rows.esriField($0) }
    let hasShapes = query.returnsGeometry && rows.shape != nil
    var object = JSONObject()
    if displayField != nil {
      addAliases(of: fields, to: &object)
    } else {
      object.add("objectIdFieldName", rows.objectIDField)
      var unique = JSONObject()
      unique.add("name", rows.objectIDField)
      unique.add("isSystemMaintained", true)
      object.add("uniqueIdField", unique)
      object.add("globalIdFieldName", "")
    }
    let reference = query.outReference ?? rows.reference
    if hasShapes, let shape = rows.shape {
      object.add("geometryType", shape.rawValue)
      if let reference { object.add("spatialReference", reference.json) }
      if query.returnsZ, rows.hasZ { object.add("hasZ", true) }
      if query.returnsM, rows.hasM { object.add("hasM", true) }
    }
    object.add("fields", fields.map(\.briefJSON))
    if isTruncated { object.add("exceededTransferLimit", true) }
    let text = TextBuffer(capacity: 1 << 16)
    text.append(UInt8(ascii: "["))
    let keys = fields.map { Self.key($0.name) }
    for (count, row) in page.enumerated() {
      if count % 64 == 0 { try WorkCancellation.checkCurrent() }
      text.append(literal: count == 0 ? "{\"attributes\":{" : ",{\"attributes\":{")
      for (index, column) in columns.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.append(contentsOf: keys[index])
        text.append(json: rows.value(row, column).esri)
      }
      text.append(UInt8(ascii: "}"))
      if hasShapes, let shape = try shapes.shape(row) {
        text.append(literal: ",\"geometry\":")
        var text = text
        try EsriJSONGeometry.append(shape, to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
    text.append(UInt8(ascii: "]"))
    object.add("features", json: Array(text.bytes))
    return object.bytes
  }

  private static func key(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONText.append(key: name, to: &bytes)
    return bytes
  }

  private func geoJSON(_ page: [Int], _ shapes: ShapeMaker, isTruncated: Bool) throws -> [UInt8] {
    var columns = try columns()
    if columns.isEmpty { columns = [rows.fields.count] }
    let keys = columns.map { Self.key(rows.esriField($0).name) }
    var text = TextBuffer(capacity: 1 << 16)
    text.append(literal: "{\"type\":\"FeatureCollection\",")
    if let target = query.outReference, target != .wgs84 {
      // Without the member, the coordinates are longitude and latitude.
      guard case let identity = target.identity(withWKT: false), let authority = identity.authority,
        let code = identity.code
      else {
        throw ServiceError(
          "'outSR' parameter is invalid: f=geojson needs a CRS with a code, such as 4326; use f=json"
        )
      }
      var name = JSONObject()
      name.add("name", "\(authority):\(code)")
      text.append("\"crs\":{\"type\":\"name\",\"properties\":\(name.text)},")
    }
    if isTruncated {
      text.append(
        literal: "\"exceededTransferLimit\":true,\"properties\":{\"exceededTransferLimit\":true},")
    }
    text.append(literal: "\"features\":[")
    for (count, row) in page.enumerated() {
      if count % 64 == 0 { try WorkCancellation.checkCurrent() }
      if count > 0 { text.append(UInt8(ascii: ",")) }
      text.append("{\"type\":\"Feature\",\"id\":\(rows.ids[row]),\"geometry\":")
      GeoJSONGeometry.append(query.returnsGeometry ? try shapes.shape(row) : nil, to: &text)
      text.append(literal: ",\"properties\":{")
      for (index, column) in columns.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        text.append(contentsOf: keys[index])
        text.append(json: rows.value(row, column).esri)
      }
      text.append(literal: "}}")
    }
    text.append(literal: "]}")
    return Array(text.bytes)
  }
}

extension FeatureRows {
  /// A one-line warning if transformations near the rows' shapes may be less accurate than the CRSs allow; nil
  /// if there is none.
  func warning(from source: SpatialReference?, to target: SpatialReference?) -> String? {
    guard let reference, let source, let target else { return nil }
    return Transformation.warning(
      from: source, to: target, around: extent?.corners ?? [], in: reference)
  }
}

/// Creates the shapes of rows for a query.
final class ShapeMaker {
  private let rows: FeatureRows
  private let query: RowQuery
  private let transformation: Transformation?
  private let target: SpatialReference?
  /// The first row whose shape cannot be projected to the target CRS, and the number of such rows.
  private var lost: (first: Int64, count: Int)?

  /// Warnings about the accuracy of the transformation and about omitted shapes, one line each.
  var warnings: [String] {
    var lines = [
      query.returnsGeometry ? rows.warning(from: rows.reference, to: target) : nil
    ].compactMap { $0 }
    if let lost, let target {
      let others = lost.count > 1 ? " and \(lost.count - 1) others" : ""
      lines.append(
        "the shape of row \(lost.first)\(others) cannot be transformed to \(target.label)")
    }
    return lines
  }

  init(_ rows: FeatureRows, _ query: RowQuery) throws {
    (self.rows, self.query) = (rows, query)
    target = query.outReference
    if let rowReference = rows.reference, let target, rowReference != target,
      !rowReference.isEquivalent(to: target)
    {
      transformation = try Transformation(from: rowReference, to: target)
    } else {
      transformation = nil
    }
  }

  /// Returns a row's shape without its CRS; nil if the row has no shape or the shape cannot be
  /// projected. A shape that cannot be projected adds a warning.
  func shape(_ row: Int) throws -> Geometry? {
    guard var shape = rows.geometry(row) else { return nil }
    if !query.returnsZ, shape.vertices.z != nil { shape = GeometryEngine.removingZ(from: shape) }
    if !query.returnsM, shape.vertices.m != nil { shape = GeometryEngine.removingM(from: shape) }
    if let transformation, let target {
      do {
        shape = try transformation.project(shape, to: target)
      } catch {
        lost = (lost?.first ?? rows.ids[row], (lost?.count ?? 0) + 1)
        return nil
      }
    }
    if query.deviation > 0, shape.dimension > 0 {
      shape = try GeometryEngine.generalize(shape, maxDeviation: query.deviation)
    }
    if let precision = query.precision { shape = shape.rounded(to: precision) }
    shape.spatialReference = nil
    return shape
  }
}
