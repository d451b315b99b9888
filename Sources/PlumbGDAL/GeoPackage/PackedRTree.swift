import PlumbCore
import PlumbGeometry

/// Fills an empty SQLite R-tree by writing its tables directly in their documented format. The
/// nodes are written one after another. Each node is filled with boxes that are close to each other
/// along a Hilbert curve.
///
/// Building the index row by row takes many times as long and leaves the nodes half empty. At most
/// `limit` boxes of features are in memory, besides one box for each leaf node. A larger tree
/// consists of parts of `limit` boxes, each of which is ordered along the curve separately.
final class PackedRTree {
  /// A box with its id: the id of a feature, or the number of a node.
  struct Entry: BitwiseCopyable {
    var id: Int64
    var low: SIMD2<Float>
    var high: SIMD2<Float>

    /// Creates an entry whose coordinates are rounded outward, as the format requires.
    init(id: Int64, _ box: Box) {
      self.id = id
      low = SIMD2(Float(notAbove: box.low.x), Float(notAbove: box.low.y))
      high = SIMD2(Float(notBelow: box.high.x), Float(notBelow: box.high.y))
    }

    /// Creates an entry with the bounding box of other entries.
    fileprivate init(id: Int64, round entries: some Sequence<Entry>) {
      self.id = id
      low = SIMD2(repeating: .infinity)
      high = SIMD2(repeating: -.infinity)
      for entry in entries {
        low = pointwiseMin(low, entry.low)
        high = pointwiseMax(high, entry.high)
      }
    }

    fileprivate var centre: SIMD2<Double> {
      (SIMD2<Double>(low) + SIMD2<Double>(high)) * 0.5
    }
  }

  /// The maximum number of boxes in memory.
  private let limit: Int
  /// The number of entries of a full node.
  private let capacity: Int
  private let nodeSize: Int
  private let root: SQLiteStatement
  private let node: SQLiteStatement
  private let row: GroupedInsertion
  private let parent: GroupedInsertion
  /// The boxes that are not in a node yet.
  private var entries: [Entry] = []
  /// The boxes of the leaf nodes written so far.
  private var leaves: [Entry] = []
  /// The number of each node's parent. The first element belongs to node 2, because node 1 is the
  /// root, which has no parent.
  private var parents: [Int64] = []

  private static let rootNumber: Int64 = 1
  private static let headSize = 4
  private static let entrySize = 24

  /// - Parameters:
  ///   - name: the name of a two-dimensional R-tree; the names of its tables begin with this name.
  ///   - limit: the maximum number of boxes in memory.
  /// - Returns: nil if there is no R-tree with this name, or if it is not empty.
  init?(
    name: String, on connection: SQLiteConnection, limit: Int = 1 << 22
  ) throws(GDALError) {
    let nodes = (name + "_node").asIdentifier
    let known = try SQLiteStatement(
      "SELECT count(*) FROM sqlite_master WHERE name = \((name + "_node").asLiteral)",
      on: connection)
    guard try known.step(), known.integer(0) == 1 else { return nil }
    let empty = try SQLiteStatement(
      """
      SELECT length(data) FROM \(nodes) WHERE nodeno = \(Self.rootNumber)
        AND substr(data, 1, \(Self.headSize)) = zeroblob(\(Self.headSize))
      """, on: connection)
    guard try empty.step() else { return nil }
    nodeSize = Int(empty.integer(0))
    capacity = (nodeSize - Self.headSize) / Self.entrySize
    guard capacity > 1 else { return nil }
    self.limit = max(limit, capacity + 1)
    root = try SQLiteStatement(
      "UPDATE \(nodes) SET data = ? WHERE nodeno = \(Self.rootNumber)", on: connection)
    node = try SQLiteStatement(
      "INSERT INTO \(nodes)(nodeno, data) VALUES(?, ?)", on: connection)
    row = try GroupedInsertion(
      into: name + "_rowid", columns: ["rowid", "nodeno"], on: connection)
    parent = try GroupedInsertion(
      into: name + "_parent", columns: ["nodeno", "parentnode"], on: connection)
  }

  /// Adds a feature's box. Features must be added in the order of their ids.
  func append(_ entry: Entry) throws(GDALError) {
    entries.append(entry)
    if entries.count >= limit { try packLeaves() }
  }

