import CGDAL
import PlumbCore

/// Iterates over the features of a layer that is open in this process.
final class LocalLayerCursor: LayerCursor {
  let facts: LayerFacts
  let isIsolated = false
  private let source: VectorLayer
  private var readCount = 0
  private var window: Envelope?
  private var isDone = false
  /// The number of vertices at which a batch ends even if it has fewer features than requested.
  private static let vertexLimit = 1 << 20

  init(_ source: VectorLayer) {
    self.source = source
    facts = source.access.within { source.facts }
  }

  func restart(in window: Envelope?) {
    let stay = source.access.enter()
    defer { stay.leave() }
    source.restart(in: window)
    self.window = window
    readCount = 0
    isDone = false
  }

  func select(_ condition: String?) {
    source.access.within { source.select(condition) }
  }

  func next(
    _ reading: FeatureReading, _ reference: SpatialReference?
  ) throws(GDALError) -> FeatureBatch? {
    let stay = source.access.enter()
    defer { stay.leave() }
    var batch = FeatureBatch()
    var vertices = 0
    while batch.features.count < reading.limit, vertices < Self.vertexLimit, !isDone {
      guard let handle = try source.nextFeature() else {
        isDone = true
        break
      }
      defer { OGR_F_Destroy(handle) }
      readCount += 1
      var feature = Feature()
      if facts.hasNumbers { feature.id = OGR_F_GetFID(handle) }
      feature.attributes.reserveCapacity(facts.fields.count)
      source.appendAttributes(of: handle, to: &feature.attributes)
      if let shape = OGR_F_GetGeometryRef(handle) {
        var collector = VectorShape(isSwapped: source.isSwapped)
        do throws(GDALError) {
          try collector.add(shape)
          feature.geometry = try collector.geometry(reference)
        } catch {
          let number = window.map { _ in OGR_F_GetFID(handle) }
          let name = number.map { "with the number \($0)" } ?? "\(readCount)"
          let fault = GDALError("feature \(name): \(error.message)")
          guard reading.skipsBadShapes else { throw fault }
          let members = collector.geometries(reference)
          if members.count > 1 { feature.collection = members }
          batch.faults.append(
            FeatureBatch.Fault(
              message: fault.message, number: number, isCollection: members.count > 1))
        }
        vertices += collector.count
      }
      batch.features.append(feature)
      batch.numbers.append(OGR_F_GetFID(handle))
    }
    return batch.features.isEmpty ? nil : batch
  }

  func nextPoints(_ reading: FeatureReading) throws(GDALError) -> VectorBatch? {
    let stay = source.access.enter()
    defer { stay.leave() }
    let columns = reading.pointColumns
    var batch = VectorBatch(columnCount: facts.fields.count)
    while batch.count < reading.limit, !isDone {
      guard let feature = try source.nextFeature() else {
        isDone = true
        break
      }
      defer { OGR_F_Destroy(feature) }
      source.appendAttributes(of: feature, to: &batch.values)
      let point =
        columns.flatMap { batch.point(inLastRow: $0[0], $0[1]) }
        ?? (columns == nil ? geometryPoint(feature) : nil)
      batch.x.append(point?.x ?? .nan)
      batch.y.append(point?.y ?? .nan)
      batch.isBad.append(point == nil)
      batch.faults.append(
        point == nil && columns == nil ? Self.fault(OGR_F_GetGeometryRef(feature)) : .missing)
    }
    return batch.count > 0 ? batch : nil
  }

  /// The reason why a geometry is not a single point.
  private static func fault(_ geometry: OGRGeometryH?) -> PointFault {
    guard let geometry, OGR_G_IsEmpty(geometry) == 0 else { return .missing }
    let type = OGR_GT_Flatten(OGR_G_GetGeometryType(geometry))
    switch type {
    case wkbPoint: return .missing
    case wkbMultiPoint: return OGR_G_GetGeometryCount(geometry) > 1 ? .multiPoint : .missing
    case wkbGeometryCollection: return .collection
    default:
      switch OGR_G_GetDimension(geometry) {
      case 1: return .line
      case 2: return .polygon
      default: return .other
      }
    }
  }

  /// The coordinates of a point, or of the only point of a multipoint, if both are finite;
  /// otherwise nil.
  private func geometryPoint(_ feature: OGRFeatureH) -> (x: Double, y: Double)? {
    guard var geometry = OGR_F_GetGeometryRef(feature) else { return nil }
    if OGR_GT_Flatten(OGR_G_GetGeometryType(geometry)) == wkbMultiPoint {
      guard OGR_G_GetGeometryCount(geometry) == 1, let only = OGR_G_GetGeometryRef(geometry, 0)
      else { return nil }
      geometry = only
    }
    guard OGR_GT_Flatten(OGR_G_GetGeometryType(geometry)) == wkbPoint,
      OGR_G_IsEmpty(geometry) == 0
    else { return nil }
    let (first, second) = (OGR_G_GetX(geometry, 0), OGR_G_GetY(geometry, 0))
    guard first.isFinite, second.isFinite else { return nil }
    return source.isSwapped ? (second, first) : (first, second)
  }
}

extension VectorLayer {
  /// The properties of the layer. The caller must have entered the layer's access.
  fileprivate var facts: LayerFacts {
    LayerFacts(
      name: name, fields: fields, referenceText: referenceText, featureCount: featureCount,
      hasGeometry: hasGeometry, isDatabase: isDatabase, geometryKind: geometryKind,
      extent: extent.map { [$0.xMin, $0.yMin, $0.xMax, $0.yMax] }, files: files, isJSON: isJSON,
      hasNumbers: numberColumn != nil, hasSpatialIndex: hasSpatialIndex)
  }
}
