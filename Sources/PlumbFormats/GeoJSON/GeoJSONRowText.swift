import PlumbCore
import PlumbIO

/// Appends features to bytes, as GeoJSON text without a trailing separator.
public enum GeoJSONRowText {
  /// Appends members as `"name":value`, separated by commas, without braces.
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

  /// Appends the unchanged text of a row of a batch, with members added at the end of its
  /// properties.
  ///
  /// If the properties are null, missing or not an object, they become an object. A bare geometry
  /// becomes the geometry of a new feature. A row that is not a JSON object becomes a feature with
  /// null geometry and only the added members.
  /// - Parameters:
  ///   - row: the index of the row in the batch.
  ///   - batch: the rows as read.
  ///   - members: the members to add, in order.
  ///   - onOneLine: whether to replace line breaks between tokens with spaces, as sequences require.
  ///   - bytes: the bytes to append to.
  public static func append(
    _ row: Int, of batch: GeoJSONBatch, adding members: some Sequence<(String, FieldValue)>,
    onOneLine: Bool = false, to bytes: inout [UInt8]
  ) {
    var text: [UInt8] = []
    append(members: members, to: &text)
    append(row, of: batch, members: text, onOneLine: onOneLine, to: &bytes)
  }

  /// Appends a row of a batch as above, with members that are already formatted, for example by
  /// `append(members:to:)`.
  public static func append(
    _ row: Int, of batch: GeoJSONBatch, members: some Collection<UInt8>,
    onOneLine: Bool = false, to bytes: inout [UInt8]
  ) {
    let text = TextBuffer(capacity: 1024)
    let members = Array(members)
    append(row, of: batch, hasMembers: !members.isEmpty, onOneLine: onOneLine, to: text) {
      text.append(contentsOf: members)
    }
    bytes.append(contentsOf: text.bytes)
  }

  /// Appends a row of a batch as above.
  ///
  /// - Parameters:
  ///   - hasMembers: whether there are members to add.
  ///   - appendMembers: a function that appends the members, on one line, to `text`.
  package static func append(
    _ row: Int, of batch: GeoJSONBatch, hasMembers: Bool, onOneLine: Bool, to text: TextBuffer,
    _ appendMembers: () throws -> Void
  ) rethrows {
    let range = batch.ranges[row]
    func copy(_ part: Range<Int>) { append(part, of: batch, onOneLine: onOneLine, to: text) }
    switch batch.forms[row] {
    case .feature where !hasMembers: copy(range)
    case .feature:
      let spot = batch.properties[row]
      var (before, after) = (spot.range.lowerBound, spot.range.upperBound)
      switch spot.form {
      case .object, .emptyObject:
        // The members are inserted after the last member, before whitespace and the brace.
        after -= 1
        while isBlank(batch.bytes[after - 1]) { after -= 1 }
        copy(range.lowerBound..<after)
        if spot.form == .object { text.append(UInt8(ascii: ",")) }
        try appendMembers()
      case .other:
        copy(range.lowerBound..<before)
        text.append(UInt8(ascii: "{"))
        try appendMembers()
        text.append(UInt8(ascii: "}"))
      case .missing, .missingInEmptyFeature:
        while isBlank(batch.bytes[before - 1]) { before -= 1 }
        after = before
        copy(range.lowerBound..<before)
        if spot.form == .missing { text.append(UInt8(ascii: ",")) }
        text.append(literal: "\"properties\":{")
        try appendMembers()
        text.append(UInt8(ascii: "}"))
      }
      copy(after..<range.upperBound)
    case .geometry:
      text.append(literal: "{\"type\":\"Feature\",\"geometry\":")
      copy(range)
      text.append(literal: ",\"properties\":{")
      try appendMembers()
      text.append(literal: "}}")
    case .invalid:
      text.append(literal: "{\"type\":\"Feature\",\"geometry\":null,\"properties\":{")
      try appendMembers()
      text.append(literal: "}}")
    }
  }

  private static func append(
    _ range: Range<Int>, of batch: GeoJSONBatch, onOneLine: Bool, to text: TextBuffer
  ) {
    batch.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return }
      guard onOneLine else { return text.append(base + range.lowerBound, range.count) }
      for index in range {
        let byte = base[index]
        text.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
      }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  // MARK: A new feature

  /// Appends a new feature.
  ///
  /// - Parameters:
  ///   - point: longitude or easting, then latitude or northing; if nil or not finite, the geometry is
  ///     null.
  ///   - fields: the properties, in order.
  ///   - bytes: the bytes to append to.
  public static func appendFeature(
    point: (x: Double, y: Double)?, fields: some Sequence<(String, FieldValue)>,
    to bytes: inout [UInt8]
  ) {
    var text: [UInt8] = []
    append(members: fields, to: &text)
    appendFeature(point: point, members: text, to: &bytes)
  }

  /// Appends a new feature whose properties are already formatted.
  public static func appendFeature(
    point: (x: Double, y: Double)?, members: some Collection<UInt8>, to bytes: inout [UInt8]
  ) {
    let text = TextBuffer(capacity: 1024)
    let members = Array(members)
    appendFeature(point: point, to: text) { text.append(contentsOf: members) }
    bytes.append(contentsOf: text.bytes)
  }

  /// Appends a new feature.
  ///
  /// - Parameter appendMembers: a function that appends the properties to `text`.
  package static func appendFeature(
    point: (x: Double, y: Double)?, to text: TextBuffer, _ appendMembers: () throws -> Void
  ) rethrows {
    text.append(literal: "{\"type\":\"Feature\",\"geometry\":")
    if let point, point.x.isFinite, point.y.isFinite {
      text.append(literal: "{\"type\":\"Point\",\"coordinates\":[")
      text.append(json: point.x)
      text.append(UInt8(ascii: ","))
      text.append(json: point.y)
      text.append(literal: "]}")
    } else {
      text.append(literal: "null")
    }
    text.append(literal: ",\"properties\":{")
    try appendMembers()
    text.append(literal: "}}")
  }
}
