/// The requests for ranges of a file. Adjacent ranges are merged. Ranges with small gaps between
/// them are also merged if the gaps add few bytes.
package struct RangePlan: Sendable {
  /// The range of each request, by ascending start.
  package private(set) var pieces: [Range<Int>] = []
  /// For each of the given ranges, the index of the piece that contains it; -1 for an empty range.
  private(set) var pieceOfRange: [Int32]

  /// The maximum gap in bytes that is fetched to merge two ranges. For wider gaps, a separate
  /// request is cheaper.
  static let maximumGap = 64 << 10
  /// The minimum ratio of requested bytes to bytes in fetched gaps.
  static let neededForEachWasted = 10
  /// The maximum size of a merged piece in bytes. Because of this limit, long runs are split into
  /// several requests, which use little memory.
  static let maximumBytes = 8 << 20

  /// The total size of all pieces.
  package var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Parameter ranges: the ranges in any order. They may overlap or be empty.
  package init(_ ranges: [Range<Int>]) {
    pieceOfRange = [Int32](repeating: -1, count: ranges.count)
    let order = ranges.indices.filter { !ranges[$0].isEmpty }
      .sorted { (ranges[$0].lowerBound, $0) < (ranges[$1].lowerBound, $1) }
    let widestGap = Self.widestGap(ranges, order)
    for index in order {
      let range = ranges[index]
      if let last = pieces.last, range.lowerBound - last.upperBound <= widestGap,
        max(last.upperBound, range.upperBound) - last.lowerBound <= Self.maximumBytes
          || range.upperBound <= last.upperBound
      {
        pieces[pieces.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        pieces.append(range)
      }
      pieceOfRange[index] = Int32(pieces.count - 1)
    }
  }

  /// Returns the width up to which gaps are fetched. With this width, as many of the narrowest gaps
  /// are fetched as the ratio allows.
  private static func widestGap(_ ranges: [Range<Int>], _ order: [Int]) -> Int {
    var gaps: [Int] = []
    var (end, needed) = (0, 0)
    for (position, index) in order.enumerated() {
      let range = ranges[index]
      if position > 0, range.lowerBound > end, range.lowerBound - end <= maximumGap {
        gaps.append(range.lowerBound - end)
      }
      needed += max(0, range.upperBound - max(end, range.lowerBound))
      end = max(end, range.upperBound)
    }
    gaps.sort()
    var (widest, wasted) = (0, 0)
    for (position, gap) in gaps.enumerated() {
      wasted += gap
      if wasted > needed / neededForEachWasted { break }
      // Gaps of equal width are either all fetched or all omitted.
      if position + 1 == gaps.count || gaps[position + 1] > gap { widest = gap }
    }
    return widest
  }
}
