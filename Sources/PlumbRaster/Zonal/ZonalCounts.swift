/// The coverage of each value of an integer type with at most 16 bits. For such types, values are
/// counted instead of sorted.
final class ZonalCounts {
  /// The conversion of stored values to the values of a distribution.
  struct Conversion: Equatable {
    /// The least value of the type.
    var least: Int
    var scale: Double
    var offset: Double

    /// The value at an index.
    func value(_ index: Int) -> Double { Double(index + least) * scale + offset }
  }

  /// The number of values of the type.
  let size: Int
  private let weights: UnsafeMutablePointer<Double>
  private let areas: UnsafeMutablePointer<Double>
  /// One bit for each index with coverage.
  private let marks: UnsafeMutablePointer<UInt64>
  /// The conversion of the values that were added; nil if there are no values.
  private var conversion: Conversion?

  /// - Parameter bitCount: the number of bits of the type, 8 or 16.
  init(bitCount: Int) {
    size = 1 << bitCount
    weights = .allocate(capacity: size)
    weights.initialize(repeating: 0, count: size)
    areas = .allocate(capacity: size)
    areas.initialize(repeating: 0, count: size)
    marks = .allocate(capacity: size / 64)
    marks.initialize(repeating: 0, count: size / 64)
  }

  deinit {
    weights.deallocate()
    areas.deallocate()
    marks.deallocate()
  }

  /// Prepares for values with a conversion; moves the values of the previous conversion to the
  /// distribution.
  func start(_ conversion: Conversion, _ distribution: inout ZonalDistribution) {
    if let known = self.conversion, known != conversion { move(to: &distribution) }
    self.conversion = conversion
  }

  /// Adds a value.
  ///
  /// - Parameter index: the value minus the least one of its type.
  @inline(__always)
  func add(_ index: UInt16, weight: Double, area: Double = 0) {
    let index = Int(index)
    weights[index] += weight
    areas[index] += area
    marks[index >> 6] |= 1 << UInt64(index & 63)
  }

  /// Moves the distinct values to the distribution and clears the counts.
  func move(to distribution: inout ZonalDistribution) {
    guard let conversion else { return }
    for word in 0..<size / 64 where marks[word] != 0 {
      var bits = marks[word]
      marks[word] = 0
      while bits != 0 {
        let index = word << 6 | bits.trailingZeroBitCount
        bits &= bits &- 1
        distribution.add(
          conversion.value(index), weight: weights[index], area: areas[index])
        (weights[index], areas[index]) = (0, 0)
      }
    }
    self.conversion = nil
  }
}
