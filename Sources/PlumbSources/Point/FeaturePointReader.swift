import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO

/// Reads the points of an Esri feature set with their attributes, for any order of its members (GDAL
/// recognizes a feature set by its first member).
package final class FeaturePointReader {
  private let file: FeatureFile
  /// The columns from which points are read instead of the geometries; nil to read the geometries.
  private let columns: PointColumns?
  /// The CRS of the points; nil if unknown.
  package let spatialReference: SpatialReference?

  /// - Throws: if the feature set cannot be read, or lacks a column that was given for the points.
  package init(
    path: String, layer: String?, x: String?, y: String?, access: GDALAccess?
  ) throws {
    file = try FeatureFile(path: path, layer: layer, access: access)
    if x != nil || y != nil {
      let columns = try PointColumns(names: file.fields.map(\.name), x: x, y: y)
      self.columns = columns
      spatialReference = file.spatialReference ?? (columns.isGeographic ? .wgs84 : nil)
    } else {
      columns = nil
      spatialReference = file.spatialReference
    }
  }

  package var fields: [Field] { file.fields }
  package var vectorFields: [VectorField] { file.vectorFields }
  package var featureCount: Int? { file.featureCount }

  /// Returns the next rows in the set's order, at most `limit`; nil at the end.
  package func next(limit: Int) throws -> VectorBatch? {
    guard let features = try file.next(limit: limit) else { return nil }
    var batch = VectorBatch(columnCount: fields.count)
    for feature in features {
      if let columns {
        let values = feature.attributes
        if let x = values[columns.x].number, let y = values[columns.y].number {
          batch.append(values, x: x, y: y)
        } else {
          batch.append(values, fault: .missing)
        }
      } else if let point = feature.geometry?.onlyPoint {
        batch.append(feature.attributes, x: point.x, y: point.y)
      } else {
        batch.append(feature.attributes, fault: feature.geometry?.pointFault ?? .missing)
      }
    }
    return batch
  }
}

extension Geometry {
  /// The coordinates of a point, or of a multipoint's only point, when both are finite.
  fileprivate var onlyPoint: SIMD2<Double>? {
    let point: SIMD2<Double>
    switch self {
    case .point(let location): point = SIMD2(location.x, location.y)
    case .multipoint(let list) where list.vertices.xy.count == 1: point = list.vertices.xy[0]
    default: return nil
    }
    return point.x.isFinite && point.y.isFinite ? point : nil
  }

  /// The reason why the geometry is not a single point.
  fileprivate var pointFault: PointFault {
    guard !isEmpty else { return .missing }
    return switch self {
    case .point: .missing
    case .multipoint(let list): list.vertices.xy.count > 1 ? .multiPoint : .missing
    case .polyline: .line
    case .polygon, .envelope: .polygon
    }
  }
}

extension FieldValue {
  /// The finite number in the value or its text; nil when there is none.
  package var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let real): real.isFinite ? real : nil
    case .text(let text), .json(let text):
      Array(text.utf8).withUnsafeBufferPointer { NumberText.parse($0) }
    case .null, .boolean: nil
    }
  }
}
