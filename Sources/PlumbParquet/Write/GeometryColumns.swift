import PlumbCore
import PlumbIO

/// The columns of a GeoParquet file that contain its geometries, and their description.
final class GeometryColumns {
  /// The position of the column of geometries.
  let index: Int
  /// The columns in the file.
  let schema: [ColumnField]
  private let name: String
  private let boxName: String
  private let crs: String?
  private var bounds: WKBBounds.Box?
  private var kinds: Set<UInt32> = []

  /// - Returns: nil if no column contains geometries.
  /// - Throws: if several columns contain geometries.
  init?(_ fields: [ColumnField], crs: String?) throws {
    let positions = fields.indices.filter {
      if case .geometry = fields[$0].kind { true } else { false }
    }
    guard let index = positions.first else { return nil }
    guard positions.count == 1 else {
      throw PlumbError("a table with several columns of geometries cannot be written as GeoParquet")
    }
    let taken = Set(fields.map(\.name))
    var boxName = "bbox"
    while taken.contains(boxName) { boxName += "_" }
    (self.index, self.crs, self.boxName, name) = (index, crs, boxName, fields[index].name)
    var schema = fields
    schema[index].kind = .geometry(.wkb)
    schema.append(Self.boxField(boxName))
    self.schema = schema
  }

  private static let sides = ["xmin", "ymin", "xmax", "ymax"]

  private static func boxField(_ name: String) -> ColumnField {
    ColumnField(
      name: name,
      kind: .structure(
        sides.map { ColumnField(name: $0, kind: .float(bits: 32), isNullable: false) }),
      isNullable: true)
  }

  // MARK: Rows

  /// The geometries of rows as WKB, and their boxes, both from the first of the rows on.
  func columns(
    of column: ValueColumn, rows: Range<Int>
  ) throws -> (wkb: ValueColumn, box: ValueColumn) {
    var made = Made(count: rows.count)
    switch column.values {
    case .structure(let members):
      guard members.count >= 2, case .double(let x) = members[0].values,
        case .double(let y) = members[1].values, min(x.count, y.count) >= rows.upperBound
      else { throw fault }
      for (index, row) in rows.enumerated() {
        made.addPoint(x[row], y[row], isNull: column.isNull(row), at: index)
      }
      if made.points > 0 { kinds.insert(1) }
      if let total = made.total { extend(total) }
    case .bytes(let offsets, let bytes):
      guard offsets.count > rows.upperBound, offsets.first ?? 0 >= 0,
        offsets[rows.upperBound] <= bytes.count
      else { throw fault }
      try bytes.withUnsafeBytes { bytes in
        for (index, row) in rows.enumerated() {
          guard !column.isNull(row), offsets[row] <= offsets[row + 1] else {
            made.addNull(at: index)
            continue
          }
          let geometry = UnsafeRawBufferPointer(rebasing: bytes[offsets[row]..<offsets[row + 1]])
          guard let found = WKBBounds(geometry) else {
            throw PlumbError(
              "column \(name.printable): a geometry is not valid WKB", code: .badInput)
          }
          kinds.insert(found.kind)
          if let box = found.box { extend(box) }
          made.add(geometry, found.box, at: index)
        }
      }
    default: throw fault
    }
    return made.columns(schema[index], schema[schema.count - 1])
  }

  private var fault: PlumbError {
    PlumbError("column \(name.printable) has values of another type", code: .failed)
  }

  private func extend(_ box: WKBBounds.Box) { bounds = bounds?.union(box) ?? box }

  /// The values of the columns of some rows.
  private struct Made {
    private var offsets: [Int] = [0]
    private var bytes: [UInt8] = []
    private var sides: [[Float]]
    private var validity: [UInt8]
    private var boxValidity: [UInt8]
    private let count: Int
    private(set) var points = 0
    private(set) var total: WKBBounds.Box?

    init(count: Int) {
      self.count = count
      offsets.reserveCapacity(count + 1)
      bytes.reserveCapacity(count * 21)
      sides = Array(repeating: Array(repeating: 0, count: count), count: 4)
      validity = Array(repeating: 0, count: (count + 7) / 8)
      boxValidity = validity
    }

