import PlumbIO

/// Decodes the definition levels of a column, and records which values are null.
struct LevelDecoder {
  private let maximum: Int
  private let bitWidth: Int
  private let rowCount: Int
  /// For each level from 1, one bit per row that is 1 if the row's level is at least that level; nil while
  /// all are.
  private(set) var validity: [[UInt8]?]
  private var levels: [UInt8] = []

  init(maximum: Int, rowCount: Int) {
    (self.maximum, self.rowCount) = (maximum, rowCount)
    bitWidth = maximum == 0 ? 0 : Int.bitWidth - maximum.leadingZeroBitCount
    validity = [[UInt8]?](repeating: nil, count: maximum)
  }

  /// The number of values of the page that are not null.
  ///
  /// - Parameter row: the first row of the page.
  mutating func decode(_ page: DataPage, row: Int) throws(FormatError) -> Int {
    let count = page.valueCount
    if maximum == 0 || count == 0 { return count }
    if !page.areLevelsPacked {
      if let level = HybridRuns.single(page.levels, bitWidth: bitWidth, count: count) {
        guard level <= maximum else { throw Self.fault }
        if level == maximum { return count }
      }
    }
    if levels.count < count { levels = [UInt8](repeating: 0, count: count) }
    let (maximum, bitWidth) = (maximum, bitWidth)
    let isValid = levels.withUnsafeMutableBufferPointer { levels in
      guard let base = levels.baseAddress else { return false }
      if page.areLevelsPacked {
        BitUnpacking.unpackBigEndian(page.levels, bitWidth: bitWidth, into: base, count: count)
      } else if !HybridRuns.decode(page.levels, bitWidth: bitWidth, into: base, count: count) {
        return false
      }
      var highest: UInt8 = 0
      for index in 0..<count { highest = max(highest, base[index]) }
      return Int(highest) <= maximum
    }
    guard isValid else { throw Self.fault }
    var present = 0
    for threshold in 1...maximum { present = record(threshold, row, count) }
    return present
  }

  private static var fault: FormatError { ParquetFault.damaged("a page has wrong levels") }

  /// Records the rows whose level is at least `threshold`, and returns their number.
  private mutating func record(_ threshold: Int, _ row: Int, _ count: Int) -> Int {
    let least = UInt8(truncatingIfNeeded: threshold)
    var present = 0
    for index in 0..<count { present &+= levels[index] >= least ? 1 : 0 }
    if present == count { return count }
    var bits =
      validity[threshold - 1]
      ?? [UInt8](repeating: 0xFF, count: rowCount / 8 + (rowCount % 8 == 0 ? 0 : 1))
    validity[threshold - 1] = nil
    bits.withUnsafeMutableBufferPointer { bits in
      levels.withUnsafeBufferPointer { levels in
        for index in 0..<count where levels[index] < least {
          bits[(row + index) >> 3] &= ~(1 << UInt8(truncatingIfNeeded: (row + index) & 7))
        }
      }
    }
    validity[threshold - 1] = bits
    return present
  }

  /// Moves the `present` values at the start of the output of the last page to their rows, and fills the
  /// rows of nulls with `empty`.
  @inline(__always)
  func spread<Value: BitwiseCopyable>(
    _ output: UnsafeMutablePointer<Value>, count: Int, present: Int, empty: Value
  ) {
    if present == count { return }
    let highest = UInt8(truncatingIfNeeded: maximum)
    levels.withUnsafeBufferPointer { levels in
      var (row, source) = (count, present)
      while source < row {
        row &-= 1
        if levels[row] == highest {
          source &-= 1
          output[row] = output[source]
        } else {
          output[row] = empty
        }
      }
    }
  }

  /// Moves values of `width` bytes in the same way.
  func spread(_ output: UnsafeMutableRawPointer, width: Int, count: Int, present: Int) {
    if present == count { return }
    let highest = UInt8(truncatingIfNeeded: maximum)
    var (row, source) = (count, present)
    while source < row {
      row -= 1
      if levels[row] == highest {
        source -= 1
        (output + row * width).copyMemory(from: output + source * width, byteCount: width)
      } else {
        (output + row * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
      }
    }
  }
}
