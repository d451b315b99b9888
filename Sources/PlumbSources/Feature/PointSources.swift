import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// A list of points as features with the columns `id` (from 1), `x` and `y`.
final class PointListSource: InputSource {
  package let fields = [
    Field(name: "id", kind: .integer), Field(name: "x", kind: .real), Field(name: "y", kind: .real),
  ]
  package let spatialReference: SpatialReference?
  private let points: [SIMD2<Double>]
  private var position = 0

  package init(_ points: [SIMD2<Double>], reference: SpatialReference) {
    self.points = points
    spatialReference = reference
  }

  package var featureCount: Int? { points.count }

  package func next(limit: Int) -> [Feature]? {
    let range = position..<min(points.count, position + max(1, limit))
    guard !range.isEmpty else { return nil }
    position = range.upperBound
    return range.map { index in
      let point = points[index]
      return Feature(
        attributes: [.integer(Int64(index + 1)), .real(point.x), .real(point.y)],
        geometry: .point(Point(x: point.x, y: point.y, spatialReference: spatialReference)))
    }
  }
}

/// The rows of delimited text as features at the points in two columns, or in one column of well-known text.
/// A row without two finite numbers in these columns, or with more or fewer fields than the header, has no
/// geometry.
final class DelimitedFeatureSource: InputSource {
  package let fields: [Field]
  package let spatialReference: SpatialReference?
  package let featureCount: Int? = nil
  private let reader: DelimitedReader
  private let columns: PointColumns
  private let notes: [MessageTemplate]
  /// Whether numbers keep all of their digits, as JSON text.
  private let isJSON: Bool
  /// Whether the column of well-known text may have shapes other than points.
  private let readsShapes: Bool
  private var waiting: [Feature] = []
  private var used = 0
  private var lines: Int
  private var rows = 0
  package private(set) var faults = FeatureFaults()
  private static let blockSize = 1 << 18

  /// - Parameter isTab: whether the file's name indicates tabs between fields.
  package init(
    _ input: PeekedInput, isTab: Bool, _ options: FeatureInput.Options, workers: Workers
  ) throws {
    var points = PointInput.Options(path: options.path)
    (points.x, points.y) = (options.x, options.y)
    (points.types, points.needsTypes) = (options.types, options.needsTypes)
    points.hasReference = options.reference != nil
    let opened = try DelimitedInput(input, points, isTab: isTab, workers: workers)
    (reader, columns, fields, notes) = (
      opened.reader, opened.columns, opened.fields, opened.notes
    )
    spatialReference = options.reference ?? opened.reference
    isJSON = options.isJSON
    readsShapes = options.readsShapes && columns.isWKT
    lines = reader.header.lineCount
  }

  package func next(limit: Int) throws -> [Feature]? {
    while used == waiting.count {
      guard let block = try reader.next(size: Self.blockSize) else { return nil }
      (waiting, used) = ([], 0)
      try decode(
        DelimitedRows(
          block, columnCount: fields.count, columns: columns, delimiter: reader.header.delimiter,
          workers: Workers(count: 1)))
    }
    let range = used..<min(waiting.count, used + max(1, limit))
    used = range.upperBound
    return Array(waiting[range])
  }

  package var warnings: [MessageTemplate] {
    notes
  }

  private func decode(_ block: DelimitedRows) throws {
    for part in block.parts {
      try DelimitedInput.check(part, columns, after: lines)
      for row in part.badRows where row.fault == .extraFields {
        faults.add(
          "row \(rows + row.row + 1) (line \(lines + row.line + 1)): it has \(row.fieldCount) fields, but "
            + "the header has \(fields.count); put quotes around fields that contain the delimiter")
      }
      lines += part.lineCount
      for row in part.rows { waiting.append(try feature(block, row)) }
    }
  }

  private func feature(_ block: DelimitedRows, _ row: Int) throws -> Feature {
    var feature = Feature()
    rows += 1
    for (index, text) in DelimitedRow.rawFields(
      block.record(row), delimiter: block.delimiter
    ).enumerated() where index < fields.count {
      feature.attributes.append(try value(text, fields[index]))
    }
    let missing = fields.count - feature.attributes.count
    if missing > 0 { feature.attributes += repeatElement(.null, count: missing) }
    if readsShapes {
      feature.geometry = try shape(feature.attributes[columns.x])
    } else if block.status.base[row] == SampleStatus.ok.rawValue {
      feature.geometry = .point(
        Point(x: block.x.base[row], y: block.y.base[row], spatialReference: spatialReference))
    }
    return feature
  }

  /// Returns the shape in well-known text; nil if there is no text, or if the text is not a shape.
  ///
  /// - Throws: for a CRS other than the first row's, unless the caller specifies the CRS.
  private func shape(_ value: FieldValue) throws -> Geometry? {
    guard case .text(let text) = value, !text.isEmpty else { return nil }
    var code: String?
    var shape: Geometry?
    do throws(FormatError) {
      shape = try WKTGeometry.decode(
        text,
        resolving: {
          code = $0
          return .wgs84
        })
    } catch {
      faults.add("row \(rows): \(error.summary)")
      return nil
    }
    if let first = columns.srid, let srid = code.flatMap({ Int32($0) }), srid != first {
      throw PlumbError(
        messageTemplate:
          "row \(rows): the shape has SRID \(srid), the first row's \(first == 0 ? "none" : "SRID \(first)"); "
          + "write them in one CRS, or choose it with \(.crs)",
        context: FailureContext(row: rows))
    }
    shape?.spatialReference = spatialReference
    return shape
  }

  private func value(_ text: [UInt8], _ field: Field) throws(PlumbError) -> FieldValue {
    do throws(PlumbError) {
      return try TypedField.value(text, field, isJSON: isJSON)
    } catch {
      var error = error
      error.messageTemplate = "row \(rows), \(error.messageTemplate)"
      error.context.row = rows
      throw error
    }
  }
}

/// The rows of a layer as features at the points in two columns. The layer's geometries are
/// ignored.
final class ColumnPointSource: InputSource {
  package let fields: [Field]
  package let spatialReference: SpatialReference?
  private let source: FeatureFile
  private let columns: PointColumns

  package init(_ source: FeatureFile, _ options: FeatureInput.Options) throws {
    self.source = source
    fields = source.fields
    columns = try PointColumns(names: fields.map(\.name), x: options.x, y: options.y)
    spatialReference = source.spatialReference ?? (columns.isGeographic ? .wgs84 : nil)
  }

  package var featureCount: Int? { source.featureCount }
  package var faults: FeatureFaults { source.faults }

  package func next(limit: Int) throws -> [Feature]? {
    guard var features = try source.next(limit: limit) else { return nil }
    for index in features.indices {
      let values = features[index].attributes
      features[index].geometry = nil
      if let x = values[columns.x].number, let y = values[columns.y].number {
        features[index].geometry = .point(Point(x: x, y: y, spatialReference: spatialReference))
      }
    }
    return features
  }
}
