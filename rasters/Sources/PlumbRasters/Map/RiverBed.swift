/// Converts paths over cells to lines that run downhill and stay connected.
struct Bed {
  private let relief: Relief
  private let ways: CheapestWays
  /// The cells of all lines so far.
  private var kept: Set<Int> = []
  /// The cells where lines end, which other lines must keep.
  private var joints: Set<Int> = []

  /// The maximum length of a straight cut through a rise, in kilometres.
  private static let longestCut = 6.0
  /// The maximum deviation of a simplified line, in kilometres.
  private static let tolerance = 0.09

  init(_ relief: Relief, _ ways: CheapestWays) {
    self.relief = relief
    self.ways = ways
  }

  /// The cells of a path that are lower than all preceding ones and, if the path joins a line, higher than
  /// the cell where it joins.
  ///
  /// It joins at the first such cell of the line, and starts below its last long cut.
  /// - Returns: nil if the line would be shorter than a kilometre, or would join a river that is not drawn.
  mutating func descend(_ way: [Int]) -> [Int]? {
    guard var end = way.last else { return nil }
    let lasts = ways.next[end] < 0
    if !lasts {
      while !kept.contains(end) {
        guard ways.next[end] >= 0 else { return nil }
        end = ways.next[end]
      }
    }
    var line: [Int] = []
    var lowest = Double.infinity
    for cell in way where relief.heights[cell] < lowest {
      if relief.heights[cell] <= relief.heights[end], !lasts { break }
      lowest = relief.heights[cell]
      line.append(cell)
    }
    if line.last != end, !lasts || relief.heights[end] < lowest { line.append(end) }
    let places = line.map { relief.lattice.center($0).ground }
    let isCut = zip(places, places.dropFirst()).map { $0.distance(to: $1) > Self.longestCut }
    if let cut = isCut.lastIndex(of: true) { line.removeFirst(cut + 1) }
    if line.count < 2 || Measure.length(line.map(relief.lattice.center)) < 1 { return nil }
    kept.formUnion(line)
    if let last = line.last { joints.insert(last) }
    return line
  }

  /// A line with fewer cells (Douglas–Peucker), including all cells where other lines join.
  func simplify(_ line: [Int]) -> [Int] {
    var isKept = line.map { joints.contains($0) }
    isKept[0] = true
    var start = 0
    for index in isKept.indices.dropFirst() where isKept[index] {
      split(line, start, index, &isKept)
      start = index
    }
    return zip(line, isKept).filter(\.1).map(\.0)
  }

  private func split(_ line: [Int], _ first: Int, _ last: Int, _ isKept: inout [Bool]) {
    let (a, b) = (
      relief.lattice.center(line[first]).ground, relief.lattice.center(line[last]).ground
    )
    var farthest = (index: 0, distance: Self.tolerance)
    for index in first..<last where index > first {
      let distance = relief.lattice.center(line[index]).ground.distance(from: a, to: b).distance
      if distance > farthest.distance { farthest = (index, distance) }
    }
    if farthest.index == 0 { return }
    isKept[farthest.index] = true
    split(line, first, farthest.index, &isKept)
    split(line, farthest.index, last, &isKept)
  }
}
