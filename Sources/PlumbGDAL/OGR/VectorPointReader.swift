import PlumbCore

/// Reads the features of a layer as points with attributes, from any source that OGR opens.
///
/// Only one thread at a time may use a reader.
public final class VectorPointReader {
  private let source: any LayerCursor
  private var pointColumns: [Int]?

  /// The layer's name.
  public var layerName: String { source.facts.name }
  /// The layer's columns as format-independent fields.
  public let fields: [Field]
  /// The layer's columns with their OGR declarations, for a `VectorRowWriter`.
  public var vectorFields: [VectorField] { source.facts.fields }
  /// The layer's CRS as a code or WKT 2:2019; nil if it has none.
  public var referenceText: String? { source.facts.referenceText }
  /// The number of features; nil if it is known only after reading all of them.
  public var featureCount: Int? { source.facts.featureCount }
  /// The extent of all geometries, with x before y; nil if it is known only after reading all of
  /// them.
  public var extent: (xMin: Double, yMin: Double, xMax: Double, yMax: Double)? {
    source.facts.extent.map { ($0[0], $0[1], $0[2], $0[3]) }
  }
  /// Whether the layer has geometries.
  public var hasGeometry: Bool { source.facts.hasGeometry }

  /// Opens a layer.
  ///
  /// - Parameters:
  ///   - path: a file, or any other source that OGR opens.
  ///   - name: the layer's name; nil for the only layer of the source.
  ///   - access: the resources that GDAL may use for the source; nil for `GDALAccess.named(path)`.
  /// - Throws: `GDALError` if the source cannot be opened, with a message that lists the layers if
  ///   the name is missing or unknown.
  public init(
    path: String, layer name: String? = nil, access: GDALAccess? = nil
  ) throws(GDALError) {
    source = try layerCursor(
      path: path, layer: name, keepsText: false, access: access ?? .named(path))
    fields = source.facts.fields.map(\.field)
  }

  // MARK: Rows

  /// Reads the points from two columns instead of the geometries.
  ///
  /// A feature is bad if one of the columns is null or contains a string that is not a number.
  /// - Parameters:
  ///   - x: the column of longitudes or eastings.
  ///   - y: the column of latitudes or northings.
  /// - Throws: `GDALError` if the layer has no column of that name.
  public func usePointColumns(x: String, y: String) throws(GDALError) {
    pointColumns = [try column(x), try column(y)]
  }

  private func column(_ name: String) throws(GDALError) -> Int {
    guard let index = fields.firstIndex(where: { $0.name == name }) else {
      throw GDALError("layer \"\(layerName.printable)\" has no column \"\(name.printable)\"")
    }
    return index
  }

  /// Returns the next features in the layer's order, at most `limit`; nil at the end.
  ///
  /// - Throws: `GDALError` if the layer has neither geometries nor point columns, or if a feature
  ///   cannot be read.
  public func next(limit: Int) throws(GDALError) -> VectorBatch? {
    guard hasGeometry || pointColumns != nil else {
      throw GDALError(
        "layer \"\(layerName.printable)\" has no geometry; name its coordinate columns")
    }
    return try source.nextPoints(
      FeatureReading(limit: limit, skipsBadShapes: true, pointColumns: pointColumns))
  }
}

/// Consecutive features of a layer as points.
public struct VectorBatch: Sendable {
  /// Longitudes or eastings; NaN in bad rows.
  public internal(set) var x: [Double] = []
  /// Latitudes or northings; NaN in bad rows.
  public internal(set) var y: [Double] = []
  /// Whether the row is not a single point with two finite coordinates.
  public internal(set) var isBad: [Bool] = []
  /// The reason why each bad row is bad; `missing` for the other rows.
  public internal(set) var faults: [PointFault] = []
  /// All rows' attributes, row by row.
  var values: [FieldValue] = []
  let columnCount: Int

  package init(columnCount: Int) { self.columnCount = columnCount }

  /// Adds a row at a point.
  ///
  /// - Precondition: there is one value for each column.
  package mutating func append(
    _ attributes: some Collection<FieldValue>, x: Double, y: Double
  ) {
    add(attributes, x, y, isBad: false, .missing)
  }

  /// Adds a row that is not a single point.
  ///
  /// - Precondition: there is one value for each column.
  package mutating func append(
    _ attributes: some Collection<FieldValue>, fault: PointFault
  ) {
    add(attributes, .nan, .nan, isBad: true, fault)
  }

  private mutating func add(
    _ attributes: some Collection<FieldValue>, _ x: Double, _ y: Double, isBad: Bool,
    _ fault: PointFault
  ) {
    precondition(attributes.count == columnCount, "one value for each column")
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

  /// The point in two columns of the last row.
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
  /// The string without leading and trailing spaces.
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
