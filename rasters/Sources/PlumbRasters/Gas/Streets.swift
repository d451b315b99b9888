/// Streets of Claremont: a grid with uneven spacing, distorted by noise, in two zones.
struct Streets {
  /// The intersection of two streets, or the end of one.
  struct Corner {
    var column: Int
    var row: Int
    /// The number of blocks that meet there.
    var degree = 0

    /// 0 in the north, 1 in the south.
    var zone: Int { row < Streets.border ? 1 : 0 }
  }

  /// A section of street between two corners, as indices.
  struct Block {
    var from: Int
    var to: Int
  }

  private(set) var corners: [Corner] = []
  /// The blocks within zones; all corners of a zone are connected.
  private(set) var blocks: [Block] = []
  /// The blocks that could connect corners of the two zones, from the west.
  private(set) var crossings: [Block] = []

  static let columns = 13
  static let rows = 17
  /// The southernmost row of the northern zone.
  static let border = 5
  private static let middle = Ground(longitude: 18.470, latitude: -33.985)

  private let bend: GradientNoise
  /// The distance of each street from the first, in kilometres.
  private let across: [Double]
  private let up: [Double]

  init(seed: UInt64, random: inout SplitMix64) {
    bend = GradientNoise(seed: seed &+ 72, wavelength: 0.9, octaves: 2)
    across = Self.spaced(Self.columns, &random)
    up = Self.spaced(Self.rows, &random)
    var numbers: [Int: Int] = [:]
    for row in 0..<Self.rows {
      for column in 0..<Self.columns where !Self.isPark(column, row) {
        let isRim =
          column == 0 || row == 0 || column == Self.columns - 1 || row == Self.rows - 1
        if isRim, random.unit() < 0.4 { continue }
        numbers[row * Self.columns + column] = corners.count
        corners.append(Corner(column: column, row: row))
      }
    }
    var candidates: [Block] = []
    for (index, corner) in corners.enumerated() {
      let here = corner.row * Self.columns + corner.column
      if corner.column + 1 < Self.columns, let east = numbers[here + 1] {
        candidates.append(Block(from: index, to: east))
      }
      if let north = numbers[here + Self.columns] {
        candidates.append(Block(from: index, to: north))
      }
    }
    keep(candidates, &random)
  }

  /// Selects blocks so that each zone is connected, with loops and dead ends, and removes corners
  /// without blocks.
  private mutating func keep(_ candidates: [Block], _ random: inout SplitMix64) {
    var candidates = candidates
    for last in stride(from: candidates.count - 1, to: 0, by: -1) {
      candidates.swapAt(last, Int(random.unit() * Double(last + 1)))
    }
    var groups = Groups(corners.count)
    for block in candidates {
      if corners[block.from].zone != corners[block.to].zone {
        crossings.append(block)
      } else if groups.join(block.from, block.to) || random.unit() < 0.5 {
        blocks.append(block)
      }
    }
    let zones = [0, 1].map { zone in
      groups.largest(of: corners.indices.filter { corners[$0].zone == zone })
    }
    func isKept(_ corner: Int) -> Bool { groups.root(corner) == zones[corners[corner].zone] }
    blocks = blocks.filter { isKept($0.from) }.sorted { ($0.from, $0.to) < ($1.from, $1.to) }
    crossings = crossings.filter { isKept($0.from) && isKept($0.to) }.sorted { $0.from < $1.from }
    for block in blocks {
      corners[block.from].degree += 1
      corners[block.to].degree += 1
    }
  }

  /// Whether all corners of the zones remain connected without one end of a block.
  func isLoop(_ index: Int) -> Bool {
    var groups = Groups(corners.count)
    for (other, block) in blocks.enumerated() where other != index {
      groups.join(block.from, block.to)
    }
    return groups.root(blocks[index].from) == groups.root(blocks[index].to)
  }

  private static func isPark(_ column: Int, _ row: Int) -> Bool {
    (7...8).contains(column) && (9...11).contains(row)
      || (2...3).contains(column) && (2...2).contains(row)
  }

  private static func spaced(_ count: Int, _ random: inout SplitMix64) -> [Double] {
    var result = [0.0]
    while result.count < count { result.append((result.last ?? 0) + 0.09 + 0.06 * random.unit()) }
    return result
  }

  /// The position of a corner.
  func ground(_ corner: Corner) -> Ground { ground(across[corner.column], up[corner.row]) }

  /// The position at a fraction of a block, 0 to 1.
  func ground(_ block: Block, _ share: Double) -> Ground {
    let (a, b) = (corners[block.from], corners[block.to])
    return ground(
      mix(across[a.column], across[b.column], share), mix(up[a.row], up[b.row], share))
  }

  private func ground(_ x: Double, _ y: Double) -> Ground {
    let (east, north) = (
      x - (across.last ?? 0) / 2 + 0.09 * bend(x, y),
      y - (up.last ?? 0) / 2 + 0.09 * bend(x + 40, y - 70)
    )
    // Main Road runs a little east of north.
    return Ground(
      x: Self.middle.x + 0.974 * east + 0.225 * north,
      y: Self.middle.y - 0.225 * east + 0.974 * north)
  }
}

/// Disjoint sets of numbers.
struct Groups {
  private var parents: [Int]

  init(_ count: Int) { parents = Array(0..<count) }

  func root(_ item: Int) -> Int {
    var item = item
    while parents[item] != item { item = parents[item] }
    return item
  }

  /// Joins the sets of two numbers and returns whether they were separate.
  @discardableResult mutating func join(_ a: Int, _ b: Int) -> Bool {
    let (first, second) = (root(a), root(b))
    parents[max(first, second)] = min(first, second)
    return first != second
  }

  /// The root of the set that contains most of some items; -1 if there are none.
  func largest(of items: [Int]) -> Int {
    var counts: [Int: Int] = [:]
    for item in items { counts[root(item), default: 0] += 1 }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? -1
  }
}
