import CGDAL
import PlumbCore
import PlumbGeometry
import Synchronization

/// A CRS as its code if PROJ's definition of the code is equivalent, else as WKT.
///
/// The code is the same for all files with one CRS. The WKT of GDAL 3.6 is not: it may contain a datum for one
/// file and the equivalent ensemble for the other.
func referenceText(_ reference: OGRSpatialReferenceH) -> String? {
  guard let wkt = wktText(reference) else { return nil }
  guard let authority = OSRGetAuthorityName(reference, nil),
    let code = OSRGetAuthorityCode(reference, nil)
  else { return wkt }
  let name = "\(String(cString: authority)):\(String(cString: code))"
  return isDefinition(wkt, of: name) ? name : wkt
}

/// Whether a code denotes the CRS that a WKT defines, which may contain a code although it differs from it.
private func isDefinition(_ wkt: String, of name: String) -> Bool {
  if let known = knownDefinitions.withLock({ $0[wkt] }) { return known }
  let isSame =
    if let registered = try? SpatialReference(name), let defined = try? SpatialReference(wkt) {
      registered.isEquivalent(to: defined)
    } else {
      false
    }
  // Definitions come from files.
  if wkt.utf8.count > 1 << 16 { return isSame }
  knownDefinitions.withLock { known in
    if known.count >= 256 { known.removeAll() }
    known[wkt] = isSame
  }
  return isSame
}

/// Results of `isDefinition`, which takes some tenths of a millisecond.
private let knownDefinitions = Mutex<[String: Bool]>([:])

/// The WKT 2:2019 of a CRS on one line; nil if there is none.
func wktText(_ reference: OGRSpatialReferenceH) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  defer { VSIFree(text) }
  let code = "FORMAT=WKT2_2019".withCString { format in
    let options: [UnsafePointer<CChar>?] = [format, nil]
    return OSRExportToWktEx(reference, &text, options)
  }
  guard code == OGRERR_NONE, let text else { return nil }
  let result = String(cString: text)
  return result.isEmpty ? nil : result
}

/// Whether a layer with this CRS stores northing or latitude before easting or longitude.
///
/// Most drivers convert coordinates to the traditional order and record it in the axis mapping.
func northingComesFirst(_ reference: OGRSpatialReferenceH) -> Bool {
  var count: Int32 = 0
  guard let mapping = OSRGetDataAxisToSRSAxisMapping(reference, &count), count >= 2 else {
    return false
  }
  return orientation(reference, mapping[0]) == OAO_North
    && orientation(reference, mapping[1]) == OAO_East
}

/// The direction of an axis; axes count from 1, and the axis's sign in the mapping is ignored.
private func orientation(_ reference: OGRSpatialReferenceH, _ axis: Int32) -> OGRAxisOrientation {
  var direction = OAO_Other
  guard axis != 0, OSRGetAxis(reference, nil, abs(axis) - 1, &direction) != nil else {
    return OAO_Other
  }
  return direction
}

/// Creates a CRS with x as easting or longitude; the caller destroys it.
///
/// - Parameter text: WKT, PROJJSON, a PROJ string, or a code such as `EPSG:32633`. File names and
///   URLs, which OGR would open, are rejected.
func makeReference(_ text: String) throws(GDALError) -> OGRSpatialReferenceH {
  let isDefinition =
    text.hasByte(UInt8(ascii: "[")) || text.hasBytes(atStart: "{") || text.hasBytes(of: "+proj=")
  guard
    isDefinition || !text.hasByte(UInt8(ascii: "/")) && text.hasByte(UInt8(ascii: ":")),
    let reference = OSRNewSpatialReference(nil)
  else {
    throw GDALError("\"\(text.printable)\" is not a known spatial reference")
  }
  CPLErrorReset()
  guard OSRSetFromUserInput(reference, text) == OGRERR_NONE else {
    OSRDestroySpatialReference(reference)
    throw GDALError(GDALLibrary.lastError("\"\(text.printable)\" is not a known spatial reference"))
  }
  OSRSetAxisMappingStrategy(reference, OAMS_TRADITIONAL_GIS_ORDER)
  return reference
}