  /// Writes the remaining nodes, the root last.
  func finish() throws(GDALError) {
    var (top, depth) = (entries, 0)
    if leaves.isEmpty, entries.count <= capacity {
      try store(entries.lazy.map { ($0.id, Self.rootNumber) }, by: row)
    } else {
      try packLeaves()
      (top, depth) = (leaves, 1)
      while top.count > capacity {
        top = try packNodes(top)
        depth += 1
      }
      for node in top { parents[Self.index(of: node.id)] = Self.rootNumber }
    }
    if !top.isEmpty { try write(top, depth: depth, by: root, parameter: 1) }
    try store(
      parents.enumerated().lazy.map { (Int64($0.offset) + Self.rootNumber + 1, $0.element) },
      by: parent)
  }

  // MARK: Nodes

  private static func index(of node: Int64) -> Int { Int(node - rootNumber - 1) }

  /// Packs the boxes in memory into leaf nodes.
  private func packLeaves() throws(GDALError) {
    let boxes = entries
    entries = []
    var numbers = [Int64](repeating: 0, count: boxes.count)
    try forEachNode(of: boxes) { (number, members) throws(GDALError) in
      leaves.append(Entry(id: number, round: members.lazy.map { boxes[$0] }))
      for member in members { numbers[member] = number }
    }
    try store(zip(boxes, numbers).lazy.map { ($0.id, $1) }, by: row)
  }

  /// Packs nodes into parent nodes.
  private func packNodes(_ nodes: [Entry]) throws(GDALError) -> [Entry] {
    var result: [Entry] = []
    try forEachNode(of: nodes) { (number, members) throws(GDALError) in
      result.append(Entry(id: number, round: members.lazy.map { nodes[$0] }))
      for member in members { parents[Self.index(of: nodes[member].id)] = number }
    }
    return result
  }

  /// Divides entries, in the order of the curve, into the minimum number of nodes of about the same
  /// size, and writes these nodes.
  ///
  /// - Parameter body: receives a node's number and the indices of its entries.
  private func forEachNode(
    of entries: [Entry], _ body: (Int64, [Int]) throws(GDALError) -> Void
  ) throws(GDALError) {
    let order = CurveOrder.order(entries.count, finest: capacity, workers: Workers()) {
      entries[$0].centre
    }
    let count = (entries.count + capacity - 1) / capacity
    for index in 0..<count {
      let range = entries.count * index / count..<entries.count * (index + 1) / count
      let members = range.map { Int(order[$0] & 0xffff_ffff) }
      parents.append(0)
      let number = Int64(parents.count) + Self.rootNumber
      node.bind(number, 1)
      try write(members.map { entries[$0] }, depth: 0, by: node, parameter: 2)
      try body(number, members)
    }
  }

  /// - Parameter depth: for the root, the number of levels below it; for other nodes, 0.
  private func write(
    _ entries: [Entry], depth: Int, by statement: SQLiteStatement, parameter: Int32
  ) throws(GDALError) {
    let result = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: nodeSize) { bytes in
      Result { () throws(GDALError) in
        guard let base = bytes.baseAddress else { return }
        bytes.initialize(repeating: 0)
        let memory = UnsafeMutableRawPointer(base)
        func put(_ value: some FixedWidthInteger, at offset: Int) {
          withUnsafeBytes(of: value.bigEndian) {
            (memory + offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
          }
        }
        put(UInt16(depth), at: 0)
        put(UInt16(entries.count), at: 2)
        var offset = Self.headSize
        for entry in entries {
          put(entry.id, at: offset)
          put(entry.low.x.bitPattern, at: offset + 8)
          put(entry.high.x.bitPattern, at: offset + 12)
          put(entry.low.y.bitPattern, at: offset + 16)
          put(entry.high.y.bitPattern, at: offset + 20)
          offset += Self.entrySize
        }
        statement.bind(blob: base, nodeSize, parameter)
        try statement.run()
      }
    }
    try result.get()
  }

  /// Inserts rows of two integers.
  private func store(
    _ pairs: some Sequence<(Int64, Int64)>, by insertion: GroupedInsertion
  ) throws(GDALError) {
    var values: [GroupedInsertion.Value] = []
    for (first, second) in pairs {
      values += [.integer(first), .integer(second)]
      if values.count == insertion.rowCount * 2 {
        try insertion.store(values)
        values.removeAll(keepingCapacity: true)
      }
    }
    try insertion.store(values)
  }
}

extension Float {
  /// The greatest float that is not greater than a value.
  fileprivate init(notAbove value: Double) {
    let nearest = Float(value)
    self = Double(nearest) > value ? nearest.nextDown : nearest
  }

  /// The least float that is not less than a value.
  fileprivate init(notBelow value: Double) {
    let nearest = Float(value)
    self = Double(nearest) < value ? nearest.nextUp : nearest
  }
}
