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

  /// The geometries of rows as WKB, and their boxes. The first element of both columns belongs to the
  /// first of the rows.
  func columns(
    of column: ValueColumn, rows: Range<Int>
  ) throws -> (wkb: ValueColumn, box: ValueColumn) {
    var made = Made(count: rows.count)
    switch column.values {
    case .structure(let members):
      guard members.count >= 2, case .double(let x) = members[0].values,
        case .double(let y) = members[1].values, min(x.count, y.count) >= rows.upperBound
      else { throw fault }
      x.withUnsafeBufferPointer { x in
        y.withUnsafeBufferPointer { y in made.addPoints(x, y, of: column, rows) }
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

  /// The values of the file's geometry columns for a range of rows.
  private struct Made {
    private var offsets: [Int] = [0]
    private var bytes: [UInt8] = []
    private var sides: [[Float]]
    private var validity: [UInt8]
    private var boxValidity: [UInt8]
    private let count: Int
    private(set) var points = 0
    /// The number of bytes of a point.
    private static let pointSize = 21
    private(set) var total: WKBBounds.Box?

    init(count: Int) {
      self.count = count
      offsets.reserveCapacity(count + 1)
      bytes.reserveCapacity(count * Self.pointSize)
      sides = Array(repeating: Array(repeating: 0, count: count), count: 4)
      validity = Array(repeating: 0, count: (count + 7) / 8)
      boxValidity = validity
    }

    mutating func addNull(at index: Int) { offsets.append(bytes.count) }

    /// Adds points as WKB; rows without finite coordinates are null.
    mutating func addPoints(
      _ x: UnsafeBufferPointer<Double>, _ y: UnsafeBufferPointer<Double>, of column: ValueColumn,
      _ rows: Range<Int>
    ) {
      let first = rows.lowerBound
      var (low, high) = (SIMD2(repeating: Double.infinity), SIMD2(repeating: -Double.infinity))
      for index in 0..<count {
        let point = SIMD2(x[first + index], y[first + index])
        guard point.x.isFinite, point.y.isFinite, !column.isNull(first + index) else { continue }
        validity[index >> 3] |= 1 << UInt8(truncatingIfNeeded: index & 7)
        points += 1
        low.replace(with: point, where: point .< low)
        high.replace(with: point, where: point .> high)
      }
      boxValidity = validity
      if points > 0 { total = WKBBounds.Box(low: low, high: high) }
      addPointBytes(x, y, first)
      let validity = validity
      for (side, (values, sign)) in [(x, 1.0), (y, 1.0), (x, -1.0), (y, -1.0)].enumerated() {
        sides[side].withUnsafeMutableBufferPointer { target in
          for index in 0..<count where Self.isPresent(validity, index) {
            target[index] = Float(sign) * Self.below(sign * values[first + index])
          }
        }
      }
    }

    private static func isPresent(_ validity: [UInt8], _ index: Int) -> Bool {
      validity[index >> 3] >> UInt8(truncatingIfNeeded: index & 7) & 1 == 1
    }

    private mutating func addPointBytes(
      _ x: UnsafeBufferPointer<Double>, _ y: UnsafeBufferPointer<Double>, _ first: Int
    ) {
      let (count, validity, size) = (count, validity, Self.pointSize)
      var ends: [Int] = []
      bytes = [UInt8](unsafeUninitializedCapacity: count * size) { target, used in
        let target = UnsafeMutableRawBufferPointer(target)
        ends = [Int](unsafeUninitializedCapacity: count + 1) { ends, endCount in
          ends[0] = 0
          for index in 0..<count {
            if Self.isPresent(validity, index) {
              // Little-endian, and the type of points.
              target.storeBytes(of: UInt32(0x101).littleEndian, toByteOffset: used, as: UInt32.self)
              target[used + 4] = 0
              let point = SIMD2(x[first + index], y[first + index])
              target.storeBytes(of: point, toByteOffset: used + 5, as: SIMD2<Double>.self)
              used += size
            }
            ends[index + 1] = used
          }
          endCount = count + 1
        }
      }
      offsets = ends
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
