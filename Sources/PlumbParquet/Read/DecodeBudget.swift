import PlumbIO
import Synchronization

/// The memory limit for the decoded values of a row group or a record batch. All of its columns share the
/// limit.
final class DecodeBudget: Sendable {
  private let left: Atomic<Int>
  private let limit: Int
  private let part: String

  /// - Parameters:
  ///   - limit: the number of bytes.
  ///   - part: the words for the row group or the record batch in messages.
  init(limit: Int = ParquetLimits.decodedBytes, of part: String = "the row group") {
    left = Atomic(limit)
    (self.limit, self.part) = (limit, part)
  }

  /// Reserves `count` times `width` bytes.
  ///
  /// - Throws: if fewer bytes remain.
  func take(_ count: Int, width: Int = 1) throws(FormatError) {
    let (size, overflow) = count.multipliedReportingOverflow(by: width)
    guard !overflow, size <= limit,
      left.subtract(size, ordering: .relaxed).newValue >= 0
    else {
      throw ParquetFault.tooLarge(
        "\(part) needs more than \(limit >> 20) MB of memory",
        remedies: ["write it with fewer rows"])
    }
  }
}
