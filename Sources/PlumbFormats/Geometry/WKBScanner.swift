import PlumbCore
import PlumbIO

/// Scans well-known binary.
struct WKBScanner {
  /// The header of a geometry.
  struct Head {
    var shape: WKBGeometry.Shape
    var hasZ: Bool
    var hasM: Bool
    var isBigEndian: Bool
    /// The SRID in PostGIS EWKB; nil if the geometry has no SRID.
    var code: Int?
    /// The start of the geometry.
    var offset: Int
  }

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  func fault(_ message: String) -> FormatError { FormatError("WKB: " + message, offset: position) }

  private mutating func read<Word: FixedWidthInteger>(
    _: Word.Type, _ isBigEndian: Bool
  ) throws(FormatError) -> Word {
    let size = MemoryLayout<Word>.size
    guard bytes.count - position >= size else { throw fault("the bytes end too early") }
    let word = bytes.loadUnaligned(fromByteOffset: position, as: Word.self)
    position += size
    return isBigEndian ? Word(bigEndian: word) : Word(littleEndian: word)
  }

  mutating func readHead() throws(FormatError) -> Head {
    let offset = position
    let order = try read(UInt8.self, false)
    guard order <= 1 else {
      throw FormatError("WKB: a byte order of 0 or 1 was expected", offset: offset)
    }
    let type = try read(UInt32.self, order == 0)
    // PostGIS stores the dimensions as flags in the upper bits of the type. ISO adds thousands to
    // the type.
    let number = type & 0x1FFF_FFFF
    guard number < 4000, let shape = WKBGeometry.Shape(rawValue: number % 1000) else {
      let isCurve = number < 4000 && (8...17).contains(number % 1000)
      throw FormatError(
        isCurve
          ? "WKB: \(number % 1000 == 8 ? "arcs (CIRCULARSTRING)" : "faces and abstract kinds"), "
            + "type \(number), are not supported; use points, lines or polygons without curves"
          : "WKB: \(number) is not a geometry type", offset: offset + 1)
    }
    let thousands = number / 1000
    let code = type & 0x2000_0000 == 0 ? nil : try read(Int32.self, order == 0)
    return Head(
      shape: shape, hasZ: type & 0x8000_0000 != 0 || thousands & 1 == 1,
      hasM: type & 0x4000_0000 != 0 || thousands & 2 == 2, isBigEndian: order == 0,
      code: code.map { Int($0) }, offset: offset)
  }

  /// Reads a count of items, and checks the count against the remaining bytes before any memory is
  /// allocated for the items.
  mutating func readCount(_ head: Head, bytesEach: Int) throws(FormatError) -> Int {
    let offset = position
    let count = Int(try read(UInt32.self, head.isBigEndian))
    guard count <= (bytes.count - position) / bytesEach else {
      throw FormatError("WKB: a count of \(count) exceeds the remaining bytes", offset: offset)
    }
    return count
  }

  /// Reads one point; x and y are both NaN if the point is empty.
  mutating func readPoint(_ head: Head) throws(FormatError) -> Point {
    let offset = position
    let (point, z, m) = try readNumbers(head)
    guard point.x.isFinite && point.y.isFinite || point.x.isNaN && point.y.isNaN else {
      throw FormatError("WKB: a coordinate is not a finite number", offset: offset)
    }
    return Point(x: point.x, y: point.y, z: z, m: m)
  }

  /// Reads a count and that number of vertices, and returns the count.
  ///
  /// - Parameter joins: whether the first vertex repeats the builder's last vertex, and is dropped.
  mutating func readVertices(
    _ head: Head, into builder: inout ShapeBuilder, joins: Bool = false
  ) throws(FormatError) -> Int {
    let size = 16 + (head.hasZ ? 8 : 0) + (head.hasM ? 8 : 0)
    let count = try readCount(head, bytesEach: size)
    if builder.xy.isEmpty { builder.reserve(count) }
    for index in 0..<count {
      let offset = position
      let (point, z, m) = try readNumbers(head)
      guard point.x.isFinite, point.y.isFinite else {
        throw FormatError("WKB: a coordinate is not a finite number", offset: offset)
      }
      if joins, index == 0 {
        guard point == builder.xy.last else {
          throw FormatError("WKB: the parts of a COMPOUNDCURVE do not meet", offset: offset)
        }
        continue
      }
      builder.append(point, z: z, m: m)
    }
    return count
  }

  private mutating func readNumbers(
    _ head: Head
  ) throws(FormatError) -> (SIMD2<Double>, z: Double?, m: Double?) {
    let point = SIMD2(try readNumber(head), try readNumber(head))
    let z = head.hasZ ? try readExtra(head) : nil
    let m = head.hasM ? try readExtra(head) : nil
    return (point, z, m)
  }

  private mutating func readExtra(_ head: Head) throws(FormatError) -> Double {
    let offset = position
    let value = try readNumber(head)
    guard !value.isInfinite else {
      throw FormatError("WKB: a height or measure is infinite", offset: offset)
    }
    return value
  }

  private mutating func readNumber(_ head: Head) throws(FormatError) -> Double {
    Double(bitPattern: try read(UInt64.self, head.isBigEndian))
  }
}
