/// The type and the bounding box of a geometry in WKB.
struct WKBBounds {
  /// A box in the plane.
  struct Box {
    var low, high: SIMD2<Double>

    func union(_ other: Box) -> Box {
      Box(low: pointwiseMin(low, other.low), high: pointwiseMax(high, other.high))
    }
  }

  /// The ISO type: 1 to 7, plus 1000 if there are heights.
  private(set) var kind: UInt32 = 0
  /// Nil for an empty geometry.
  private(set) var box: Box?
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  private static let nestingLimit = 16

  /// - Returns: nil if the bytes are not one geometry.
  init?(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    guard let kind = read(depth: 0), position == bytes.count else { return nil }
    self.kind = kind
  }

  /// Reads a geometry and returns its type; nil if it is not valid.
  private mutating func read(depth: Int) -> UInt32? {
    guard depth < Self.nestingLimit, position < bytes.count else { return nil }
    let isLittle = bytes[position] == 1
    guard bytes[position] <= 1 else { return nil }
    position += 1
    guard let code = word(isLittle) else { return nil }
    // Z and M are flags in PostGIS's types, and multiples of 1,000 in ISO types.
    let flags = code >> 29
    if flags & 1 != 0, word(isLittle) == nil { return nil }
    let plain = code & 0x1FFF_FFFF
    let iso = plain / 1000
    guard iso <= 3 else { return nil }
    let hasZ = flags & 4 != 0 || iso == 1 || iso == 3
    let hasM = flags & 2 != 0 || iso == 2 || iso == 3
    let size = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    let shape = plain % 1000
    switch shape {
    case 1: guard readVertices(1, size, isLittle) else { return nil }
    case 2:
      guard let count = word(isLittle), readVertices(Int(count), size, isLittle) else { return nil }
    case 3:
      guard let rings = word(isLittle) else { return nil }
      for _ in 0..<rings {
        guard let count = word(isLittle), readVertices(Int(count), size, isLittle) else {
          return nil
        }
      }
    case 4...7:
      guard let members = word(isLittle) else { return nil }
      for _ in 0..<members where read(depth: depth + 1) == nil { return nil }
    default: return nil
    }
    return shape + (hasZ ? 1000 : 0)
  }

  private mutating func word(_ isLittle: Bool) -> UInt32? {
    guard bytes.count - position >= 4 else { return nil }
    defer { position += 4 }
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    return isLittle ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
  }

  private mutating func readVertices(_ count: Int, _ size: Int, _ isLittle: Bool) -> Bool {
    guard (bytes.count - position) / size >= count else { return false }
    for _ in 0..<count {
      let (x, y) = (number(position, isLittle), number(position + 8, isLittle))
      position += size
      // An empty point has NaN coordinates.
      if x.isNaN || y.isNaN { continue }
      let point = SIMD2(x, y)
      box = box.map { $0.union(Box(low: point, high: point)) } ?? Box(low: point, high: point)
    }
    return true
  }

  private func number(_ position: Int, _ isLittle: Bool) -> Double {
    let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    return Double(bitPattern: isLittle ? UInt64(littleEndian: word) : UInt64(bigEndian: word))
  }
}
