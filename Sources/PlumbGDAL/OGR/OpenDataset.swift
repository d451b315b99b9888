import CGDAL
import PlumbIO

/// Opens a source that may contain features, without writing a file next to it.
///
/// - Parameters:
///   - drivers: the allowed drivers; nil for all drivers.
///   - keepsText: whether dates in a GeoJSON file are returned as strings.
func openDataset(
  _ path: String, _ flags: UInt32, _ drivers: [String]?, keepsText: Bool = false
) -> GDALDatasetH? {
  let path = BucketName.gdalPath(of: path)
  let content = flags & UInt32(GDAL_OF_RASTER | GDAL_OF_VECTOR)
  // Without this option, the GML driver writes a schema file and reads it the next time, so that
  // the CRS and the fields may differ. Because of the `@`, drivers without the option ignore it.
  var options = ["@WRITE_GFS=NO"]
  let isGeoJSON =
    keepsText
    && FaultLine(path: path, driver: nil).whileInside {
      identifiedDriver(path, content, drivers) == "GeoJSON"
    }
  if isGeoJSON { options.append("DATE_AS_STRING=YES") }
  return FaultLine.opening(path, content, among: drivers) {
    withNames(drivers) { drivers in
      withNames(options) { options in
        SQLRestriction.opening { GDALOpenEx(path, flags, drivers, options, nil) }
      }
    }
  }
}

/// The driver, among the given drivers or all drivers, that recognizes a path by its name and first
/// bytes.
func identifiedDriver(_ path: String, _ content: UInt32, _ drivers: [String]?) -> String? {
  withNames(drivers) { GDALIdentifyDriverEx(path, content, $0, nil) }
    .flatMap { GDALGetDriverShortName($0) }.map { String(cString: $0) }
}
