import Foundation
import Plumb
import PlumbTestSupport
import Testing

/// Times in the future, which would make all later locations late.
@Suite(.timeLimit(.minutes(1))) struct FeedMaxAheadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The rows of a file that are kept, and the lines that are reported.
  private func kept(
    _ rows: [(String, Int)], maxAhead: Double? = 60, limit: Int = 1000
  ) throws -> (rows: [Int], lines: [Int]) {
    try folder.write(
      "feed.csv", "id,time,x,y\n" + rows.map { "\($0.0),\($0.1),1,2\n" }.joined())
    let feed = try LocationFeed(folder.path("feed.csv"), attributes: false, maxAhead: maxAhead)
    var kept: [Int] = []
    while let batch = try feed.next(limit: limit) { kept += batch.index }
    return (kept, feed.drainIssues().map { $0.line ?? 0 })
  }

  @Test("In a file, a location is omitted if most of the next five of its entity go back in time")
  func file() throws {
    let track = (0..<20).map { ("a", $0 * 10) }
    for outlier in 0..<20 {
      var rows = track
      rows[outlier].1 += 100_000
      // The last location has no successor.
      let expected = (0..<20).filter { $0 != outlier || outlier == 19 }
      for limit in [1000, 7, 5] {
        let found = try kept(rows, limit: limit)
        #expect(found.rows == expected, "\(outlier)")
        #expect(found.lines == (outlier == 19 ? [] : [outlier + 2]))
      }
      #expect(try kept(rows, maxAhead: nil).rows == Array(0..<20), "off by default")
    }
    var two = track
    two[3].1 += 100_000
    two[4].1 += 200_000
    #expect(try kept(two).rows == [0, 1, 2] + Array(5..<20))
  }

  @Test("Pauses, stragglers and other entities are kept")
  func innocent() throws {
    let pause = (0..<20).map { ("a", $0 * 10 + ($0 >= 7 ? 1_000_000 : 0)) }
    #expect(try kept(pause).lines == [])
    var straggler = pause
    straggler[12].1 = 3
    #expect(try kept(straggler).lines == [])
    let others = (0..<20).flatMap { [("a", $0 + 1_000_000), ("b", $0)] }
    #expect(try kept(others).lines == [])
    #expect(try kept([("a", 100), ("a", 40)]).lines == [])
    #expect(try kept([("a", 101), ("a", 40)]).lines == [2])
  }

  @Test("The names of released entities are kept while rows of theirs wait")
  func release() throws {
    let rows = (0..<40).map { "e\($0 % 4),\($0),1,2\n" }.joined()
    try folder.write("feed.csv", "id,time,x,y\n" + rows)
    let feed = try LocationFeed(folder.path("feed.csv"), attributes: false, maxAhead: 60)
    var row = 0
    while let batch = try feed.next(limit: 4) {
      for entity in batch.entity {
        #expect(feed.entities[entity] == "e\(row % 4)")
        row += 1
      }
      feed.release(batch.entity)
    }
    #expect(row == 40)
  }

  @Test(
    "In a pipe, times more than five minutes, or the given limit, ahead of the clock are omitted")
  func live() throws {
    let now = Int(Date().timeIntervalSince1970)
    for (index, (limit, isKept)) in [
      (nil, false), (60, false), (.infinity, true), (100_000, true),
    ].enumerated() as EnumeratedSequence<[(Double?, Bool)]> {
      let pipe = try LivePipe(folder, "pipe\(index)")
      let feed = try LocationFeed(
        pipe.path, format: .delimited, attributes: false, maxAhead: limit)
      pipe.write("time,x,y\n\(now + 40_000),1,2\n")
      #expect(try feed.next(limit: 10)?.count == (isKept ? 1 : 0))
      let issues = feed.drainIssues()
      #expect(issues.count == (isKept ? 0 : 1))
      if let issue = issues.first {
        #expect(issue.line == 2 && issue.message.contains(" s ahead of the clock: up to "))
      }
      pipe.write("2199-01-01T00:00:00Z,1,2\n")
      #expect(try feed.next(limit: 10)?.count == (limit == .infinity ? 1 : 0))
      pipe.finish()
    }
    #expect(throws: PlumbError.self) {
      try LocationFeed("-", attributes: false, maxAhead: -1)
    }
  }
}
