import CPlumb
import Plumb
import PlumbIO

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Fences passed by the caller.
struct CallerFences: Sendable {
  var fences: [Fence]
  /// The names of the fences' attributes.
  var fields: [String]
  var name: String
  var warnings: [MessageTemplate]

  init(_ input: plumb_fences) throws {
    let reference =
      try CText.optional(input.crs, "the fences' CRS").map { try SpatialReference(userInput: $0) }
      ?? .wgs84
    name = try CText.optional(input.name, "the fences' name") ?? "fences"
    let shapes = try ShapeList(input.shapes, reference: reference, copies: false)
    let count = Int(input.shapes.count)
    let table = try AttributeRows(input.attributes, count: count, "the fences")
    fields = table.names
    let (ids, names) = (Self.field("id", of: fields), Self.field("name", of: fields))
    let areWhole = ids.map { id in table.rows.allSatisfy { !$0[id].fenceText.isEmpty } } ?? false
    fences = (0..<count).map { number in
      let row = table.rows.isEmpty ? [] : table.rows[number]
      let id = areWhole ? ids.map { row[$0].fenceText } ?? "" : "\(number)"
      let name = names.map { row[$0].fenceText } ?? ""
      return Fence(
        id: id, name: name.isEmpty ? id : name,
        geometry: shapes.geometry(number) ?? .point(.empty(reference)), attributes: row)
    }
    warnings = shapes.faults.warning.map { [MessageTemplate($0)] } ?? []
  }

  /// The index of the field with a name, ignoring case. An exact match takes precedence.
  private static func field(_ name: String, of fields: [String]) -> Int? {
    fields.firstIndex(of: name) ?? fields.firstIndex { $0.lowercased() == name }
  }
}

/// Attributes that the caller passes as a JSON array of objects.
struct AttributeRows: Sendable {
  /// The names in the order of the first object.
  private(set) var names: [String] = []
  /// The values of each object, in the order of the names; empty if there are no attributes.
  private(set) var rows: [[FieldValue]] = []

  /// - Throws: if the JSON is not an array of `count` objects, or is not UTF-8. The error contains
  ///   the row, counted from 0.
  init(_ json: UnsafePointer<CChar>?, count: Int, _ what: String) throws {
    guard let json else { return }
    let bytes = UnsafeRawBufferPointer(start: json, count: strlen(json))
    var location = ""
    do {
      var scanner = JSONScanner(bytes)
      try scanner.beginArray()
      defer { location = ", row \(rows.count)" }
      while try scanner.nextElement() { try read(&scanner, bytes) }
      guard scanner.isAtEnd() else { throw PlumbError("unexpected text after the array") }
    } catch {
      throw CallError.bad(
        "the attributes of \(what)\(location): \(PlumbError.message(of: error))")
    }
    guard rows.count == count else {
      throw CallError.bad("the attributes of \(what): \(rows.count) objects for \(count)")
    }
  }

  private mutating func read(_ scanner: inout JSONScanner, _ bytes: UnsafeRawBufferPointer) throws {
    var rest = scanner
    let text = UnsafeRawBufferPointer(rebasing: bytes[try rest.skipValue()])
    guard UTF8Text.isValid(text.bindMemory(to: UInt8.self)) else {
      throw PlumbError("the text is not UTF-8")
    }
    try scanner.beginObject()
    var row = [FieldValue](repeating: .null, count: names.count)
    while let key = try scanner.nextKey() {
      let name = scanner.text(of: key)
      let value = try scanner.readFieldValue()
      if let known = names.firstIndex(of: name) {
        row[known] = value
      } else if rows.isEmpty {
        names.append(name)
        row.append(value)
      } else {
        throw PlumbError("the first object has no member \(name.printable)")
      }
    }
    rows.append(row)
  }
}
