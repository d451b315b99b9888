import PlumbCore

/// Reads a layer of any source that OGR opens as points with attributes.
///
/// One thread at a time may use it.
public final class VectorPointReader {
  private let source: any LayerCursor
  private var pointColumns: [Int]?

  /// The layer's name.
  public var layerName: String { source.facts.name }
  /// The layer's columns as all formats see them.
  public let fields: [Field]
  /// The layer's columns with their OGR declarations, for a `VectorRowWriter`.
  public var vectorFields: [VectorField] { source.facts.fields }
  /// The layer's reference as WKT 2:2019; nil without one.
  public var referenceText: String? { source.facts.referenceText }
  /// The number of features; nil when only reading them all would tell.
  public var featureCount: Int? { source.facts.featureCount }
  /// The extent of all geometries, x before y; nil when only reading them all would tell.
  public var extent: (xMin: Double, yMin: Double, xMax: Double, yMax: Double)? {
    source.facts.extent.map { ($0[0], $0[1], $0[2], $0[3]) }
  }
  /// Whether the layer has geometries.
  public var hasGeometry: Bool { source.facts.hasGeometry }

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: a file, or whatever else OGR takes for a source.
  ///   - name: the layer's name; nil for the only one.
  ///   - access: what GDAL may use for it; nil for what it may for a path that the user names.
  /// - Throws: `GDALError` when the source does not open, or which layers there are when none or
  ///   an unknown one was named.
  public init(
    path: String, layer name: String? = nil, access: GDALAccess? = nil
  ) throws(GDALError) {
    source = try layerCursor(
      path: path, layer: name, keepsText: false, access: access ?? .named(path))
    fields = source.facts.fields.map(\.field)
  }

  // MARK: Rows

  /// Takes the points from two columns instead of the geometries.
  ///
  /// A point whose columns are null or hold text that is not a number is bad.
  /// - Parameters:
  ///   - x: the column of longitudes or eastings.
  ///   - y: the column of latitudes or northings.
  /// - Throws: `GDALError` when the layer lacks a column of that name.
  public func usePointColumns(x: String, y: String) throws(GDALError) {
    pointColumns = [try column(x), try column(y)]
  }

  private func column(_ name: String) throws(GDALError) -> Int {
    guard let index = fields.firstIndex(where: { $0.name == name }) else {
      throw GDALError("layer \"\(layerName.printable)\" has no column \"\(name.printable)\"")
    }
    return index
  }

  /// The next rows in the layer's order, at most `limit`; nil at the end.
  ///
  /// - Throws: `GDALError` when the layer has neither geometries nor point columns, and when a
  ///   feature cannot be read.
  public func next(limit: Int) throws(GDALError) -> VectorBatch? {
    guard hasGeometry || pointColumns != nil else {
      throw GDALError(
        "layer \"\(layerName.printable)\" has no geometry; name its columns of coordinates")
    }
    return try source.nextPoints(
      FeatureReading(limit: limit, passesFaults: true, pointColumns: pointColumns))
  }
}

/// Consecutive features of a layer, by their points.
public struct VectorBatch: Sendable {
  /// Longitudes or eastings; NaN in bad rows.
  public internal(set) var x: [Double] = []
  /// Latitudes or northings; NaN in bad rows.
  public internal(set) var y: [Double] = []
  /// Whether the row is not one point with two finite coordinates.
  public internal(set) var isBad: [Bool] = []
  /// Why each bad row is one; `missing` for the others.
  public internal(set) var faults: [PointFault] = []
  /// All rows' attributes, row by row.
  var values: [FieldValue] = []
  let columnCount: Int

  package init(columnCount: Int) { self.columnCount = columnCount }

  /// Adds a row at a point.
  ///
  /// - Precondition: one value a column.
  package mutating func append(_ attributes: [FieldValue], x: Double, y: Double) {
    add(attributes, x, y, isBad: false, .missing)
  }

  /// Adds a row that is not one point.
  ///
  /// - Precondition: one value a column.
  package mutating func append(_ attributes: [FieldValue], fault: PointFault) {
    add(attributes, .nan, .nan, isBad: true, fault)
  }

  private mutating func add(
    _ attributes: [FieldValue], _ x: Double, _ y: Double, isBad: Bool, _ fault: PointFault
  ) {
    precondition(attributes.count == columnCount, "one value a column")
    values += attributes
    self.x.append(x)
    self.y.append(y)
    self.isBad.append(isBad)
    faults.append(fault)
  }

  /// The number of rows.
  public var count: Int { isBad.count }

  /// A row's attributes in the order of the reader's `fields`.
  public func values(at row: Int) -> ArraySlice<FieldValue> {
    values[row * columnCount..<(row + 1) * columnCount]
  }

  /// The point that two columns of the row just added hold.
  func point(inLastRow x: Int, _ y: Int) -> (x: Double, y: Double)? {
    let start = values.count - columnCount
    guard let x = Self.coordinate(values[start + x]), let y = Self.coordinate(values[start + y])
    else { return nil }
    return (x, y)
  }

  private static func coordinate(_ value: FieldValue) -> Double? {
    let number: Double? =
      switch value {
      case .integer(let integer): Double(integer)
      case .real(let real): real
      case .text(let text): Double(text.trimmed)
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }
}

extension String {
  /// The text without the spaces at its ends.
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
