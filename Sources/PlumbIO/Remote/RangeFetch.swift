import PlumbCore
import Synchronization

/// Ranges of a remote file that are fetched before they are read. When this object is released,
/// fetches of ranges that have not been read are cancelled.
package final class RangeFetch: Sendable {
  private let file: RemoteFile
  private let number: Int
  private let plan: RangePlan
  private let jobSize: Int
  /// For each piece of the plan, the number of its ranges that have not been released.
  private let open: Mutex<[Int32]>

  /// - Parameters:
  ///   - ranges: the ranges, in the approximate order of reading. Ranges outside the file are not
  ///     fetched.
  ///   - jobSize: the number of consecutive ranges that are released together.
  package init(_ file: RemoteFile, _ ranges: [Range<Int>], jobSize: Int = 1) {
    self.file = file
    self.jobSize = jobSize
    let plan = file.plan(ranges)
    self.plan = plan
    var counts = [Int32](repeating: 0, count: plan.pieces.count)
    for piece in plan.pieceOfRange where piece >= 0 { counts[Int(piece)] += 1 }
    open = Mutex(counts)
    let pieces = plan.pieces.map { (range: $0, download: file.download($0)) }
    number = file.blocks.withLock { $0.add(ahead: pieces) }
    file.pool.add(pieces.map(\.download))
  }

  deinit {
    file.pool.drop(file.blocks.withLock { $0.forget(number, piece: nil) })
  }

  /// Marks all ranges of a job as no longer needed.
  package func release(_ job: Int) {
    let done = open.withLock { open in
      plan.pieceOfRange[job * jobSize..<(job + 1) * jobSize].compactMap { piece -> Int? in
        guard piece >= 0 else { return nil }
        open[Int(piece)] -= 1
        return open[Int(piece)] == 0 ? Int(piece) : nil
      }
    }
    for piece in done {
      file.pool.drop(file.blocks.withLock { $0.forget(number, piece: piece) })
    }
  }
}

extension RemoteFile {
  /// Returns the requests for ranges. No request is needed for a range that is already in memory,
  /// that is being fetched, or that is outside the file.
  package func plan(_ ranges: [Range<Int>]) -> RangePlan {
    let size = isComplete ? 0 : byteCount
    return RangePlan(
      blocks.withLock { blocks in
        ranges.map { range in
          let isOutside = range.lowerBound < 0 || range.upperBound > size
          let isKnown = isOutside || blocks.missing(range).isEmpty || blocks.isComing(range)
          return isKnown ? 0..<0 : range
        }
      })
  }
}
