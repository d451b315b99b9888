import PlumbCore

/// Groups of neighbouring boxes.
enum Tiles {
  /// All indices, in tiles of at most `size` neighbouring boxes (sort-tile-recursive): columns by x
  /// with equal numbers of boxes, each divided by y. Boxes that are much larger than the other
  /// boxes are put into separate tiles.
  static func members(_ boxes: [Box], size: Int) -> [[Int]] {
    guard boxes.count > size else { return boxes.isEmpty ? [] : [Array(boxes.indices)] }
    let extents = boxes.map(\.extent)
    let limit = 8 * extents.sorted()[boxes.count / 2]
    let large = boxes.indices.filter { extents[$0] > limit }
    let small = boxes.indices.filter { extents[$0] <= limit }
    return tiles(small, boxes, size) + tiles(large, boxes, size)
  }

  private static func tiles(_ indices: [Int], _ boxes: [Box], _ size: Int) -> [[Int]] {
    guard indices.count > size else { return indices.isEmpty ? [] : [indices] }
    let count = (indices.count + size - 1) / size
    let columns = Int(Double(count).squareRoot().rounded(.up))
    let column = (count + columns - 1) / columns * size
    let centres = boxes.map(\.doubledCentre)
    // Ties are broken by index, so that the order depends only on the boxes.
    let byX = indices.sorted { (centres[$0].x, $0) < (centres[$1].x, $1) }
    return stride(from: 0, to: byX.count, by: column).flatMap { start in
      let byY = byX[start..<min(byX.count, start + column)].sorted {
        (centres[$0].y, $0) < (centres[$1].y, $1)
      }
      return stride(from: 0, to: byY.count, by: size).map {
        Array(byY[$0..<min(byY.count, $0 + size)])
      }
    }
  }
}
