import PlumbIO
import Synchronization

/// The memory for the decoded values of a row group, which its columns share.
final class DecodeBudget: Sendable {
  private let left = Atomic<Int>(ParquetLimits.decodedBytes)

  /// Takes `count` times `width` bytes.
  ///
  /// - Throws: if they are more than the rest.
  func take(_ count: Int, width: Int = 1) throws(FormatError) {
    let (size, overflow) = count.multipliedReportingOverflow(by: width)
    guard !overflow, size <= ParquetLimits.decodedBytes,
      left.subtract(size, ordering: .relaxed).newValue >= 0
    else {
      throw ParquetFault.tooLarge(
        "the row group needs more than \(ParquetLimits.decodedBytes >> 20) MB of memory")
    }
  }
}
