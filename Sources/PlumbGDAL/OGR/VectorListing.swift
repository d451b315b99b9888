import CGDAL
import PlumbCore

/// The layers of a source of features, for a listing.
public struct VectorListing: Sendable {
  public struct Layer: Sendable {
    public var name: String
    /// As OGR calls it: `Point`, `Multi Polygon`, `None`.
    public var geometryType: String
    /// Nil where counting would read the whole file.
    public var featureCount: Int?
    /// The spatial reference as WKT.
    public var reference: String?
    public var fields: [String]
  }

  public var driver: String
  public var layers: [Layer]

  /// - Parameter access: what GDAL may use for it; nil for what it may for a path that the user
  ///   names.
  /// - Returns: nil when the path holds cells, no features, or does not open.
  public init?(path: String, access: GDALAccess? = nil) {
    GDALLibrary.start()
    let stay = (access ?? .named(path)).enter()
    defer { stay.leave() }
    if SideFile.streamFault(path) != nil { return nil }
    let flags = UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR | GDAL_OF_READONLY)
    let opened = FaultLine.opening(path, flags) { GDALOpenEx(path, flags, nil, nil, nil) }
    guard let dataset = opened else { return nil }
    defer { GDALClose(dataset) }
    let count = GDALDatasetGetLayerCount(dataset)
    guard GDALGetRasterCount(dataset) == 0, count > 0 else { return nil }
    driver =
      GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
      .map { String(cString: $0) } ?? ""
    layers = (0..<count).compactMap { index in
      GDALDatasetGetLayer(dataset, index).map { Self.describe($0) }
    }
  }

  private static func describe(_ layer: OGRLayerH) -> Layer {
    let definition = OGR_L_GetLayerDefn(layer)
    let isCounted = OGR_L_TestCapability(layer, OLCFastFeatureCount) != 0
    return Layer(
      name: OGR_L_GetName(layer).map { String(cString: $0) } ?? "",
      geometryType: OGRGeometryTypeToName(OGR_L_GetGeomType(layer)).map { String(cString: $0) }
        ?? "",
      featureCount: isCounted ? Int(OGR_L_GetFeatureCount(layer, 0)) : nil,
      reference: OGR_L_GetSpatialRef(layer).flatMap { wktText($0) },
      fields: (0..<max(0, OGR_FD_GetFieldCount(definition))).compactMap { index in
        OGR_FD_GetFieldDefn(definition, index).flatMap { OGR_Fld_GetNameRef($0) }
          .map { String(cString: $0) }
      })
  }
}
