import PlumbCore
import PlumbFormats
import PlumbIO

/// The layout of a feed of JSON objects, detected from its beginning.
struct GeoJSONHead {
  enum Layout {
    /// Features in an array that begins before this position.
    case collection(Int)
    /// Objects in an array that begins before this position.
    case array(Int)
    /// An object on each line.
    case sequence
    /// One object, possibly over several lines.
    case single
  }

  let layout: Layout

  /// - Returns: nil if more bytes are needed.
  /// - Throws: for JSON that is not a feed of features, and for points in another CRS.
  init?(_ window: FeedWindow, path: String) throws(PlumbError) {
    let bytes = window.bytes(0..<window.end)
    guard window.start < window.end else { return nil }
    switch bytes[window.start] {
    case 0x1E:
      layout = .sequence
      return
    case UInt8(ascii: "["):
      layout = .array(window.start + 1)
      return
    default: break
    }
    var scanner = JSONScanner(bytes, at: window.start)
    do {
      if let position = try Self.features(&scanner, path: path) {
        layout = .collection(position)
        return
      }
      if window.bytes(window.start..<scanner.position).contains(0x0A) {
        let rest = window.bytes(scanner.position..<window.end)
        guard rest.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
          throw PlumbError(
            "\(path): the first object runs over several lines and others follow; write each object "
              + "on one line")
        }
        // If more bytes may arrive, other objects may still follow.
        if !window.isAtEnd, !window.isFull { return nil }
        layout = .single
        return
      }
    } catch let error as PlumbError {
      throw error
    } catch {
      // The object may be incomplete because more bytes will arrive. Otherwise its line is invalid,
      // and valid lines may follow.
      if scanner.reachedEnd, !window.isAtEnd {
        guard !window.isFull else {
          throw PlumbError("\(path): the first object is over \(FeedWindow.limit) bytes")
        }
        return nil
      }
    }
    layout = .sequence
  }

  /// Scans the first object and returns the position after the `[` of its features.
  static func features(
    _ scanner: inout JSONScanner, path: String
  ) throws -> Int? {
    var isEsri = false
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if scanner.isText(key, "features"), scanner.peek() == UInt8(ascii: "[") {
        if isEsri { throw PlumbError("\(path) is EsriJSON, not GeoJSON") }
        return scanner.position + 1
      }
      if scanner.isText(key, "crs") {
        try checkReference(&scanner, path: path)
        continue
      }
      let isEsriKey =
        scanner.isText(key, "geometryType") || scanner.isText(key, "spatialReference")
      isEsri = isEsri || isEsriKey
      try scanner.skipValue()
    }
    return nil
  }

  /// Reads the value of a `crs` member of GeoJSON 2008. If the member names a CRS, the CRS must be
  /// WGS84.
  static func checkReference(_ scanner: inout JSONScanner, path: String) throws {
    guard case .json(let text) = try scanner.readFieldValue() else { return }
    let isWGS84 = text.contains("CRS84") || text.contains("4326") || text.contains("4979")
    guard !isWGS84, text.contains("name") || text.contains("code") else { return }
    throw PlumbError(
      "\(path) is not in WGS84: its crs is \(String(text.prefix(80)).printable); a feed has to be "
        + "longitude and latitude")
  }
}
