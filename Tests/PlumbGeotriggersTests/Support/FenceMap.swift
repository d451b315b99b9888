import PlumbCore

@testable import PlumbGeotriggers

/// A map drawn as text, with cells of about ten metres. A letter's fence is the bounding box of its
/// cells. The fixes are the digits in order, one per second, each at the centre of its cell.
struct FenceMap {
  var fences: [Fence] = []
  var batch = LocationBatch()

  init(_ text: String) {
    var cells: [Character: [SIMD2<Double>]] = [:]
    for (row, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      for (column, cell) in line.enumerated() where cell != " " && cell != "." {
        cells[cell, default: []].append(SIMD2(Double(column), -Double(row)) * 1e-4)
      }
    }
    for (letter, points) in cells.sorted(by: { $0.key < $1.key }) {
      if letter.isNumber {
        for point in points { add(point) }
        continue
      }
      let half = SIMD2(repeating: 0.5e-4)
      let low = points.reduce(points[0]) { pointwiseMin($0, $1) } - half
      let high = points.reduce(points[0]) { pointwiseMax($0, $1) } + half
      let box = Envelope(
        xMin: low.x, yMin: low.y, xMax: high.x, yMax: high.y, spatialReference: .wgs84)
      fences.append(Fence(id: String(letter), geometry: .envelope(box)))
    }
  }

  private mutating func add(_ point: SIMD2<Double>) {
    batch.index.append(batch.count)
    batch.time.append(Int64(batch.time.count) * 1000)
    batch.entity.append(0)
    batch.x.append(point.x)
    batch.y.append(point.y)
  }

  /// The events, one per line: the fix's digit, the type and the fence.
  func events(_ rules: FenceRules = FenceRules(), buffer: Double = 0) throws -> [String] {
    let tracker = try FenceTracker(FenceSet(fences, bufferDistance: buffer), rules)
    return tracker.update(batch).events.map { "\($0.row) \($0.type) \(fences[$0.fence].id)" }
  }
}
