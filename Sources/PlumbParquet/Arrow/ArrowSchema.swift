import PlumbCore
import PlumbIO

/// The description of a table's columns in an Arrow stream.
struct ArrowSchema {
  let fields: [ColumnField]
  /// The CRS of geometries as PROJJSON; nil if it is unknown.
  let crs: String?

  /// - Throws: if a column cannot be written.
  init(_ fields: [ColumnField], crs: String?) throws {
    (self.fields, self.crs) = (fields, crs)
    for field in fields {
      if case .decimal(let precision, _) = field.kind, !(1...76).contains(precision) {
        throw PlumbError(
          "column \(field.name.printable): decimals of more than 76 digits cannot be written as "
            + "Arrow", code: .unsupported)
      }
    }
  }

  /// The message that begins a stream.
  var message: [UInt8] {
    var writer = FlatBufferWriter()
    let members = fields.map { field($0, &writer) }
    let list = writer.vector(members)
    let schema = writer.table(fieldCount: 4) { $0.add(1, list) }
    return ArrowMessage.finish(&writer, kind: .schema, header: schema, bodyCount: 0)
  }

  private func field(
    _ field: ColumnField, _ writer: inout FlatBufferWriter
  ) -> FlatBufferWriter.Reference {
    var children: [FlatBufferWriter.Reference] = []
    if case .structure(let members) = field.kind {
      children = members.map { self.field($0, &writer) }
    }
    let list = writer.vector(children)
    let type = Self.type(of: field.kind, &writer)
    let metadata = metadata(of: field.kind, &writer)
    let name = writer.text(field.name)
    return writer.table(fieldCount: 7) {
      if let metadata { $0.add(6, metadata) }
      $0.add(5, list)
      $0.add(3, type.table)
      $0.add(0, name)
      $0.add(2, type.number)
      $0.add(1, UInt8(field.isNullable ? 1 : 0))
    }
  }

  /// The name and the parameters of an extension type; nil for other types.
  private func metadata(
    of kind: ColumnKind, _ writer: inout FlatBufferWriter
  ) -> FlatBufferWriter.Reference? {
    guard case .geometry = kind else { return nil }
    let parameters = crs.map { "{\"crs\":\($0),\"crs_type\":\"projjson\"}" } ?? "{}"
    let pairs = [
      ("ARROW:extension:name", "geoarrow.wkb"), ("ARROW:extension:metadata", parameters),
    ].map { key, value in
      let (key, value) = (writer.text(key), writer.text(value))
      return writer.table(fieldCount: 2) {
        $0.add(1, value)
        $0.add(0, key)
      }
    }
    return writer.vector(pairs)
  }

  /// The number of a type in Arrow's format, and its parameters.
  private static func type(
    of kind: ColumnKind, _ writer: inout FlatBufferWriter
  ) -> (number: UInt8, table: FlatBufferWriter.Reference) {
    switch kind {
    case .integer(let bits, let isSigned):
      (
        2,
        writer.table(fieldCount: 2) {
          $0.add(0, Int32(clamping: bits))
          $0.add(1, UInt8(isSigned ? 1 : 0))
        }
      )
    case .float(let bits):
      (3, writer.table(fieldCount: 1) { $0.add(0, Int16(bits == 16 ? 0 : bits == 32 ? 1 : 2)) })
    case .binary, .geometry: (4, writer.table(fieldCount: 0) { _ in })
    case .text, .json: (5, writer.table(fieldCount: 0) { _ in })
    case .boolean: (6, writer.table(fieldCount: 0) { _ in })
    case .decimal(let precision, let scale):
      (
        7,
        writer.table(fieldCount: 3) {
          $0.add(0, Int32(clamping: precision))
          $0.add(1, Int32(clamping: scale))
          $0.add(2, Int32(8 * ArrowBody.decimalWidth(precision: precision)))
        }
      )
    case .date: (8, writer.table(fieldCount: 1) { $0.add(0, Int16(0)) })
    case .time(let unit):
      (
        9,
        writer.table(fieldCount: 2) {
          $0.add(1, Int32(unit == .seconds || unit == .milliseconds ? 32 : 64))
          $0.add(0, number(of: unit))
        }
      )
    case .timestamp(let unit, let isUTC): (10, timestamp(unit, isUTC: isUTC, &writer))
    case .structure: (13, writer.table(fieldCount: 0) { _ in })
    case .fixed(let width):
      (15, writer.table(fieldCount: 1) { $0.add(0, Int32(clamping: width)) })
    case .uuid: (15, writer.table(fieldCount: 1) { $0.add(0, Int32(16)) })
    }
  }

  private static func timestamp(
    _ unit: TimeUnit, isUTC: Bool, _ writer: inout FlatBufferWriter
  ) -> FlatBufferWriter.Reference {
    let zone = isUTC ? writer.text("UTC") : nil
    return writer.table(fieldCount: 2) {
      if let zone { $0.add(1, zone) }
      $0.add(0, number(of: unit))
    }
  }

  private static func number(of unit: TimeUnit) -> Int16 {
    switch unit {
    case .seconds: 0
    case .milliseconds: 1
    case .microseconds: 2
    case .nanoseconds: 3
    }
  }
}

/// The messages of an Arrow stream.
enum ArrowMessage {
  /// The supported kinds of messages. The other kinds are tensors.
  enum Kind: UInt8 {
    case schema = 1
    case dictionary = 2
    case batch = 3
  }

  /// The message that marks the end of a stream.
  static let end: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]

  /// Writes the outermost table of a message, and returns the message with its size before it.
  static func finish(
    _ writer: inout FlatBufferWriter, kind: Kind, header: FlatBufferWriter.Reference,
    bodyCount: Int
  ) -> [UInt8] {
    let root = writer.table(fieldCount: 5) {
      $0.add(3, Int64(bodyCount))
      $0.add(2, header)
      // Version 5 of the metadata.
      $0.add(0, Int16(4))
      $0.add(1, kind.rawValue)
    }
    var message = writer.finished(root)
    message += repeatElement(0, count: (8 - message.count % 8) % 8)
    let size = UInt32(truncatingIfNeeded: message.count).littleEndian
    return [0xFF, 0xFF, 0xFF, 0xFF] + withUnsafeBytes(of: size) { Array($0) } + message
  }
}
