import PlumbCore

/// The values of a band that are invalid, in addition to its nodata value: further missing values,
/// and values outside a range. A reader replaces them by the nodata value.
package struct ExcludedValues: Sendable, Hashable {
  /// Invalid values, in ascending order.
  private var values: [Double]
  /// The minimum and the maximum of the valid values; infinite without a limit.
  private var (minimum, maximum): (Double, Double)
  /// The value that replaces the invalid values.
  private var replacement: Double
  private let type: PixelType

  /// - Parameters:
  ///   - type: the type of the values; not complex, and not an integer of 64 bits.
  ///   - values: the values that are not valid. NaN and numbers that the type cannot represent have no effect.
  ///   - minimum: the minimum of the valid values; nil or NaN without a limit.
  ///   - maximum: the maximum of the valid values; nil or NaN without a limit.
  ///   - noData: the nodata value of the band; nil if it has none.
  /// - Returns: nil if all values other than the nodata value and NaN are valid.
  package init?(
    _ type: PixelType, values: [Double], minimum: Double?, maximum: Double?, noData: Double?
  ) {
    self.type = type
    let (least, greatest) = Self.limits(type)
    func stored(_ value: Double) -> Double { type == .float32 ? Double(Float(value)) : value }
    self.values = Set(values.map(stored)).subtracting(noData.map { [$0] } ?? [])
      .filter { (least...greatest).contains($0) && (type.isFloatingPoint || $0 == $0.rounded()) }
      .sorted()
    let bounds = [(minimum, -Double.infinity), (maximum, .infinity)].map { bound, without in
      bound.map { $0.isNaN ? without : stored($0) } ?? without
    }
    (self.minimum, self.maximum) = (bounds[0], bounds[1])
    let isBelow = self.minimum > least
    let isAbove = self.maximum < greatest
    guard !self.values.isEmpty || isBelow || isAbove else { return nil }
    if let noData {
      replacement = noData
    } else if type.isFloatingPoint {
      replacement = .nan
    } else {
      replacement = self.values.first ?? (isBelow ? least : greatest)
    }
  }

  private static func limits(_ type: PixelType) -> (Double, Double) {
    switch type {
    case .uint8: (0, 255)
    case .int8: (-128, 127)
    case .uint16: (0, 65_535)
    case .int16: (-32_768, 32_767)
    case .uint32: (0, 4_294_967_295)
    case .int32: (-2_147_483_648, 2_147_483_647)
    default: (-.infinity, .infinity)
    }
  }

  /// The nodata value of the band after the replacement.
  package var noData: NoData { .real(replacement) }

  /// Replaces the invalid values of a window.
  ///
  /// - Parameters:
  ///   - memory: the first cell.
  ///   - cellStride: the number of bytes between cells.
  ///   - rowStride: the number of bytes between rows.
  package func replace(
    _ window: CellWindow, in memory: UnsafeMutableRawPointer, cellStride: Int, rowStride: Int
  ) {
    func replace<Value>(_: Value.Type, _ replacement: Value, _ number: (Value) -> Double) {
      for row in 0..<window.height {
        let start = memory + row * rowStride
        for column in 0..<window.width {
          let cell = start + column * cellStride
          if excludes(number(cell.loadUnaligned(as: Value.self))) {
            cell.storeBytes(of: replacement, as: Value.self)
          }
        }
      }
    }
    switch type {
    case .uint8: replace(UInt8.self, UInt8(replacement)) { Double($0) }
    case .int8: replace(Int8.self, Int8(replacement)) { Double($0) }
    case .uint16: replace(UInt16.self, UInt16(replacement)) { Double($0) }
    case .int16: replace(Int16.self, Int16(replacement)) { Double($0) }
    case .uint32: replace(UInt32.self, UInt32(replacement)) { Double($0) }
    case .int32: replace(Int32.self, Int32(replacement)) { Double($0) }
    case .float32: replace(Float.self, Float(replacement)) { Double($0) }
    case .float64: replace(Double.self, replacement) { $0 }
    default: break
    }
  }

  /// Whether a value is invalid. NaN is not replaced.
  @inline(__always)
  private func excludes(_ value: Double) -> Bool {
    value < minimum || value > maximum || values.contains(value)
  }
}
