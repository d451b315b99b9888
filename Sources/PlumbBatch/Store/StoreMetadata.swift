import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbIO
import PlumbRaster

/// The arrays of a store other than its variables, and the metadata of all arrays, according to the
/// CF conventions.
struct StoreMetadata {
  let grid: StoreGrid
  let reference: SpatialReference?
  /// The CRS as WKT; nil if the files have none.
  let wkt: String?
  /// The code of a CRS that can be used without PROJ's database; nil for other CRSs.
  private let code: String?

  /// The number of times in each chunk of the time axis. The number is constant, so that dates can be
  /// added to a store.
  static let timesPerChunk = 1024
  /// The name of the array with the CRS.
  static let mappingName = "crs"
  static let timeName = "time"

  /// - Throws: for a CRS that cannot be written.
  init(_ grid: StoreGrid) throws {
    self.grid = grid
    reference = try grid.reference()
    let identity = reference?.identity(withWKT: true)
    guard reference == nil || identity?.wkt != nil else {
      throw PlumbError("\(grid.path.printable): PROJ cannot write its CRS as WKT")
    }
    wkt = identity?.wkt
    let code = identity.flatMap {
      SpatialReference.common("\($0.authority ?? ""):\($0.code ?? "")")
    }
    self.code = code == reference ? code?.definition : nil
  }

  private var isGeographic: Bool { reference?.isGeographic ?? false }

  /// The names of the dimensions of rows and columns.
  var rowName: String { isGeographic ? "lat" : "y" }
  var columnName: String { isGeographic ? "lon" : "x" }

  // MARK: Axes

  /// An array whose values are in one chunk or in a few chunks.
  struct Axis {
    var name: String
    var array: ZarrArray
    var attributes: JSONObject
    /// The values, padded to whole chunks.
    var bytes: [UInt8]
  }

  /// The coordinates of rows and columns, and the CRS.
  var fixedAxes: [Axis] {
    var mapping = Axis(
      name: Self.mappingName,
      array: ZarrArray(shape: [], chunks: [], type: .int32, fill: nil, compression: .none),
      attributes: JSONObject(), bytes: [0, 0, 0, 0])
    mapping.attributes.add("_ARRAY_DIMENSIONS", list: [])
    if isGeographic { mapping.attributes.add("grid_mapping_name", "latitude_longitude") }
    if let wkt {
      mapping.attributes.add("crs_wkt", wkt)
      mapping.attributes.add("spatial_ref", wkt)
    }
    mapping.attributes.add("GeoTransform", transformText)
    return [
      coordinates(rowName, grid.rows, isRow: true),
      coordinates(columnName, grid.columns, isRow: false), mapping,
    ]
  }

  /// The geotransform as text with all digits.
  var transformText: String {
    grid.transform.coefficients.map(\.description).joined(separator: " ")
  }

  private func coordinates(_ name: String, _ values: [Double], isRow: Bool) -> Axis {
    var attributes = JSONObject()
    attributes.add("_ARRAY_DIMENSIONS", texts: [name])
    attributes.add("axis", isRow ? "Y" : "X")
    if isGeographic {
      attributes.add("standard_name", isRow ? "latitude" : "longitude")
      let isInDegrees = reference.map { $0.unit == .degree } ?? false
      if isInDegrees { attributes.add("units", isRow ? "degrees_north" : "degrees_east") }
    } else {
      attributes.add("standard_name", isRow ? "projection_y_coordinate" : "projection_x_coordinate")
      if let unit = reference?.unit {
        attributes.add("units", unit.factor == 1 ? "m" : unit.name)
      }
    }
    return Axis(
      name: name,
      array: ZarrArray(
        shape: [values.count], chunks: [values.count], type: .float64, fill: nil,
        compression: .none), attributes: attributes,
      bytes: values.withUnsafeBytes { Array($0) })
  }

  /// The time axis.
  func timeAxis(_ times: StoreTimes) -> Axis {
    var attributes = JSONObject()
    attributes.add("_ARRAY_DIMENSIONS", texts: [Self.timeName])
    attributes.add("axis", "T")
    attributes.add("calendar", "proleptic_gregorian")
    attributes.add("standard_name", "time")
    attributes.add("units", times.unit.text)
    let length = Self.timesPerChunk
    let padding = (length - times.values.count % length) % length
    return Axis(
      name: Self.timeName,
      array: ZarrArray(
        shape: [times.values.count], chunks: [length], type: .int64, fill: nil,
        compression: .none), attributes: attributes,
      bytes: (times.values + [Int64](repeating: 0, count: padding)).withUnsafeBytes { Array($0) })
  }

  // MARK: Variables

  func array(_ variable: StoreVariable, dates: Int, chunk: [Int], level: Int) -> ZarrArray {
    ZarrArray(
      shape: [dates, grid.height, grid.width], chunks: chunk, type: variable.type,
      fill: variable.fill, compression: .zstd(level: level))
  }

  func attributes(_ variable: StoreVariable) -> JSONObject {
    var attributes = JSONObject()
    attributes.add("_ARRAY_DIMENSIONS", texts: [Self.timeName, rowName, columnName])
    if let wkt {
      var reference = JSONObject()
      reference.add("wkt", wkt)
      attributes.add("_CRS", reference)
    }
    // Attributes cannot contain NaN. Readers use the array's fill value.
    switch variable.fill {
    case .integer(let value)?: attributes.add("_FillValue", .integer(value))
    case .real(let value)? where value.isFinite: attributes.add("_FillValue", value)
    default: break
    }
    if !variable.isScaled, variable.scale != 1 || variable.offset != 0 {
      attributes.add("add_offset", variable.offset)
      attributes.add("scale_factor", variable.scale)
    }
    attributes.add("grid_mapping", Self.mappingName)
    if !variable.unit.isEmpty { attributes.add("units", variable.unit) }
    return attributes
  }

  // MARK: Files

  /// The metadata files of the root group: the content of each file, by the name of the file.
  static var root: [String: [UInt8]] {
    var group = JSONObject()
    group.add("zarr_format", 2)
    var attributes = JSONObject()
    attributes.add("Conventions", "CF-1.8")
    return [".zgroup": group.bytes, ".zattrs": attributes.bytes]
  }

  /// The consolidated metadata.
  ///
  /// - Parameters:
  ///   - files: the content of each metadata file, by its name.
  ///   - isComplete: whether all chunks were written.
  ///   - isUnchanged: whether only Plumb has written the metadata.
  func consolidated(
    _ files: [String: [UInt8]], isComplete: Bool = true, isUnchanged: Bool = true
  ) -> [UInt8] {
    var members = JSONObject()
    for (name, json) in files.sorted(by: { $0.key < $1.key }) { members.add(name, json: json) }
    var object = JSONObject()
    object.add("metadata", members)
    if isComplete { object.add(ZarrStore.completeName, .boolean(true)) }
    if isUnchanged, let code, let tree = try? members.bytes.withUnsafeBytes({ try JSONTree($0) }) {
      object.add(ZarrStore.checksumName, ZarrStore.checksum(tree, code))
      object.add(ZarrStore.referenceName, code)
    }
    object.add("zarr_consolidated_format", 1)
    return object.bytes
  }
}