    mutating func addNull(at index: Int) { offsets.append(bytes.count) }

    mutating func addPoint(_ x: Double, _ y: Double, isNull: Bool, at index: Int) {
      guard !isNull, x.isFinite, y.isFinite else { return addNull(at: index) }
      points += 1
      bytes.append(contentsOf: [1, 1, 0, 0, 0])
      withUnsafeBytes(of: SIMD2(x, y)) { bytes.append(contentsOf: $0) }
      offsets.append(bytes.count)
      validity[index >> 3] |= 1 << UInt8(index & 7)
      let box = WKBBounds.Box(low: SIMD2(x, y), high: SIMD2(x, y))
      total = total?.union(box) ?? box
      add(box, at: index)
    }

    mutating func add(_ geometry: UnsafeRawBufferPointer, _ box: WKBBounds.Box?, at index: Int) {
      bytes.append(contentsOf: geometry)
      offsets.append(bytes.count)
      validity[index >> 3] |= 1 << UInt8(index & 7)
      if let box { add(box, at: index) }
    }

    /// Adds a box, rounded outwards.
    private mutating func add(_ box: WKBBounds.Box, at index: Int) {
      boxValidity[index >> 3] |= 1 << UInt8(index & 7)
      sides[0][index] = Self.below(box.low.x)
      sides[1][index] = Self.below(box.low.y)
      sides[2][index] = -Self.below(-box.high.x)
      sides[3][index] = -Self.below(-box.high.y)
    }

    private static func below(_ value: Double) -> Float {
      let near = Float(value)
      return Double(near) > value ? near.nextDown : near
    }

    func columns(
      _ field: ColumnField, _ boxField: ColumnField
    ) -> (wkb: ValueColumn, box: ValueColumn) {
      let members = zip(GeometryColumns.sides, sides).map { name, values in
        ValueColumn(
          field: ColumnField(name: name, kind: .float(bits: 32), isNullable: false),
          values: .float(values), validity: nil, count: count)
      }
      return (
        ValueColumn(
          field: field, values: .bytes(offsets: offsets, bytes: bytes), validity: validity,
          count: count),
        ValueColumn(
          field: boxField, values: .structure(members), validity: boxValidity, count: count)
      )
    }
  }

  // MARK: Metadata

  /// The metadata of GeoParquet 1.1.
  var metadata: String {
    let text = TextBuffer(capacity: 1 << 12)
    text.append(literal: "{\"version\":\"1.1.0\",\"primary_column\":")
    text.append(json: name)
    text.append(literal: ",\"columns\":{")
    text.append(key: name)
    text.append(literal: "{\"encoding\":\"WKB\",\"geometry_types\":[")
    for (index, kind) in kinds.sorted().enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(json: Self.kindName(kind))
    }
    text.append(literal: "],\"crs\":")
    text.append(crs ?? "null")
    if let bounds {
      text.append(literal: ",\"bbox\":[")
      let sides = [bounds.low.x, bounds.low.y, bounds.high.x, bounds.high.y]
      for (index, side) in sides.enumerated() {
        if index > 0 { text.append(literal: ",") }
        text.append(side.description)
      }
      text.append(literal: "]")
    }
    text.append(literal: ",\"covering\":{\"bbox\":{")
    for (index, side) in Self.sides.enumerated() {
      if index > 0 { text.append(literal: ",") }
      text.append(key: side)
      text.append(literal: "[")
      text.append(json: boxName)
      text.append(literal: ",")
      text.append(json: side)
      text.append(literal: "]")
    }
    text.append(literal: "}}}}}")
    return String(decoding: text.bytes, as: UTF8.self)
  }

  private static func kindName(_ kind: UInt32) -> String {
    let names = [
      "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon",
      "GeometryCollection",
    ]
    let index = Int(kind % 1000) - 1
    let name = names.indices.contains(index) ? names[index] : "GeometryCollection"
    return kind >= 1000 ? name + " Z" : name
  }
}
