import PlumbCore
import PlumbFormats
import PlumbIO

/// The format of locations that a client has sent, for input whose first bytes do not identify the
/// format.
package struct SentShape: Sendable, Hashable {
  /// The format; nil for JSON. JSON input contains features, or plain objects whose members are the
  /// columns. It is an array, a feature collection, a sequence with one object per line, or a
  /// single object.
  package var format: LocationFormat?
  /// Whether each line is a separate object, so that an invalid line does not affect other lines.
  package var isLines = false
  /// The sender of OwnTracks messages that do not contain a sender; empty if unknown.
  package var sender = ""

  package init(_ format: LocationFormat?, isLines: Bool = false, sender: String = "") {
    (self.format, self.isLines, self.sender) = (format, isLines, sender)
  }
}

/// Converts JSON objects to locations. The objects are features, plain objects or OwnTracks
/// messages.
final class SentObjects {
  private let features: GeoJSONLocations
  /// Whether the caller has given names of coordinate columns, which cannot be used with features.
  private let namesCoordinates: Bool
  private let plain: GeoJSONLocations
  private let ownTracks: GeoJSONLocations
  private let sender: String
  /// Whether any of the objects is an OwnTracks message.
  private(set) var isOwnTracks = false

  init(_ columns: LocationColumns, _ shape: SentShape) {
    sender = shape.sender
    features = GeoJSONLocations(columns)
    namesCoordinates = columns.x != nil || columns.y != nil
    var names: [(LocationRole, [String])] = [
      (.x, columns.x.map { [$0.lowercased()] } ?? ["lon", "lng", "long", "longitude", "x"]),
      (.y, columns.y.map { [$0.lowercased()] } ?? ["lat", "latitude", "y"]),
      (.time, (columns.time.map { [$0] } ?? LocationColumns.defaultTimes).map { $0.lowercased() }),
    ]
    if let id = columns.id { names.append((.id, [id.lowercased()])) }
    names += columns.measures.map { ($0.role, $0.names.map { $0.lowercased() }) }
    plain = GeoJSONLocations(objects: names, hasUsualIDs: columns.id == nil)
    ownTracks = GeoJSONLocations(
      objects: [
        (.x, ["lon"]), (.y, ["lat"]), (.time, ["tst"]), (.horizontalAccuracy, ["acc"]),
        (.verticalAccuracy, ["vac"]), (.speed, ["vel"]), (.course, ["cog"]),
      ], hasUsualIDs: false)
  }

  /// The kind of an object, as determined from its members.
  private struct Kind {
    var isFeature = false
    var isMovingFeature = false
    /// The type of an OwnTracks message; nil for other objects.
    var ownTracks: String?
    var topic: String?
    var tracker: String?
  }

  /// Adds the row in a range of bytes, or the error in this row. OwnTracks messages that are not
  /// locations are skipped.
  ///
  /// - Throws: when two members could be the id or the time, and for features if the caller has
  ///   given names of coordinate columns.
  func add(
    _ range: Range<Int>, of window: FeedWindow, to rows: inout LocationRows
  ) throws(PlumbError) {
    let bytes = window.bytes(0..<range.upperBound)
    let kind: Kind
    do {
      guard let found = try Self.kind(bytes, range) else {
        return rows.addBad(line: window.line, "not an object: \(window.sample(range))")
      }
      kind = found
    } catch {
      return rows.addBad(line: window.line, "\(error.message): \(window.sample(range))")
    }
    if kind.isMovingFeature {
      return rows.addBad(
        line: window.line,
        "OGC Moving Features JSON is not supported: \(window.sample(range))")
    }
    if kind.isFeature {
      if namesCoordinates { throw PointColumns.notOfGeoJSON }
      return try features.add(range, of: window, to: &rows)
    }
    guard let kindName = kind.ownTracks else {
      return try plain.add(object: range, of: window, entity: nil, speedFactor: 1, to: &rows)
    }
    isOwnTracks = true
    guard kindName == "location" else {
      rows.hasRead = true
      return
    }
    let topic = kind.topic.map { $0.hasPrefix("owntracks/") ? String($0.dropFirst(10)) : $0 }
    let entity = [topic, sender, kind.tracker].compactMap { $0 }.first { !$0.isEmpty } ?? ""
    // Speeds in OwnTracks messages are in kilometres per hour.
    try ownTracks.add(object: range, of: window, entity: entity, speedFactor: 1 / 3.6, to: &rows)
  }

  private static let movingTypes = ["\"MovingPoint\"", "\"MovingGeometryCollection\""]

  /// - Returns: nil if the text is not an object.
  private static func kind(
    _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
  ) throws(FormatError) -> Kind? {
    var scanner = JSONScanner(bytes, at: range.lowerBound)
    guard scanner.peek() == UInt8(ascii: "{") else { return nil }
    var kind = Kind()
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let isText = scanner.peek() == UInt8(ascii: "\"")
      let value = try scanner.skipValue()
      if scanner.isText(key, "temporalGeometry") { kind.isMovingFeature = true }
      guard isText else { continue }
      if scanner.isText(key, "type") {
        kind.isFeature = bytes[value].elementsEqual("\"Feature\"".utf8)
        if Self.movingTypes.contains(where: { bytes[value].elementsEqual($0.utf8) }) {
          kind.isMovingFeature = true
        }
      } else if scanner.isText(key, "_type") {
        kind.ownTracks = scanner.text(of: value)
      } else if scanner.isText(key, "topic") {
        kind.topic = scanner.text(of: value)
      } else if scanner.isText(key, "tid") {
        kind.tracker = scanner.text(of: value)
      }
    }
    guard scanner.isAtEnd() else { throw scanner.fault("unexpected text after the object") }
    return kind
  }
}
