import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbGeometry
import PlumbIO
import PlumbRaster

/// Opens a variable of a store that `plumb stack` wrote without GDAL, because loading GDAL takes longer than reading
/// a few series.
///
/// GDAL is used if the metadata contain anything that Plumb does not write, or if the CRS needs PROJ's database.
enum PlainStore {
  /// The attributes that Plumb writes for variables and for times.
  private static let variableAttributes: Set<String> = [
    "_ARRAY_DIMENSIONS", "_CRS", "_FillValue", "add_offset", "grid_mapping", "scale_factor",
    "units",
  ]
  private static let timeAttributes: Set<String> = [
    "_ARRAY_DIMENSIONS", "axis", "calendar", "standard_name", "units",
  ]

  /// - Parameters:
  ///   - path: the variable's name for GDAL.
  ///   - access: the resources that GDAL may use if it is needed.
  /// - Returns: the variable and its time axis; nil for a store that GDAL has to open.
  static func open(
    _ store: ZarrStore, _ variable: String, path: String, _ access: GDALAccess?
  ) -> (cells: ZarrTileSource, axes: [BandAxis])? {
    guard store.isComplete,
      let reference = store.reference.flatMap({ SpatialReference.common($0) }),
      let array = try? store.array(variable), array.shape.count == 3,
      let attributes = try? store.attributes(variable),
      variableAttributes.isSuperset(of: attributes.keys),
      let dimensions = try? store.dimensions(variable), dimensions.count == 3,
      let transform = transform(
        of: store, attributes, dimensions, width: array.shape[2], height: array.shape[1]),
      let times = timeAxis(of: store, dimensions[0]), times.count == array.shape[0]
    else { return nil }
    let (height, width) = (array.shape[1], array.shape[2])
    let unit: String? = if case .text(let unit)? = attributes["units"] { unit } else { nil }
    let band = Band(
      pixelType: array.type, unit: LazyText(unit), colorInterpretation: "Undefined")
    let profile = RasterProfile(
      grid: TileGrid(width: width, height: height, tileWidth: width, tileHeight: height),
      mapping: .affine(transform), reference: reference.definition,
      longitudePeriod: reference.isGeographic ? 360 : nil,
      bands: [Band](repeating: band, count: times.count), isInterleaved: false)
    let cells = ZarrTileSource(store, variable: variable, path: path, profile) {
      try GDALRasterSource(path: path, access: access)
    }
    return cells.map { ($0, [times]) }
  }

  /// The geotransform; nil if it differs from the coordinates of the cells.
  private static func transform(
    of store: ZarrStore, _ attributes: [String: JSONTree], _ dimensions: [String], width: Int,
    height: Int
  ) -> GridTransform? {
    guard let transform = ZarrTileSource.transform(of: store, attributes),
      let rows = values(of: store, dimensions[1], .float64, 0.0), rows.count == height,
      let columns = values(of: store, dimensions[2], .float64, 0.0), columns.count == width,
      rows.indices.allSatisfy({
        transform.coordinates(column: 0, row: Double($0) + 0.5).y == rows[$0]
      }),
      columns.indices.allSatisfy({
        transform.coordinates(column: Double($0) + 0.5, row: 0).x == columns[$0]
      })
    else { return nil }
    return transform
  }

  private static func timeAxis(of store: ZarrStore, _ name: String) -> BandAxis? {
    guard let attributes = try? store.attributes(name),
      timeAttributes.isSuperset(of: attributes.keys), attributes["standard_name"] == .text("time"),
      case .text(let units)? = attributes["units"],
      case .text(let calendar)? = attributes["calendar"],
      let times = values(of: store, name, .int64, Int64(0))
    else { return nil }
    return BandAxis(
      name: name, times: times.map { Double($0) }, units: units, calendar: calendar)
  }

  /// The values of an array of one dimension; nil if it cannot be read, or has another type.
  private static func values<Value: BitwiseCopyable>(
    of store: ZarrStore, _ name: String, _ type: PixelType, _ initial: Value
  ) -> [Value]? {
    guard !name.contains("/"), !name.hasPrefix("."), let array = try? store.array(name),
      array.type == type, array.shape.count == 1, array.shape[0] <= BandAxis.maximumCount
    else { return nil }
    return try? array.values(in: store.files, name: name, initial)
  }
}
