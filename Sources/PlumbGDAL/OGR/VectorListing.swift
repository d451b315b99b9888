import CGDAL
import PlumbCore

/// The layers of a source of features, for a listing.
package struct VectorListing: Sendable, Hashable {
  package enum Kind: Sendable, CaseIterable {
    case points, lines, areas
  }

  package struct Layer: Sendable, Hashable {
    package var name: String
    /// The kinds of the layer's shapes; empty for a table without shapes.
    package var kinds: Set<Kind>
    /// OGR's name of the geometry type: `Point`, `Multi Polygon`, `None`.
    package var geometryType: String
    /// The number of features; nil if counting would read the whole file.
    package var featureCount: Int?
    /// The CRS as a code or WKT.
    package var reference: String?
    package var fields: [String]

    package init(
      name: String, kinds: Set<Kind>, geometryType: String, featureCount: Int?, reference: String?,
      fields: [String]
    ) {
      (self.name, self.kinds, self.geometryType) = (name, kinds, geometryType)
      (self.featureCount, self.reference, self.fields) = (featureCount, reference, fields)
    }
  }

  package var driver: String
  package var layers: [Layer]

  /// Creates the listing of a source that has one layer and is not read by GDAL.
  package init(driver: String, layer: Layer) { (self.driver, layers) = (driver, [layer]) }

  /// - Parameter access: the resources that GDAL may use for the source; nil for
  ///   `GDALAccess.named(path)`.
  /// - Returns: nil if the source has no layers of features or cannot be opened.
  /// - Throws: if the helper process that reads the source crashed or took too long.
  package static func of(
    path: String, access: GDALAccess? = nil
  ) throws(GDALError) -> VectorListing? {
    let access = access ?? .named(path)
    switch try SourceRoute.route(path, GDAL_OF_VECTOR, access) {
    case .inProcess(let access): return VectorListing(opening: path, access)
    case .helper:
      var reply = try HelperSource.send(.listing, path, access)
      return try reply.read()
    }
  }

  /// - Returns: nil if the source has no layers of features or cannot be opened.
  init?(opening path: String, _ access: GDALAccess) {
    GDALLibrary.start()
    let stay = access.enter()
    defer { stay.leave() }
    if SideFile.openingFault(path, access) != nil { return nil }
    // If raster drivers were also allowed, GDAL would pass a table of numbers to one of them, which
    // would fail.
    let flags = UInt32(GDAL_OF_VECTOR | GDAL_OF_READONLY)
    guard let dataset = openDataset(path, flags, access.drivers) else { return nil }
    defer { GDALClose(dataset) }
    let count = GDALDatasetGetLayerCount(dataset)
    guard count > 0 else { return nil }
    driver =
      GDALGetDatasetDriver(dataset).flatMap { GDALGetDriverShortName($0) }
      .map { String(cString: $0) } ?? ""
    layers = FaultLine(path: path, dataset: dataset).whileInside {
      (0..<count).compactMap { index in
        GDALDatasetGetLayer(dataset, index).map { Self.describe($0) }
      }
    }
  }

  private static func describe(_ layer: OGRLayerH) -> Layer {
    let definition = OGR_L_GetLayerDefn(layer)
    let isCounted = OGR_L_TestCapability(layer, OLCFastFeatureCount) != 0
    return Layer(
      name: OGR_L_GetName(layer).map { String(cString: $0) } ?? "", kinds: kinds(of: layer),
      geometryType: OGRGeometryTypeToName(OGR_L_GetGeomType(layer)).map { String(cString: $0) }
        ?? "",
      featureCount: isCounted ? Int(OGR_L_GetFeatureCount(layer, 0)) : nil,
      reference: OGR_L_GetSpatialRef(layer).flatMap { referenceText($0) },
      fields: (0..<max(0, OGR_FD_GetFieldCount(definition))).compactMap { index in
        OGR_FD_GetFieldDefn(definition, index).flatMap { OGR_Fld_GetNameRef($0) }
          .map { String(cString: $0) }
      })
  }

  /// The number of features that are examined if a layer does not declare its geometry type.
  private static let sampleSize = 1000

  private static func kinds(of layer: OGRLayerH) -> Set<Kind> {
    let type = OGR_L_GetGeomType(layer)
    if type == wkbNone { return [] }
    if let kind = Kind(type) { return [kind] }
    var kinds: Set<Kind> = []
    var count = 0
    OGR_L_ResetReading(layer)
    while count < sampleSize, kinds.count < Kind.allCases.count,
      let feature = OGR_L_GetNextFeature(layer)
    {
      defer { OGR_F_Destroy(feature) }
      count += 1
      if let shape = OGR_F_GetGeometryRef(feature) { add(shape, to: &kinds, depth: 0) }
    }
    return kinds
  }

  private static func add(_ shape: OGRGeometryH, to kinds: inout Set<Kind>, depth: Int) {
    if let kind = Kind(OGR_G_GetGeometryType(shape)) {
      kinds.insert(kind)
      return
    }
    // Collections of several kinds are rarely nested.
    guard depth < 4 else { return }
    for index in 0..<min(OGR_G_GetGeometryCount(shape), 64) {
      if let member = OGR_G_GetGeometryRef(shape, index) {
        add(member, to: &kinds, depth: depth + 1)
      }
    }
  }
}

extension VectorListing.Kind {
  /// - Returns: nil for a type that allows several kinds.
  fileprivate init?(_ type: OGRwkbGeometryType) {
    switch OGR_GT_Flatten(type) {
    case wkbPoint, wkbMultiPoint: self = .points
    case wkbLineString, wkbMultiLineString, wkbCircularString, wkbCompoundCurve, wkbMultiCurve:
      self = .lines
    case wkbPolygon, wkbMultiPolygon, wkbCurvePolygon, wkbMultiSurface, wkbPolyhedralSurface,
      wkbTIN, wkbTriangle:
      self = .areas
    default: return nil
    }
  }
}
