import CKernels
import PlumbCore

/// Finds delimiters and line ends, processing many bytes at a time.
package struct FieldSeparators {
  /// The maximum number of bytes per call. With this limit, the results fit in the processor's L1
  /// cache.
  package static let window = 1 << 12

  private let delimiter: UInt8
  private let positions = TrivialBuffer<UInt32>(count: FieldSeparators.window)

  package init(_ delimiter: UInt8) { self.delimiter = delimiter }

  /// Returns the positions of all delimiters and line ends. The positions are relative to the
  /// range's start and are valid until the next call.
  ///
  /// - Precondition: the range has at most `window` bytes.
  package func find(
    in text: UnsafePointer<UInt8>, _ range: Range<Int>
  ) -> UnsafeBufferPointer<UInt32> {
    precondition(range.count <= Self.window, "more bytes than fit in a window")
    let count = plumb_find_either(
      text + range.lowerBound, range.count, delimiter, 0x0A, positions.base)
    return UnsafeBufferPointer(start: positions.base, count: count)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns the number of line feeds.
  package var lineFeedCount: Int {
    baseAddress.map { Int(bitPattern: UInt(plumb_count_byte($0, count, 0x0A))) } ?? 0
  }
}
