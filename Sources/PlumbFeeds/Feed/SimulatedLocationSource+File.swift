import PlumbCore
import PlumbFormats
import PlumbGeometry
import PlumbGeotriggers
import PlumbIO

extension SimulatedLocationSource {
  /// Reads the line in a file. The file contains an EsriJSON polyline,
  /// `{"paths":…,"spatialReference":…}`, or a GeoJSON LineString or MultiLineString. The GeoJSON
  /// geometry may be alone, in a Feature, or in a collection with one feature.
  ///
  /// - Parameter path: a file of at most 256 MB; `-` is standard input.
  public static func line(path: String) throws(PlumbError) -> Polyline {
    let name = path == "-" ? "standard input" : path.printable
    do {
      let bytes = try read(path, name)
      let found = try bytes.withUnsafeBytes { try geometry(JSONScanner($0)) }
      guard case .polyline(let line)? = found, !line.isEmpty else {
        throw PlumbError(
          "has no line; expected an EsriJSON polyline (paths) or a GeoJSON LineString")
      }
      return line
    } catch let error as SystemError {
      throw PlumbError(error)
    } catch {
      throw PlumbError("\(name)", error)
    }
  }

  private static let sizeLimit = 256 << 20

  private static func read(_ path: String, _ name: String) throws -> [UInt8] {
    guard var bytes = try SmallFile.bytes(of: path, limit: sizeLimit) else {
      throw PlumbError("over \(sizeLimit >> 20) MB, the limit for a line")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    return bytes
  }

  /// Returns the geometry in the JSON text of a geometry, a feature, or a collection with one
  /// feature.
  private static func geometry(_ text: JSONScanner) throws -> Geometry? {
    var scanner = text
    guard scanner.peek() == UInt8(ascii: "{") else { throw PlumbError("no JSON object") }
    var kind = ""
    var isEsri = false
    var result: Geometry?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "type"), scanner.peek() == UInt8(ascii: "\"") {
        kind = try scanner.readString()
      } else if scanner.isText(key, "paths") {
        isEsri = true
        try scanner.skipValue()
      } else if scanner.isText(key, "geometry") {
        result = try geometry(value(&scanner))
      } else if scanner.isText(key, "features"), scanner.peek() == UInt8(ascii: "[") {
        try scanner.beginArray()
        guard try scanner.nextElement() else { continue }
        result = try geometry(value(&scanner))
        guard try !scanner.nextElement() else {
          throw PlumbError("several features; expected one line")
        }
      } else {
        try scanner.skipValue()
      }
    }
    if result != nil { return result }
    var padded = text
    if isEsri { return try EsriJSONGeometry.read(&padded) { try SpatialReference($0) } }
    guard kind == "LineString" || kind == "MultiLineString" else { return nil }
    return try GeoJSONGeometry.read(&padded)
  }

  /// Skips the next value, and returns a scanner at the start of this value.
  private static func value(_ scanner: inout JSONScanner) throws -> JSONScanner {
    _ = scanner.peek()
    let result = scanner
    try scanner.skipValue()
    return result
  }
}
