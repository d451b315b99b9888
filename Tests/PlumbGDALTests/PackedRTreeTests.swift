import PlumbCore
import PlumbTestSupport
import Testing

@testable import PlumbGDAL

/// The nodes written for SQLite's R-tree, compared with SQLite's check and query results.
@Suite struct PackedRTreeTests {
  private let scratch: VectorScratch
  private let path: String

  init() throws {
    scratch = try VectorScratch()
    path = scratch.path("a.sqlite")
  }

  /// Creates an index of boxes, numbered from 1, without the boxes that are nil.
  private func build(_ boxes: [Box?], limit: Int) throws {
    try SQLiteFile.run(
      "PRAGMA synchronous = OFF; DROP TABLE IF EXISTS r; "
        + "CREATE VIRTUAL TABLE r USING rtree(id, minx, maxx, miny, maxy)",
      on: path)
    let connection = try SQLiteConnection(path: path)
    // No fsync.
    try connection.run("PRAGMA synchronous = OFF")
    let tree = try #require(try PackedRTree(name: "r", on: connection, limit: limit))
    for (index, box) in boxes.enumerated() {
      if let box { try tree.append(PackedRTree.Entry(id: Int64(index + 1), box)) }
    }
    try tree.finish()
  }

  private func check(_ boxes: [Box?]) throws {
    #expect(try SQLiteFile.rows("SELECT rtreecheck('r')", of: path) == [["ok"]])
    let kept = boxes.enumerated().compactMap { index, box in
      box.map { PackedRTree.Entry(id: Int64(index + 1), $0) }
    }
    #expect(try SQLiteFile.rows("SELECT count(*) FROM r", of: path) == [["\(kept.count)"]])
    // Windows from the boxes of the tree, each tested on both sides.
    var random = SeededGenerator(seed: UInt64(boxes.count))
    for _ in 0..<min(20, kept.count) {
      let (a, b) = (kept.randomElement(using: &random)!, kept.randomElement(using: &random)!)
      let (low, high) = (pointwiseMin(a.low, b.low), pointwiseMax(a.high, b.high))
      let found = try SQLiteFile.rows(
        """
        SELECT id FROM r WHERE maxx >= \(Double(low.x)) AND minx <= \(Double(high.x))
          AND maxy >= \(Double(low.y)) AND miny <= \(Double(high.y)) ORDER BY id
        """, of: path)
      let expected = kept.filter {
        $0.high.x >= low.x && $0.low.x <= high.x && $0.high.y >= low.y && $0.low.y <= high.y
      }
      #expect(found == expected.map { ["\($0.id)"] })
    }
  }

  private func randomBoxes(_ count: Int, seed: UInt64) -> [Box?] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      if Int.random(in: 0..<10, using: &random) == 0 { return nil }
      let low = SIMD2(
        Double.random(in: -180...180, using: &random), Double.random(in: -90...90, using: &random))
      let size = Bool.random(using: &random) ? 0 : Double.random(in: 0...2, using: &random)
      return Box(low: low, high: low + SIMD2(size, size / 3))
    }
  }

  /// All counts near the sizes of nodes and levels, in one part and in several parts.
  @Test(arguments: [0, 1, 2, 50, 51, 52, 53, 102, 103, 700, 2601, 2602, 8000])
  func counts(_ count: Int) throws {
    for limit in [1, 1000, 1 << 22] {
      let boxes = randomBoxes(count, seed: UInt64(count &* 31 &+ limit))
      try build(boxes, limit: limit)
      try check(boxes)
    }
  }

  @Test func manyInOnePoint() throws {
    let boxes = [Box?](repeating: Box(low: SIMD2(5, -3), high: SIMD2(5, -3)), count: 3000)
    try build(boxes, limit: 1 << 22)
    try check(boxes)
  }

  @Test func farAndWide() throws {
    var random = RandomGeometry(seed: 11)
    let boxes = (0..<2000).map { _ -> Box? in
      let a = SIMD2(random.number(), random.number())
      let b = SIMD2(random.number(), random.number())
      return Box(low: pointwiseMin(a, b), high: pointwiseMax(a, b))
    }
    try build(boxes, limit: 500)
    #expect(try SQLiteFile.rows("SELECT rtreecheck('r')", of: path) == [["ok"]])
    #expect(try SQLiteFile.rows("SELECT count(*) FROM r", of: path) == [["2000"]])
  }

  /// Coordinates are rounded outward, by less than two steps of a float.
  @Test func rounding() {
    var random = RandomGeometry(seed: 12)
    for _ in 0..<10_000 {
      let (x, y) = (random.number(), random.number())
      let entry = PackedRTree.Entry(id: 1, Box(low: SIMD2(x, y), high: SIMD2(x, y)))
      #expect(Double(entry.low.x) <= x && x <= Double(entry.high.x))
      #expect(Double(entry.low.y) <= y && y <= Double(entry.high.y))
      #expect(entry.low.x == entry.high.x || entry.low.x.nextUp == entry.high.x)
    }
  }

  /// SQLite can continue to use the tree as one that SQLite wrote.
  @Test(arguments: [1, 51, 52, 3000])
  func changesAfterwards(_ count: Int) throws {
    var boxes = randomBoxes(count, seed: UInt64(count))
    try build(boxes, limit: 900)
    var random = SeededGenerator(seed: 5)
    var statements: [String] = []
    for number in boxes.indices where Int.random(in: 0..<3, using: &random) == 0 {
      statements.append("DELETE FROM r WHERE id = \(number + 1)")
      boxes[number] = nil
    }
    for box in randomBoxes(500, seed: 6) {
      boxes.append(box)
      guard let box else { continue }
      statements.append(
        "INSERT INTO r VALUES(\(boxes.count), \(box.low.x), \(box.high.x), \(box.low.y), \(box.high.y))"
      )
    }
    try SQLiteFile.run("BEGIN;" + statements.joined(separator: ";") + "; COMMIT", on: path)
    #expect(try SQLiteFile.rows("SELECT rtreecheck('r')", of: path) == [["ok"]])
    let kept = boxes.indices.filter { boxes[$0] != nil }
    #expect(
      try SQLiteFile.rows("SELECT id FROM r ORDER BY id", of: path) == kept.map { ["\($0 + 1)"] })
  }

  /// A missing or non-empty tree is not filled.
  @Test func otherTables() throws {
    try SQLiteFile.run("CREATE TABLE t(a)", on: path)
    let connection = try SQLiteConnection(path: path)
    #expect(try PackedRTree(name: "t", on: connection) == nil)
    try SQLiteFile.run(
      "CREATE VIRTUAL TABLE r USING rtree(id, minx, maxx, miny, maxy);"
        + "INSERT INTO r VALUES(1, 0, 1, 0, 1)", on: path)
    #expect(try PackedRTree(name: "r", on: connection) == nil)
  }
}
