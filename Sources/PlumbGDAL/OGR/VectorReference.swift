import CGDAL
import PlumbCore
import PlumbGeometry
import Synchronization

/// The CRS as a code if PROJ's definition of the code is equivalent, otherwise as WKT.
///
/// The code is the same for all files with one CRS. The WKT of GDAL 3.6 may differ: it may contain
/// a datum for one file and the equivalent ensemble for another file.
func referenceText(_ reference: OGRSpatialReferenceH) -> String? {
  guard let wkt = wktText(reference) else { return nil }
  guard let authority = OSRGetAuthorityName(reference, nil),
    let code = OSRGetAuthorityCode(reference, nil)
  else { return wkt }
  let name = "\(String(cString: authority)):\(String(cString: code))"
  return isDefinition(wkt, of: name) ? name : wkt
}

/// Whether a code identifies the CRS that a WKT string defines. A WKT string may contain a code
/// although its definition differs from the definition of the code.
private func isDefinition(_ wkt: String, of name: String) -> Bool {
  if let known = knownDefinitions.withLock({ $0[wkt] }) { return known }
  let isSame =
    if let registered = try? SpatialReference(name), let defined = try? SpatialReference(wkt) {
      registered.isEquivalent(to: defined)
    } else {
      false
    }
  // Very long definitions are not cached, because definitions come from files and may have any
  // size.
  if wkt.utf8.count > 1 << 16 { return isSame }
  knownDefinitions.withLock { known in
    if known.count >= 256 { known.removeAll() }
    known[wkt] = isSame
  }
  return isSame
}

/// The cached results of `isDefinition`, which takes a few tenths of a millisecond.
private let knownDefinitions = Mutex<[String: Bool]>([:])

/// The WKT 2:2019 of a CRS on one line; nil if it cannot be exported.
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
/// Most drivers convert coordinates to the traditional order and record this in the axis mapping.
func northingComesFirst(_ reference: OGRSpatialReferenceH) -> Bool {
  var count: Int32 = 0
  guard let mapping = OSRGetDataAxisToSRSAxisMapping(reference, &count), count >= 2 else {
    return false
  }
  return orientation(reference, mapping[0]) == OAO_North
    && orientation(reference, mapping[1]) == OAO_East
}

/// The direction of an axis. Axes are counted from 1, and the sign of the axis in the mapping is
/// ignored.
private func orientation(_ reference: OGRSpatialReferenceH, _ axis: Int32) -> OGRAxisOrientation {
  var direction = OAO_Other
  guard axis != 0, OSRGetAxis(reference, nil, abs(axis) - 1, &direction) != nil else {
    return OAO_Other
  }
  return direction
}

/// Creates a CRS in which x is the easting or longitude. The caller must destroy it.
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
