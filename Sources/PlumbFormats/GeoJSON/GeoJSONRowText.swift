import PlumbCore
import PlumbIO

/// Appends features, as GeoJSON text without a separator behind it, to bytes.
public enum GeoJSONRowText {
  /// Appends members, `"name":value` with commas between, without braces.
  public static func append(
    members: some Sequence<(String, FieldValue)>, to bytes: inout [UInt8]
  ) {
    var isFirst = true
    for (name, value) in members {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONText.append(key: name, to: &bytes)
      JSONText.append(value, to: &bytes)
    }
  }

  // MARK: A row passed through

  /// Appends a row of a batch, byte for byte, with members added at the end of its properties.
  ///
  /// Properties that are null, missing or no object are made. A bare geometry becomes the geometry
  /// of a new feature, a row that is not a JSON object a feature with null geometry and the added
  /// members alone.
  /// - Parameters:
  ///   - row: the row's number in the batch.
  ///   - batch: rows as they were read.
  ///   - members: what is added, in order.
  ///   - onOneLine: writes spaces for the line breaks between tokens, as a sequence needs.
  ///   - bytes: where the text is appended.
  public static func append(
    _ row: Int, of batch: GeoJSONBatch, adding members: some Sequence<(String, FieldValue)>,
    onOneLine: Bool = false, to bytes: inout [UInt8]
  ) {
    var text: [UInt8] = []
    append(members: members, to: &text)
    append(row, of: batch, members: text, onOneLine: onOneLine, to: &bytes)
  }

  /// Appends a row of a batch with members that are text already, as `append(members:to:)` makes
  /// it; otherwise as above.
  public static func append(
    _ row: Int, of batch: GeoJSONBatch, members: some Collection<UInt8>,
    onOneLine: Bool = false, to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    let range = batch.ranges[row]
    switch batch.forms[row] {
    case .feature: insert(members, into: batch, row, &bytes)
    case .geometry:
      append(ascii: "{\"type\":\"Feature\",\"geometry\":", to: &bytes)
      bytes.append(contentsOf: batch.bytes[range])
      append(ascii: ",\"properties\":{", to: &bytes)
      bytes.append(contentsOf: members)
      append(ascii: "}}", to: &bytes)
    case .invalid:
      append(ascii: "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{", to: &bytes)
      bytes.append(contentsOf: members)
      append(ascii: "}}", to: &bytes)
    }
    guard onOneLine else { return }
    for index in start..<bytes.count where bytes[index] == 0x0A || bytes[index] == 0x0D {
      bytes[index] = 0x20
    }
  }

  private static func insert(
    _ members: some Collection<UInt8>, into batch: GeoJSONBatch, _ row: Int, _ bytes: inout [UInt8]
  ) {
    let range = batch.ranges[row]
    let spot = batch.properties[row]
    if members.isEmpty {
      bytes.append(contentsOf: batch.bytes[range])
      return
    }
    var (before, after) = (spot.range.lowerBound, spot.range.upperBound)
    switch spot.form {
    case .object, .emptyObject:
      // Behind the last member, before whitespace and brace.
      after -= 1
      while isBlank(batch.bytes[after - 1]) { after -= 1 }
      before = after
      bytes.append(contentsOf: batch.bytes[range.lowerBound..<before])
      if spot.form == .object { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: members)
    case .other:
      bytes.append(contentsOf: batch.bytes[range.lowerBound..<before])
      bytes.append(UInt8(ascii: "{"))
      bytes.append(contentsOf: members)
      bytes.append(UInt8(ascii: "}"))
    case .missing, .missingInEmptyFeature:
      while isBlank(batch.bytes[before - 1]) { before -= 1 }
      after = before
      bytes.append(contentsOf: batch.bytes[range.lowerBound..<before])
      if spot.form == .missing { bytes.append(UInt8(ascii: ",")) }
      append(ascii: "\"properties\":{", to: &bytes)
      bytes.append(contentsOf: members)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(contentsOf: batch.bytes[after..<range.upperBound])
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  // MARK: A new feature

  /// Appends a new feature.
  ///
  /// - Parameters:
  ///   - point: longitude or easting, then latitude or northing; nil, or what is not finite, gives
  ///     a null geometry.
  ///   - fields: the properties, in order.
  ///   - bytes: where the text is appended.
  public static func appendFeature(
    point: (x: Double, y: Double)?, fields: some Sequence<(String, FieldValue)>,
    to bytes: inout [UInt8]
  ) {
    var text: [UInt8] = []
    append(members: fields, to: &text)
    appendFeature(point: point, members: text, to: &bytes)
  }

  /// Appends a new feature whose properties are members that are text already.
  public static func appendFeature(
    point: (x: Double, y: Double)?, members: some Collection<UInt8>, to bytes: inout [UInt8]
  ) {
    append(ascii: "{\"type\":\"Feature\",\"geometry\":", to: &bytes)
    if let point, point.x.isFinite, point.y.isFinite {
      append(ascii: "{\"type\":\"Point\",\"coordinates\":[", to: &bytes)
      JSONText.append(point.x, to: &bytes)
      bytes.append(UInt8(ascii: ","))
      JSONText.append(point.y, to: &bytes)
      append(ascii: "]}", to: &bytes)
    } else {
      append(ascii: "null", to: &bytes)
    }
    append(ascii: ",\"properties\":{", to: &bytes)
    bytes.append(contentsOf: members)
    append(ascii: "}}", to: &bytes)
  }

  private static func append(ascii text: StaticString, to bytes: inout [UInt8]) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}
