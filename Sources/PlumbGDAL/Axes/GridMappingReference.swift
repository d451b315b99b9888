import CGDAL
import PlumbCore

/// The CRS in the grid mapping of an array, for drivers of GDAL that do not read grid mappings.
struct GridMappingReference {
  /// The name of the variable that contains the grid mapping.
  let name: String
  /// The CRS as a code, as WKT or as a PROJ string; nil if Plumb does not read it.
  let text: String?
  /// The period of x; nil if x is not a longitude.
  let period: Double?
  /// The unit of a projected CRS in metres; nil for another CRS.
  let linearUnit: Double?

  /// - Returns: nil if the array has no grid mapping.
  init?(of array: FileArray, in file: ArrayFile) {
    // The extended form is `crs: x y`.
    guard let stated = array.text("grid_mapping"),
      let first = stated.split(whereSeparator: { $0 == ":" || $0 == " " }).first
    else { return nil }
    let name = String(first)
    self.name = name
    guard let mapping = file.array(name, namedBy: array),
      let reference = Self.reference(mapping)
    else {
      (text, period, linearUnit) = (nil, nil, nil)
      return
    }
    defer { OSRRelease(reference) }
    text = referenceText(reference)
    period = longitudePeriod(of: reference)
    linearUnit = OSRIsProjected(reference) != 0 ? OSRGetLinearUnits(reference, nil) : nil
  }

  /// The CRS from the WKT of a grid mapping, or from the ellipsoid of a geographic one.
  ///
  /// Text of the file is read only as WKT, because PROJ strings can name files.
  private static func reference(_ mapping: FileArray) -> OGRSpatialReferenceH? {
    guard let reference = OSRNewSpatialReference(nil) else { return nil }
    let isRead =
      [mapping.text("crs_wkt"), mapping.text("spatial_ref")].contains { wkt in
        wkt?.withCString { start in
          var text: UnsafeMutablePointer<CChar>? = UnsafeMutablePointer(mutating: start)
          return OSRImportFromWkt(reference, &text) == OGRERR_NONE
        } ?? false
      } || ellipsoid(mapping).map { OSRImportFromProj4(reference, $0) == OGRERR_NONE } ?? false
    guard isRead else {
      OSRRelease(reference)
      return nil
    }
    OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER)
    return reference
  }

  /// The PROJ string of a grid mapping `latitude_longitude` with an ellipsoid.
  private static func ellipsoid(_ mapping: FileArray) -> String? {
    guard mapping.text("grid_mapping_name") == "latitude_longitude",
      let axis = (mapping.numbers("semi_major_axis") + mapping.numbers("earth_radius")).first,
      axis > 0
    else { return nil }
    var text = "+proj=longlat +a=\(axis)"
    if let minor = mapping.numbers("semi_minor_axis").first {
      text += " +b=\(minor)"
    } else if let flattening = mapping.numbers("inverse_flattening").first, flattening > 0 {
      text += " +rf=\(flattening)"
    } else {
      text += " +b=\(axis)"
    }
    if let meridian = mapping.numbers("longitude_of_prime_meridian").first, meridian != 0 {
      text += " +pm=\(meridian)"
    }
    return text + " +no_defs"
  }
}
