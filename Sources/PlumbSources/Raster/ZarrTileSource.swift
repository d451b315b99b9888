import PlumbCore
import PlumbFormats
import PlumbGDAL
import PlumbIO
import PlumbRaster

/// A variable of a Zarr store whose chunks Plumb decodes itself, on all workers.
///
/// The profile usually comes from GDAL. The store's metadata replace its tiles, pixel types, nodata
/// value, scale, offset and, for stores with a geotransform, its mapping.
package final class ZarrTileSource: ChunkTileSource {
  package let path: String
  package let profile: RasterProfile
  package var route: String { "Plumb" }
  package var files: [String] { [store.files.shown(variable)] }
  private let general: @Sendable () throws -> GDALRasterSource
  package var compression: String? {
    switch array.compression {
    case .none: nil
    case .zstd: "ZSTD"
    case .zlib: "DEFLATE"
    case .blosc: "BLOSC"
    }
  }
  let store: ZarrStore
  let variable: String
  let array: ZarrArray
  /// The files that GDAL reads; nil if GDAL reads the store itself.
  private let copy: RemoteStoreCopy?

  /// - Parameters:
  ///   - variable: the name of an array in the root group.
  ///   - path: the variable's name for GDAL.
  ///   - base: the variable's grid, CRS, and bands with their units.
  ///   - copy: the files that GDAL reads for a store at a URL; nil if it reads the store itself.
  ///   - general: returns the same variable, opened by GDAL.
  /// - Returns: nil if the array has a layout or a compression that Plumb does not decode.
  init?(
    _ store: ZarrStore, variable: String, path: String, _ base: RasterProfile,
    copy: RemoteStoreCopy? = nil, general: @escaping @Sendable () throws -> GDALRasterSource
  ) {
    // GDAL reads the cells of curvilinear grids.
    if case .source = base.mapping { return nil }
    guard !variable.contains("/"), !variable.hasPrefix("."), let array = try? store.array(variable),
      let attributes = try? store.attributes(variable)
    else { return nil }
    guard
      base.bands.allSatisfy({ $0.excluded == nil && Self.isRead($0.pixelType, of: array.type) })
    else { return nil }
    guard var profile = array.layout.profile(base) else { return nil }
    self.path = copy == nil ? path : "\(store.folder)#\(variable)"
    (self.store, self.variable, self.copy) = (store, variable, copy)
    (self.general, self.array) = (general, array)
    let validity = Self.validity(array, attributes)
    for index in profile.bands.indices {
      profile.bands[index].pixelType = array.type
      profile.bands[index].validity = validity
      profile.bands[index].scale = Self.number(attributes["scale_factor"]) ?? 1
      profile.bands[index].offset = Self.number(attributes["add_offset"]) ?? 0
    }
    if let mapping = Self.mapping(of: store, attributes, base) { profile.mapping = mapping }
    self.profile = profile
  }

  /// Whether GDAL reads values of the type `type` as `read`. GDAL 3.6 reads signed bytes as 16-bit
  /// integers.
  private static func isRead(_ read: PixelType, of type: PixelType) -> Bool {
    read == type || type == .int8 && read == .int16
  }

  private static func number(_ tree: JSONTree?) -> Double? {
    switch tree {
    case .integer(let number)?: Double(number)
    case .real(let number)? where number.isFinite: number
    default: nil
    }
  }

  /// The nodata value: the fill value of the array, or an attribute of the CF conventions.
  private static func validity(_ array: ZarrArray, _ attributes: [String: JSONTree]) -> Validity {
    switch array.fill {
    case .integer(let value)? where array.type == .int64: return .noData(.integer(value))
    case .integer(let value)?: return .noData(.real(Double(value)))
    case .unsigned(let value)?: return .noData(.unsigned(value))
    case .real(let value)?: return .noData(.real(value))
    case nil: break
    }
    switch attributes["_FillValue"] ?? attributes["missing_value"] {
    case .integer(let value)? where array.type == .int64: return .noData(.integer(value))
    case .integer(let value)? where array.type == .uint64:
      return UInt64(exactly: value).map { .noData(.unsigned($0)) } ?? .all
    case .integer(let value)?: return .noData(.real(Double(value)))
    case .real(let value)?: return .noData(.real(value))
    default: return .all
    }
  }

  /// The geotransform in the array that a variable names as its grid mapping; nil if there is none.
  ///
  /// - Parameter attributes: the attributes of the variable.
  static func transform(
    of store: ZarrStore, _ attributes: [String: JSONTree]
  ) -> GridTransform? {
    guard case .text(let name)? = attributes["grid_mapping"], !name.contains("/"),
      case .text(let text)? = (try? store.attributes(name))?["GeoTransform"]
    else { return nil }
    return GridTransform(coefficients: text.split(separator: " ").compactMap { Double($0) })
  }

  /// The geotransform in the variable that contains the CRS, if it agrees with the coordinates of
  /// the cells. It gives the exact edges of the cells, while edges that are computed from
  /// coordinates have rounding errors.
  private static func mapping(
    of store: ZarrStore, _ attributes: [String: JSONTree], _ base: RasterProfile
  ) -> GridMapping? {
    guard let transform = transform(of: store, attributes) else { return nil }
    let (width, height) = (Double(base.grid.width), Double(base.grid.height))
    switch base.mapping {
    case .affine(let known):
      let isNear = [(0.0, 0.0), (width, height)].allSatisfy { column, row in
        let (a, b) = (
          transform.coordinates(column: column, row: row),
          known.coordinates(column: column, row: row)
        )
        return (a.x - b.x).magnitude <= 1e-3 * transform.columnX.magnitude
          && (a.y - b.y).magnitude <= 1e-3 * transform.rowY.magnitude
      }
      return isNear ? .affine(transform) : nil
    // The size of the cells of a single column or row cannot be derived from coordinates.
    case .none: return width == 1 || height == 1 ? .affine(transform) : nil
    case .axes, .source: return nil
    }
  }

  package func openGeneral() throws -> GDALRasterSource { try general() }

  package func makeReader() throws(RasterError) -> any TileReader {
    do throws(PlumbError) {
      return ChunkTileReader(
        array.layout, profile, try ZarrChunkReader(array, store.files, name: variable))
    } catch {
      throw RasterError(error)
    }
  }
}
