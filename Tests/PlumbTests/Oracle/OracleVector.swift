import CGDAL
import Plumb
import PlumbGDAL

/// The features of a layer that intersect a point, according to OGR and GEOS. Only one thread may
/// use an instance.
final class OracleVector {
  private let dataset: UnsafeMutableRawPointer
  private var features: [OGRFeatureH] = []

  /// - Returns: nil if OGR does not open the path.
  init?(path: String) {
    GDALLibrary.start()
    guard let dataset = GDALOpenEx(path, UInt32(GDAL_OF_VECTOR), nil, nil, nil) else { return nil }
    self.dataset = dataset
    guard let layer = GDALDatasetGetLayer(dataset, 0) else { return }
    OGR_L_ResetReading(layer)
    while let feature = OGR_L_GetNextFeature(layer) {
      features.append(feature)
    }
  }

  deinit {
    for feature in features { OGR_F_Destroy(feature) }
    GDALClose(dataset)
  }

  var count: Int { features.count }

  private func name(_ feature: OGRFeatureH) -> String {
    let index = OGR_F_GetFieldIndex(feature, "name")
    guard index >= 0, let text = OGR_F_GetFieldAsString(feature, index) else { return "no name" }
    return String(cString: text)
  }

  /// The x and y of the features' points.
  var points: [(name: String, x: Double, y: Double)] {
    features.compactMap { feature in
      OGR_F_GetGeometryRef(feature).map { (name(feature), OGR_G_GetX($0, 0), OGR_G_GetY($0, 0)) }
    }
  }

  /// The names of the features that intersect a point, in the layer's order.
  func holders(x: Double, y: Double) -> [String] {
    let point = OGR_G_CreateGeometry(wkbPoint)
    defer { OGR_G_DestroyGeometry(point) }
    OGR_G_SetPoint_2D(point, 0, x, y)
    return features.compactMap { feature in
      guard let shape = OGR_F_GetGeometryRef(feature), OGR_G_Intersects(shape, point) != 0
      else { return nil }
      return name(feature)
    }
  }
}

/// OGR's transformation from one CRS to another; in both, x is east and y is north.
final class OracleTransformation {
  private let handle: OpaquePointer

  init?(from source: Int32, to target: Int32) {
    let (from, to) = (OSRNewSpatialReference(nil), OSRNewSpatialReference(nil))
    defer {
      OSRDestroySpatialReference(from)
      OSRDestroySpatialReference(to)
    }
    OSRImportFromEPSG(from, source)
    OSRImportFromEPSG(to, target)
    OSRSetAxisMappingStrategy(from, OAMS_TRADITIONAL_GIS_ORDER)
    OSRSetAxisMappingStrategy(to, OAMS_TRADITIONAL_GIS_ORDER)
    guard let handle = OCTNewCoordinateTransformation(from, to) else { return nil }
    self.handle = OpaquePointer(UnsafeRawPointer(handle))
  }

  deinit { OCTDestroyCoordinateTransformation(UnsafeMutableRawPointer(handle)) }

  func apply(x: Double, y: Double) -> (x: Double, y: Double)? {
    var (x, y, z) = (x, y, 0.0)
    return OCTTransform(UnsafeMutableRawPointer(handle), 1, &x, &y, &z) != 0 ? (x, y) : nil
  }
}
