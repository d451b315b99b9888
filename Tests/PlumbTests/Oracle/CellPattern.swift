import Plumb
import PlumbGDAL
import PlumbTestSupport

/// Cells of any pixel type for test rasters: random bits, with extreme values and nodata values
/// among them.
struct CellPattern {
  enum Style {
    /// Any bits of the type.
    case wild
    /// Ordinary numbers, for codecs that do not support NaN.
    case tame
    /// Integers below this value.
    case below(UInt64)
    /// These bits.
    case oneOf([UInt64])
  }

  var type: PixelType
  var style: Style = .wild
  /// The bits of a component that is used for every tenth cell.
  var noDataBits: UInt64?

  /// Returns `count` cells in native byte order.
  func cells(_ count: Int, using generator: inout SeededGenerator) -> [UInt8] {
    let size = type.component.byteCount
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * type.byteCount)
    let extremes = Self.extremes(of: type.component)
    for _ in 0..<count {
      for part in 0..<(type.isComplex ? 2 : 1) {
        let number = generator.next()
        var bits = number >> 8
        switch style {
        case .wild:
          if number % 10 == 1 { bits = extremes[Int((number >> 8) % UInt64(extremes.count))] }
          if number % 10 > 5 { bits = generator.next() }
        case .tame:
          let value = Int(bits % 100)
          switch type.component {
          case .float32: bits = UInt64((Float(value) + 0.5).bitPattern)
          case .float64: bits = (Double(value) + 0.25).bitPattern
          default: bits = UInt64(value)
          }
        case .below(let limit): bits %= limit
        case .oneOf(let list): bits = list[Int(bits % UInt64(list.count))]
        }
        if part == 0, number % 10 == 0, let noDataBits { bits = noDataBits }
        withUnsafeBytes(of: bits.littleEndian) { bytes.append(contentsOf: $0.prefix(size)) }
      }
    }
    return bytes
  }

  /// The bits of the limits of a type, and of values that are frequently handled incorrectly.
  static func extremes(of type: PixelType) -> [UInt64] {
    func signed(_ values: [Int64]) -> [UInt64] { values.map { UInt64(bitPattern: $0) } }
    switch type {
    case .uint8: return [0, 1, 254, 255]
    case .uint16: return [0, 1, 65534, 65535]
    case .uint32: return [0, UInt64(UInt32.max), UInt64(Int32.max) + 1]
    case .uint64: return [0, .max, .max - 1, 1 << 53 + 1, 1 << 63]
    case .int8: return signed([-128, -127, -1, 0, 127])
    case .int16: return signed([-32768, -32767, -1, 0, 32767])
    case .int32: return signed([Int64(Int32.min), Int64(Int32.max), -1, 0])
    case .int64: return signed([.min, .max, 1 << 53 + 1, -(1 << 53) - 1, -1])
    case .float32:
      return [
        .infinity, -.infinity, .nan, -0.0, 0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 16_777_216, .leastNormalMagnitude,
      ].map { (value: Float) in UInt64(value.bitPattern) }
    default:
      return [
        .infinity, -.infinity, .nan, -0.0, 0, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 9_007_199_254_740_992, 0.1,
      ].map { (value: Double) in value.bitPattern }
    }
  }

  /// A nodata value for the type, and the bits of a component with this value.
  static func noData(of type: PixelType) -> (value: RasterWriter.Nodata, bits: UInt64) {
    switch type.component {
    case .int8: (.double(-7), UInt64(bitPattern: -7))
    case .int64: (.int64(1 << 53 + 1), 1 << 53 + 1)
    case .uint64: (.uint64(.max), .max)
    // Neither is exactly its decimal text, so nearly equal values have to be treated as equal.
    case .float32: (.double(-9999.9), UInt64(Float(-9999.9).bitPattern))
    case .float64: (.double(0.1), (0.1 as Double).bitPattern)
    default: (.double(7), 7)
    }
  }
}
