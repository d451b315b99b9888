/// The requests that bring some ranges of a file: neighbours together, and those with a small gap
/// between them where that costs few bytes.
package struct RangePlan: Sendable {
  /// What each request asks for, by ascending start.
  package private(set) var pieces: [Range<Int>] = []
  /// For each of the given ranges the piece that holds it; -1 for an empty one.
  package private(set) var pieceOfRange: [Int32]

  /// A gap above this is never fetched: a request is cheaper.
  static let mostGap = 64 << 10
  /// All gaps together take at most one byte for so many that are wanted.
  static let wantedForEachWasted = 10
  /// A piece of several ranges has at most so many bytes, so that several requests share a long run
  /// and memory stays small.
  static let mostBytes = 8 << 20

  /// Bytes of all pieces.
  package var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

  /// - Parameter ranges: in any order; some may overlap, and empty ones stand for nothing.
  package init(_ ranges: [Range<Int>]) {
    pieceOfRange = [Int32](repeating: -1, count: ranges.count)
    let order = ranges.indices.filter { !ranges[$0].isEmpty }
      .sorted { (ranges[$0].lowerBound, $0) < (ranges[$1].lowerBound, $1) }
    let widestGap = Self.widestGap(ranges, order)
    for index in order {
      let range = ranges[index]
      if let last = pieces.last, range.lowerBound - last.upperBound <= widestGap,
        max(last.upperBound, range.upperBound) - last.lowerBound <= Self.mostBytes
          || range.upperBound <= last.upperBound
      {
        pieces[pieces.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        pieces.append(range)
      }
      pieceOfRange[index] = Int32(pieces.count - 1)
    }
  }

  /// Up to which width gaps are fetched along: as many of the narrowest as the waste allows.
  private static func widestGap(_ ranges: [Range<Int>], _ order: [Int]) -> Int {
    var gaps: [Int] = []
    var (end, wanted) = (0, 0)
    for (position, index) in order.enumerated() {
      let range = ranges[index]
      if position > 0, range.lowerBound > end, range.lowerBound - end <= mostGap {
        gaps.append(range.lowerBound - end)
      }
      wanted += max(0, range.upperBound - max(end, range.lowerBound))
      end = max(end, range.upperBound)
    }
    gaps.sort()
    var (widest, wasted) = (0, 0)
    for (position, gap) in gaps.enumerated() {
      wasted += gap
      if wasted > wanted / wantedForEachWasted { break }
      // Of equally wide ones all or none.
      if position + 1 == gaps.count || gaps[position + 1] > gap { widest = gap }
    }
    return widest
  }
}
