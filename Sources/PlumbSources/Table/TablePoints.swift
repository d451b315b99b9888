import PlumbCore
import PlumbIO
import PlumbParquet

/// Reads points from columns of geometries or coordinates.
enum TablePoints {
  /// A point, or the reason why the row has none.
  enum Outcome {
    case point(x: Double, y: Double)
    case fault(PointFault)

    fileprivate init(_ x: Double, _ y: Double) {
      self = x.isFinite && y.isFinite ? .point(x: x, y: y) : .fault(.missing)
    }

    /// The point of two coordinates of which either may be missing.
    init(_ x: Double?, _ y: Double?) {
      if let x, let y { self = .point(x: x, y: y) } else { self = .fault(.missing) }
    }
  }

  /// The points of structures with the members x and y.
  static func structures(_ column: ValueColumn, _ rows: Range<Int>) -> [Outcome] {
    guard case .structure(let members) = column.values, members.count >= 2,
      case .double(let x) = members[0].values, case .double(let y) = members[1].values
    else { return rows.map { _ in .fault(.missing) } }
    return rows.map { row in
      column.isNull(row) || members[0].isNull(row) || members[1].isNull(row)
        ? .fault(.missing) : Outcome(x[row], y[row])
    }
  }

  /// The points of well-known binary.
  static func wkb(_ column: ValueColumn, _ rows: Range<Int>) -> [Outcome] {
    guard case .bytes(let offsets, let bytes) = column.values else {
      return rows.map { _ in .fault(.missing) }
    }
    return bytes.withUnsafeBytes { bytes in
      rows.map { row in
        column.isNull(row)
          ? .fault(.missing)
          : point(UnsafeRawBufferPointer(rebasing: bytes[offsets[row]..<offsets[row + 1]]))
      }
    }
  }

  /// The point of one geometry: a point, or a multipoint of one point.
  private static func point(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    guard !bytes.isEmpty else { return .fault(.missing) }
    guard bytes.count >= 5, bytes[0] <= 1 else { return .fault(.other) }
    let isLittle = bytes[0] == 1
    let word = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
    let type = isLittle ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
    var next = 5 + (type & 0x2000_0000 == 0 ? 0 : 4)
    let number = type & 0x1FFF_FFFF
    guard number < 4000, bytes.count >= next else { return .fault(.other) }
    let dimensions =
      2 + (type >> 31 == 1 || number / 1000 & 1 == 1 ? 1 : 0)
      + (type & 0x4000_0000 != 0 || number / 1000 & 2 == 2 ? 1 : 0)
    switch number % 1000 {
    case 1:
      guard bytes.count == next + 8 * dimensions else { return .fault(.other) }
      let (x, y) = (
        bytes.loadUnaligned(fromByteOffset: next, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: next + 8, as: UInt64.self)
      )
      return isLittle
        ? Outcome(
          Double(bitPattern: UInt64(littleEndian: x)), Double(bitPattern: UInt64(littleEndian: y)))
        : Outcome(
          Double(bitPattern: UInt64(bigEndian: x)), Double(bitPattern: UInt64(bigEndian: y)))
    case 4:
      guard bytes.count >= next + 4 else { return .fault(.other) }
      let count = bytes.loadUnaligned(fromByteOffset: next, as: UInt32.self)
      next += 4
      switch isLittle ? UInt32(littleEndian: count) : UInt32(bigEndian: count) {
      case 0: return .fault(.missing)
      case 1:
        let member = UnsafeRawBufferPointer(rebasing: bytes[next...])
        return member.count >= 5 && isPoint(member) ? point(member) : .fault(.other)
      default: return .fault(.multiPoint)
      }
    case 2, 5: return .fault(isEmpty(bytes, next) ? .missing : .line)
    case 3, 6: return .fault(isEmpty(bytes, next) ? .missing : .polygon)
    case 7: return .fault(isEmpty(bytes, next) ? .missing : .collection)
    default: return .fault(.other)
    }
  }

  private static func isEmpty(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Bool {
    bytes.count == start + 4 && bytes[start...].allSatisfy { $0 == 0 }
  }

  /// Whether a member of a multipoint has the type of a point.
  private static func isPoint(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let word = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
    let type = bytes[0] == 1 ? UInt32(littleEndian: word) : UInt32(bigEndian: word)
    return (type & 0x1FFF_FFFF) % 1000 == 1
  }
}
