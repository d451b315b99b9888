import Plumb
import PlumbLayers

/// The features of a layer as rows with object ids.
final class FeatureRows: Sendable {
  /// The features, with an index of their shapes.
  let table: FeatureSet
  /// The fields in the source's order, without the object id.
  let fields: [EsriField]
  let objectIDField: String
  /// The field that labels a feature. It is the first string field whose name contains `name`,
  /// otherwise the first string field, otherwise the object id.
  let displayField: String
  /// The object ids of the features.
  let ids: [Int64]
  /// The row index of each id; nil if ids are row numbers from 1.
  private let rowOfID: [Int64: Int]?
  /// The index of the date field if the layer has exactly one; otherwise nil. `timeExtent` is the
  /// range of its values in milliseconds.
  let timeField: Int?
  let timeExtent: (first: Int64, last: Int64)?
  /// The geometry type; nil for a table without shapes.
  let shape: EsriShape?
  let hasZ, hasM: Bool
  /// The extent of all features; nil if there are no features.
  let extent: Envelope?
  /// The spatial index of the features' envelopes.
  let index: SpatialIndex

  var count: Int { table.features.count }
  /// The CRS, defined by its EPSG code if it has one.
  let reference: SpatialReference?

  /// - Parameter otherwise: the CRS of a table that does not define a CRS.
  init(_ table: FeatureSet, geometryKind: String?, otherwise: SpatialReference? = nil) {
    self.table = table
    reference = (table.spatialReference ?? otherwise)?.registered
    fields = table.fields.indices.map { EsriField(table, $0) }
    let dates = fields.indices.filter { [fields] in fields[$0].kind == .date }
    timeField = dates.count == 1 ? dates[0] : nil
    timeExtent = timeField.flatMap { Self.timeExtent(of: table, $0) }
    let names = Set(table.fields.map { $0.name.lowercased() })
    var name = "OBJECTID"
    var number = 0
    while names.contains(name.lowercased()) {
      number += 1
      name = "OBJECTID_\(number)"
    }
    objectIDField = name
    let texts = fields.filter { $0.kind == .text }.map(\.name)
    displayField = texts.first { $0.lowercased().contains("name") } ?? texts.first ?? name
    let stored = table.features.compactMap(\.id)
    var rowOfID: [Int64: Int]?
    if stored.count == table.features.count, !stored.isEmpty {
      let rows = Dictionary(stored.enumerated().map { ($1, $0) }) { first, _ in first }
      if rows.count == stored.count { rowOfID = rows }
    }
    if rowOfID == nil, let numbers = table.rowNumbers {
      // The ids are the row numbers in the source, so that they do not depend on the features that
      // the layer omits.
      ids = numbers.map { Int64($0) + 1 }
      rowOfID = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
    } else {
      ids = rowOfID == nil ? table.features.indices.map { Int64($0) + 1 } : stored
    }
    let areRowNumbers = ids.enumerated().allSatisfy { $1 == Int64($0) + 1 }
    self.rowOfID = areRowNumbers ? nil : rowOfID
    let shapes = table.features.lazy.compactMap(\.geometry)
    var shape = EsriShape(kind: geometryKind) ?? shapes.first.map { EsriShape($0) }
    if shape == .point, shapes.contains(where: { EsriShape($0) == .multipoint }) {
      shape = .multipoint
    }
    self.shape = shape == .envelope ? .polygon : shape
    var (hasZ, hasM) = (false, false)
    var extent = JoinedExtent(in: reference)
    for shape in shapes {
      extent.add(shape)
      let vertices = shape.vertices
      hasZ = hasZ || vertices.z != nil
      hasM = hasM || vertices.m != nil
    }
    index = SpatialIndex(count: table.features.count) {
      table.features[$0].geometry?.envelope ?? .empty()
    }
    (self.hasZ, self.hasM, self.extent) = (hasZ, hasM, extent.envelope)
  }

  /// Returns the range of a field's dates in milliseconds; nil if there are no dates.
  private static func timeExtent(
    of table: FeatureSet, _ field: Int
  ) -> (first: Int64, last: Int64)? {
    var extent: (first: Int64, last: Int64)?
    for feature in table.features {
      guard case .text(let text)? = feature.attributes[safe: field],
        let time = EsriField.milliseconds(text)
      else { continue }
      extent = (min(extent?.first ?? time, time), max(extent?.last ?? time, time))
    }
    return extent
  }

  /// Returns the row index of the feature with an id; nil if it does not exist.
  func row(ofID id: Int64) -> Int? {
    if let rowOfID { return rowOfID[id] }
    return id >= 1 && id <= count ? Int(id) - 1 : nil
  }

  /// The fields that conditions can use. The object id is last.
  var conditionFields: [Field] {
    table.fields + [Field(name: objectIDField, kind: .integer)]
  }

  /// Returns a feature's values. The object id is last.
  func values(_ row: Int) -> [FieldValue] {
    var values = table.features[row].attributes
    while values.count < table.fields.count { values.append(.null) }
    return values + [.integer(ids[row])]
  }

  /// Returns the index in `fields` of the field with a name, ignoring case; nil if it does not
  /// exist. The index of the object id is `fields.count`.
  func field(_ name: String) -> Int? {
    if let exact = table.fields.firstIndex(where: { $0.name == name }) { return exact }
    if name.lowercased() == objectIDField.lowercased() { return fields.count }
    return table.fields.firstIndex { $0.name.lowercased() == name.lowercased() }
  }

  /// Returns a feature's shape as the layer's geometry type; nil if there is no shape.
  func geometry(_ row: Int) -> Geometry? {
    table.features[row].geometry.flatMap { shape?.coerced($0) }
  }
}
