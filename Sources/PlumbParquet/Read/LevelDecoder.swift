import PlumbIO

/// Decodes the levels of a column, and records which values are null and, for lists, the repetition levels.
struct LevelDecoder {
  private let maximum: Int
  private let bitWidth: Int
  private let rowCount: Int
  /// For each level from 1, one bit per row, which is 1 if the row's level is at least that level. Nil while
  /// all bits are 1.
  private(set) var validity: [[UInt8]?]
  /// The repetition levels; nil outside of lists.
  private(set) var repetitions: [UInt8]?
  private let repetition: Int
  private var levels: [UInt8] = []

  /// - Parameters:
  ///   - maximum: the definition level of a value that is not null.
  ///   - repetition: the number of lists around a value.
  init(maximum: Int, repetition: Int, rowCount: Int) {
    (self.maximum, self.repetition, self.rowCount) = (maximum, repetition, rowCount)
    if repetition > 0 { repetitions = [] }
    bitWidth = maximum == 0 ? 0 : Int.bitWidth - maximum.leadingZeroBitCount
    validity = [[UInt8]?](repeating: nil, count: maximum)
  }

  /// Decodes the levels of a page, and returns the number of its values that are not null.
  ///
  /// - Parameter row: the first row of the page.
  mutating func decode(_ page: DataPage, row: Int) throws(FormatError) -> Int {
    let count = page.valueCount
    if maximum == 0 || count == 0 { return count }
    if repetition > 0 { try decodeRepetitions(page) }
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
      return Self.unpack(
        page.levels, page.areLevelsPacked, bitWidth, into: base, count, maximum: maximum)
    }
    guard isValid else { throw Self.fault }
    var present = 0
    for threshold in 1...maximum { present = record(threshold, row, count) }
    return present
  }

  private mutating func decodeRepetitions(_ page: DataPage) throws(FormatError) {
    let (start, count) = (repetitions?.count ?? 0, page.valueCount)
    let width = Int.bitWidth - repetition.leadingZeroBitCount
    var all = repetitions ?? []
    repetitions = nil
    all += repeatElement(0, count: count)
    let isValid = all.withUnsafeMutableBufferPointer { all in
      guard let base = all.baseAddress else { return false }
      return Self.unpack(
        page.repetitions, page.areRepetitionsPacked, width, into: base + start, count,
        maximum: repetition)
    }
    // The first value of a row group begins a row.
    guard isValid, all.first == 0 else { throw Self.fault }
    repetitions = all
  }

  /// Decodes levels; returns false if they are damaged.
  private static func unpack(
    _ input: UnsafeRawBufferPointer, _ isPacked: Bool, _ bitWidth: Int,
    into output: UnsafeMutablePointer<UInt8>, _ count: Int, maximum: Int
  ) -> Bool {
    if isPacked {
      BitUnpacking.unpackBigEndian(input, bitWidth: bitWidth, into: output, count: count)
    } else if !HybridRuns.decode(input, bitWidth: bitWidth, into: output, count: count) {
      return false
    }
    var highest: UInt8 = 0
    for index in 0..<count { highest = max(highest, output[index]) }
    return Int(highest) <= maximum
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

  /// Moves the first `present` values of `output` to the rows of the last decoded page that are not null, and
  /// sets the other rows to `empty`.
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

  /// Moves values of `width` bytes in the same way, and sets the other rows to zeros.
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
